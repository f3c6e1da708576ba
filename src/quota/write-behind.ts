import type { Log } from '../log.ts'
import type { CountsFile } from '../store/store.ts'
import type { EmbeddedStore } from './embedded-store.ts'
import { dayMs, minuteMs } from './outcome.ts'

/** How often changed counts are stored, in ms: what a killed process may forget. */
const everyMs = 1000
const lengths = { minute: minuteMs, day: dayMs }

/**
 * Fills counters with what was stored for the windows that `now` lies in, and stores their changes while they count.
 * A window other than the current one is not read: the clock may have stepped since. `close` stores the rest.
 */
export function writeBehind(
  file: CountsFile,
  counters: Record<'minute' | 'day', EmbeddedStore>,
  log: Log,
  now: number,
): { close: () => void } {
  for (const name of ['minute', 'day'] as const) {
    const window = Math.floor(now / lengths[name])
    for (const { caller, count } of file.load(name, window)) counters[name].set(`${window}:${caller}`, count)
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
