/** Median and spread of values; undefined when one of them is. */
export function summary(values) {
  if (values.length === 0 || values.some((value) => value === undefined)) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median, min: sorted[0], max: sorted.at(-1) }
}

/** The summaries of every figure in a list of results. */
export function summaries(results, figures) {
  return Object.fromEntries(figures.map((figure) => [figure, summary(results.map((result) => result[figure]))]))
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
