/** Median, quartiles and spread of values; undefined when one of them is none, as a ratio to 0. */
export function summary(values) {
  if (values.length === 0 || !values.every(Number.isFinite)) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => rounded(quantile(sorted, share)))
  return { median, q1, q3, min: rounded(sorted[0]), max: rounded(sorted.at(-1)) }
}

/** The summaries of every number in a list of results. */
export function summaries(results) {
  const figures = Object.keys(results[0]).filter((figure) => typeof results[0][figure] === 'number')
  return Object.fromEntries(figures.map((figure) => [figure, summary(results.map((result) => result[figure]))]))
}

/**
 * How many times as much as in `bases` each number is in `results`, both of the same rounds in the same order: the
 * summaries of the ratios within the rounds.
 */
export function ratios(results, bases) {
  const figures = Object.keys(results[0]).filter((figure) => typeof results[0][figure] === 'number')
  return Object.fromEntries(
    figures.map((figure) => [figure, summary(results.map((result, round) => result[figure] / bases[round][figure]))]),
  )
}

/** The row that has these values. */
export function rowOf(rows, values) {
  return rows.find((row) => Object.entries(values).every(([name, value]) => row[name] === value))
}

/**
 * What a request costs in the median round, in µs of CPU time, or of time where that is not known. For sizing: rows are
 * compared by their ratios.
 */
export function costOf({ costUs }) {
  return costUs.median
}

/** How many times as much a request costs as in the row that it is compared with. */
export function timesOf({ times }) {
  return times.costUs
}

/** The distance of the quartiles as a part of the median. */
export function spreadOf({ median, q1, q3 }) {
  return (q3 - q1) / median
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

function quantile(sorted, share) {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  return below + (sorted[Math.ceil(at)] - below) * (at % 1)
}

function rounded(value) {
  return Number(value.toPrecision(5))
}
