import { destination, pino, symbols, type DestinationStream, type Logger } from 'pino'
import type { Config } from './config.ts'
import { loggable } from './failure.ts'

export type Log = Logger

/** The most log text that is buffered for standard output, in bytes; beyond it lines are dropped. */
const maxWaiting = 8 * 1024 * 1024
/** The largest write that a pipe takes as a whole (PIPE_BUF of Linux), so that lines of several processes do not mix. */
const maxSharedWrite = 4096
/** How long the end of the process waits until the log is written, in ms. */
const endingMs = 500

/**
 * Writes one JSON line per event to standard output. Of the content of a request only its id is logged. When standard
 * output is closed, full or not read, lines are lost and the service goes on.
 */
export function openLog({ logLevel, workers }: Pick<Config, 'logLevel' | 'workers'>): Log {
  // this makes a pipe non-blocking; a blocked write would hold a thread, and with it the exit
  process.stdout.on('error', () => undefined)
  // asynchronous, so that a slow reader does not delay requests
  const shared = workers > 1 ? { maxWrite: maxSharedWrite } : {}
  const output = destination({ dest: 1, sync: false, maxLength: maxWaiting, ...shared })
  output.on('error', () => undefined)
  // pino calls it at the exit, where it would retry for ever if it cannot write
  output.flushSync = () => undefined
  return pino({ level: logLevel, base: { pid: process.pid }, serializers: { err: loggable } }, output)
}

/** Waits until the log is written, at most `endingMs`. Nothing may be logged afterwards. */
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
