/** Median and spread of values; undefined when one of them is. */
export function summary(values) {
  if (values.length === 0 || values.some((value) => value === undefined)) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median: rounded(median), min: rounded(sorted[0]), max: rounded(sorted.at(-1)) }
}

/** The summaries of every number in a list of results. */
export function summaries(results) {
  const figures = Object.keys(results[0]).filter((figure) => typeof results[0][figure] === 'number')
  return Object.fromEntries(figures.map((figure) => [figure, summary(results.map((result) => result[figure]))]))
}

/** The row that has these values. */
export function rowOf(rows, values) {
  return rows.find((row) => Object.entries(values).every(([name, value]) => row[name] === value))
}

/** What a request costs in the quietest round, in µs: CPU time where it is known, since that is disturbed least. */
export function costOf({ cpuUs, perSecond }) {
  return cpuUs?.min ?? 1e6 / perSecond.max
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

function rounded(value) {
  return Number(value.toPrecision(5))
}
