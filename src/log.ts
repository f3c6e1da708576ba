import { destination, pino, type Logger } from 'pino'
import type { Config } from './config.ts'

export type Log = Logger

/** Log text that may wait for a reader of standard output, in bytes; over it lines are dropped, and memory is kept. */
const maxWaiting = 8 * 1024 * 1024

/** One JSON line per event on standard output. Nothing that a request brought along is logged but its id. */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>): Log {
  // not in step with the requests: a reader that is slow or gone must not hold them up
  return pino(
    { level: logLevel, base: { pid: process.pid } },
    destination({ dest: 1, sync: false, maxLength: maxWaiting }),
  )
}
