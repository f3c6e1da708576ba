import { destination, pino, type Logger } from 'pino'
import type { Config } from './config.ts'

export type Log = Logger

/** One JSON line per event on standard output. Nothing that a request brought along is logged but its id. */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>): Log {
  return pino({ level: logLevel, base: { pid: process.pid } }, destination({ dest: 1, sync: true }))
}
