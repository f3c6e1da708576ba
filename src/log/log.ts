import { destination, pino, type Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { loggable } from '../failure.ts'
import { readableLine } from './log-lines.ts'

export type Log = Logger

/** Where a log goes. */
interface Output {
  stream: ReturnType<typeof destination>
  readable: boolean
}

const outputs = new WeakMap<Log, Output>()

/** The most log text that is buffered for standard output, in bytes; beyond it lines are dropped. */
const maxWaiting = 8 * 1024 * 1024
/** The largest write that a pipe takes as a whole (PIPE_BUF of Linux), so that lines of several processes do not mix. */
const maxSharedWrite = 4096
/** How long the end of the process waits until the log is written, in ms. */
const endingMs = 500

/**
 * Writes one line per event to standard output: text for people on a terminal, otherwise JSON, unless `logFormat` says
 * which. Of the content of a request JSON has only its id, and text its path. When standard output is closed, full or
 * not read, lines are lost and the service goes on.
 */
export function openLog({ logLevel, logFormat, workers }: Pick<Config, 'logLevel' | 'logFormat' | 'workers'>): Log {
  const readable = logFormat === 'pretty' || (logFormat === undefined && isTerminal())
  // this makes a pipe non-blocking; a blocked write would hold a thread, and with it the exit
  process.stdout.on('error', () => undefined)
  // asynchronous, so that a slow reader does not delay requests
  const shared = workers > 1 || readable ? { maxWrite: maxSharedWrite } : {}
  const stream = destination({ dest: 1, sync: false, maxLength: maxWaiting, ...shared })
  stream.on('error', () => undefined)
  // pino calls it at the exit, where it would retry for ever if it cannot write
  stream.flushSync = () => undefined
  const written = readable ? { write: (line: string) => stream.write(readableLine(line)) } : stream
  const log = pino({ level: logLevel, base: { pid: process.pid }, serializers: { err: loggable } }, written)
  outputs.set(log, { stream, readable })
  return log
}

/** Whether standard output is a terminal. */
export function isTerminal(): boolean {
  return process.stdout.isTTY
}

/** Whether the lines of a log are text for people. */
export function isReadable(log: Log): boolean {
  return outputs.get(log)?.readable === true
}

/** Writes a text for people to standard output, behind the lines of the log. */
export function print(log: Log, text: string): void {
  outputs.get(log)?.stream.write(`${text}\n`)
}

/** Waits until the log is written, at most `endingMs`. Nothing may be logged afterwards. */
export async function endLog(log: Log): Promise<void> {
  const stream = outputs.get(log)?.stream
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, endingMs)
    stream?.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    stream?.end()
  })
}
