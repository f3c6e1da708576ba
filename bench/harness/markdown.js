import { costOf, rowOf } from './statistics.js'

export function table(head, rows) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** The contestants that have these values in one table. */
export function comparison(contestants, rows, values) {
  const own = rowOf(rows, { ...values, contestant: 'ours' })
  const compared = contestants.flatMap(({ name, title }) => {
    const row = rowOf(rows, { ...values, contestant: name })
    return row ? [[title, ratio(own, row), ...figures(row)]] : []
  })
  return table(['', 'Ratio', ...figureNames], compared)
}

/** How many times as much as this service another takes for a request. */
export function ratio(own, other) {
  return own && other ? (costOf(other) / costOf(own)).toFixed(2) : '–'
}

export const figureNames = ['CPU, µs per request', 'Requests/s', 'p50, ms', 'p99, ms', 'Load busy']

export function figures({ cpuUs, perSecond, p50Ms, p99Ms, loadBusy }) {
  return [cost(cpuUs, 1), rate(perSecond), cost(p50Ms, 2), cost(p99Ms, 2), busy(loadBusy)]
}

/** Of the quietest round, which is the fastest, and the median. */
export function rate(summary) {
  return summary ? `${summary.max.toFixed(0)} (${summary.median.toFixed(0)})` : '–'
}

/** Of the quietest round, which is the cheapest, and the median. */
export function cost(summary, digits) {
  return summary ? `${summary.min.toFixed(digits)} (${summary.median.toFixed(digits)})` : '–'
}

export function median(summary, digits) {
  return summary ? summary.median.toFixed(digits) : '–'
}

export function spread(summary, digits) {
  if (!summary) return '–'
  const [median, min, max] = [summary.median, summary.min, summary.max].map((value) => value.toFixed(digits))
  return `${median} (${min}–${max})`
}

/** The share of its core that the load took; near all of it, the load and not the server is what the row measures. */
function busy({ median }) {
  return `${(median * 100).toFixed(0)} %${median > 0.9 ? ', too much' : ''}`
}

export function list(items) {
  return items.length === 0 ? 'nothing' : items.join('; ')
}
