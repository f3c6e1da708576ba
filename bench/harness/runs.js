import { summary } from './statistics.js'

/** Runs whose ratios differ by more than this part of the median do not agree, and the ratio is not published. */
const most = 0.05

/**
 * What several runs of a section say together: of each figure the median of what the runs say, and of each ratio also
 * `runs`, that of each run, and whether they agree. What has no rounds is that of the last run.
 */
export function together(runs) {
  const last = runs.at(-1)
  if (!last.rows?.[0]?.times) return last
  return {
    ...last,
    rows: last.rows.map((row, index) => {
      const all = runs.map(({ rows }) => rows[index])
      return { ...row, ...figuresOf(all), times: timesOf(all.map(({ times }) => times)) }
    }),
  }
}

function figuresOf(rows) {
  const names = Object.keys(rows[0]).filter((name) => rows[0][name]?.median !== undefined)
  return Object.fromEntries(names.map((name) => [name, medians(rows.map((row) => row[name]))]))
}

function timesOf(all) {
  return Object.fromEntries(
    Object.keys(all[0]).map((name) => {
      const runs = all.map((times) => times[name]?.median)
      const of = summary(runs)
      return [
        name,
        of && { ...medians(all.map((times) => times[name])), runs, agree: of.max - of.min <= most * of.median },
      ]
    }),
  )
}

/** The medians of the parts of summaries. */
function medians(summaries) {
  return Object.fromEntries(
    Object.keys(summaries[0]).map((part) => [part, summary(summaries.map((one) => one[part])).median]),
  )
}
