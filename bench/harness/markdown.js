import { rowOf, timesOf } from './statistics.js'

export function table(head, rows) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** The contestants that have these values in one table. */
export function comparison(contestants, rows, values) {
  const compared = contestants.flatMap(({ name, title }) => {
    const row = rowOf(rows, { ...values, contestant: name })
    return row ? [[title, ratio(row), ...figures(row)]] : []
  })
  return table(['', 'Ratio', ...figureNames], compared)
}

/** How many times as much a request costs as in the row that it is compared with: the median, and the quartiles. */
export function ratio(row) {
  if (!row) return '–'
  const { median, q1, q3, runs, agree } = timesOf(row)
  if (q1 === q3) return median.toFixed(2)
  const quartiles = `${q1.toFixed(2)}–${q3.toFixed(2)}`
  if (!agree) return `runs differ: ${runs.map((run) => run.toFixed(2)).join(', ')}`
  return `${median.toFixed(2)} (${quartiles})`
}

/** The median of the runs where they agree, and the least and the greatest where not. */
export function ratioOrRange(row) {
  const { median, runs, agree } = timesOf(row)
  if (agree) return median.toFixed(2)
  return [Math.min(...runs), Math.max(...runs)].map((run) => run.toFixed(2)).join(' to ')
}

/** The ratio of each run. */
export function ratioRuns(row) {
  return row
    ? timesOf(row)
        .runs.map((run) => run.toFixed(2))
        .join(', ')
    : '–'
}

export const figureNames = ['CPU, µs per request', 'Requests/s', 'p50, ms', 'p99, ms', 'Load busy']

export function figures({ cpuUs, perSecond, p50Ms, p99Ms, loadBusy }) {
  return [median(cpuUs, 1), median(perSecond, 0), median(p50Ms, 2), median(p99Ms, 2), busy(loadBusy)]
}

export function median(summary, digits) {
  return summary ? summary.median.toFixed(digits) : '–'
}

export function spread(summary, digits) {
  if (!summary) return '–'
  const [median, min, max] = [summary.median, summary.min, summary.max].map((value) => value.toFixed(digits))
  return `${median} (${min}–${max})`
}

/** A share, with a tenth of a percent. */
export function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}

/** The share of its core that the load took; near all of it, the load and not the server is what the row measures. */
function busy({ median }) {
  return `${(median * 100).toFixed(0)} %${median > 0.9 ? ', too much' : ''}`
}

export function list(items) {
  return items.length === 0 ? 'nothing' : items.join('; ')
}
