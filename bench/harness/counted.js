import { sum } from './statistics.js'

/**
 * Runs loads at once, after a warm-up of the same kind, and gives what came of them together, with what each of the
 * programs behind the service was used for a request: `run(seconds)` gives a list of loads.
 */
export async function counted(programs, { warmUpS, durationS }, run) {
  await Promise.all(run(warmUpS))
  const watches = await Promise.all(programs.map((program) => program.watch()))
  const results = await Promise.all(run(durationS))
  const used = Object.assign({}, ...(await Promise.all(watches.map((watch) => watch()))))
  const answered = sum(results.map((result) => result.answered))
  const ofEach = (figure) => results.map((result) => result[figure])
  return {
    perSecond: sum(ofEach('perSecond')),
    cpuUs: sum(results.map((result) => result.cpuUs * result.answered)) / answered,
    costUs: sum(results.map((result) => result.costUs * result.answered)) / answered,
    p50Ms: Math.max(...ofEach('p50Ms')),
    p99Ms: Math.max(...ofEach('p99Ms')),
    loadBusy: sum(ofEach('loadBusy')),
    ...Object.fromEntries(Object.entries(used).map(([figure, value]) => [figure, value / answered])),
  }
}
