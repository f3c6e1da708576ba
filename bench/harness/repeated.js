import { percent } from './markdown.js'
import { bounds } from './quiet.js'

/**
 * Measures a section as often as `runs` says, and one without rounds once: gives its runs, or undefined if it cannot be
 * measured here. Tells when the machine was not quiet meanwhile. A run that is to be written is then repeated, but not for
 * ever: gives none when too few were quiet.
 */
export async function repeated(name, { runs, writes, tell, measure }) {
  const all = []
  const most = writes ? 2 * runs : runs
  for (let run = 1; run <= most && all.length < runs; run++) {
    const where = `${name}${run > 1 ? `, run ${run}` : ''}`
    tell(where)
    const one = await measure((message) => tell(`${where}: ${message}`))
    if (!one?.quiet) return one && [one]
    if (!one.quiet.isQuiet) tell(`${where}: ${disturbance(one.quiet)}`)
    if (one.quiet.isQuiet || !writes) all.push(one)
  }
  return all.length < runs ? [] : all
}

function disturbance({ spread, others }) {
  return (
    `the machine was not quiet: a loop that only computes varied by ${percent(spread)} ` +
    `(at most ${percent(bounds.spread)}), and other programs took ${percent(others ?? 0)} of the cores ` +
    `(at most ${percent(bounds.others)})`
  )
}
