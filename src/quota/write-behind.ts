import type { Log } from '../log/log.ts'
import type { CountsFile } from '../store/store.ts'
import { dayMs, minuteMs } from './outcome.ts'
import type { WindowCounts } from './window-counts.ts'

/** How often changed counts are stored, in ms. A killed process loses at most this much. */
const everyMs = 1000
const lengths = { minute: minuteMs, day: dayMs }

/**
 * Loads the stored counts of the current windows into the counters, and stores changes every second. Stored counts of
 * other windows are not loaded, since the clock may have stepped. `close` stores the remaining changes.
 */
export function writeBehind(
  file: CountsFile,
  counters: Record<'minute' | 'day', WindowCounts>,
  log: Log,
  now: number,
): { close: () => void } {
  for (const name of ['minute', 'day'] as const) {
    const window = Math.floor(now / lengths[name])
    try {
      for (const { caller, count } of file.load(name, window)) counters[name].set(window, caller, count)
    } catch (err) {
      log.error({ err }, 'quota counts not loaded; they begin anew')
    }
    counters[name].takeChanges()
  }
  let failing = false
  const store = (): void => {
    let fault: unknown
    for (const name of ['minute', 'day'] as const) {
      const changes = counters[name].takeChanges()
      try {
        file.save(name, changes)
      } catch (error) {
        counters[name].keepChanges(changes)
        fault = error
      }
    }
    if (fault !== undefined && !failing) log.error({ err: fault }, 'quota counts not stored')
    failing = fault !== undefined
  }
  const timer = setInterval(store, everyMs).unref()
  return {
    close: () => {
      clearInterval(timer)
      store()
      file.close()
    },
  }
}
