import { destination, pino, symbols, type DestinationStream, type Logger } from 'pino'
import type { Config } from './config.ts'
import { loggable } from './failure.ts'

export type Log = Logger

/** Log text that may wait for a reader of standard output, in bytes; over it lines are dropped, and memory is kept. */
const maxWaiting = 8 * 1024 * 1024
/**
 * Bytes that a pipe takes as one from each of several processes (PIPE_BUF of Linux), so that no line is torn by another's.
 */
const maxSharedWrite = 4096
/** How long the end of the process may wait for a reader of standard output, in ms. */
const endingMs = 500

/**
 * One JSON line per event on standard output. Nothing that a request brought along is logged but its id. A standard
 * output that is closed, full or not read costs lines, and nothing else.
 */
export function openLog({ logLevel, workers }: Pick<Config, 'logLevel' | 'workers'>): Log {
  // a pipe is made non-blocking by this: a write that waits for its reader would hold a thread, and the exit with it
  process.stdout.on('error', () => undefined)
  // not in step with the requests: a reader that is slow or gone must not hold them up
  const shared = workers > 1 ? { maxWrite: maxSharedWrite } : {}
  const output = destination({ dest: 1, sync: false, maxLength: maxWaiting, ...shared })
  output.on('error', () => undefined)
  // pino calls it at the exit, and it tries for ever where it cannot write
  output.flushSync = () => undefined
  return pino({ level: logLevel, base: { pid: process.pid }, serializers: { err: loggable } }, output)
}

/** Waits until what was logged is written, or the reader has had its time. Afterwards nothing may be logged. */
export async function endLog(log: Log): Promise<void> {
  const output = (log as Logger & Record<symbol, DestinationStream>)[symbols.streamSym] as ReturnType<
    typeof destination
  >
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, endingMs)
    output.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    output.end()
  })
}
