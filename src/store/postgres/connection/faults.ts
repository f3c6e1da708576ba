import pg from 'pg'
import { StoreUnavailable, type Reason } from '../../unavailable.ts'
import { markUnconnected, neverConnected } from './client.ts'
import { statementMs } from './times.ts'

/**
 * SQLSTATE classes and codes of a server that cannot answer now, and may again once the cause is gone: lost connections,
 * refused log-ins, no database, read-only, no id left, deadlocks, no resources, locks, shutting down, a failing disk,
 * faults of the server itself, statements that it has forgotten, and tables and rights that are not those of the service.
 */
const passing = /^(08|28|3D000|3F000|25006|2200H|40|42|53|55000|55P03|57|58|XX|0A000|26000)/

/** What to do about some of them; of the others the server's own message is told. */
const sentences: Readonly<Record<string, string>> = {
  '25006': 'The PostgreSQL database is read-only. Make it writable.',
  '53100': 'The disk of PostgreSQL is full. Make room on it.',
  '55P03': 'The PostgreSQL database is locked by another process.',
  '57014': `PostgreSQL gave up after ${statementMs / 1000} s: another process holds a lock, or the server is too busy.`,
}

/** The reasons of a statement that got no connection. */
export const connectionReasons: ReadonlySet<Reason> = new Set(['no_connection', 'unreachable'])

/** By SQLSTATE class or code. */
const reasonsByCode: readonly (readonly [code: RegExp, reason: Reason])[] = [
  [/^(08|28|3D000|57P)/, 'unreachable'],
  [/^53300/, 'no_connection'],
  [/^53100/, 'disk_full'],
  [/^58/, 'disk_failing'],
  [/^(25006|42501)/, 'read_only'],
  [/^(40P01|55P03)/, 'locked'],
  [/^57014/, 'timeout'],
]

/** Why a statement failed, by what the driver threw. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error
    return reasonsByCode.find(([pattern]) => pattern.test(code))?.[1] ?? 'other'
  }
  const { message } = error as { message?: string }
  if (message === 'timeout exceeded when trying to connect') return 'no_connection'
  return message === 'Query read timeout' ? 'timeout' : 'unreachable'
}

/** Throws what the driver threw as an error of the store, without what must not be passed on. */
export function refuse(error: unknown): never {
  const cause = plain(error)
  const fragment = cause.message.replace(/\.$/, '')
  if (!(error instanceof pg.DatabaseError)) {
    throw new StoreUnavailable(`PostgreSQL does not answer: ${fragment}.`, cause, reasonOf(error))
  }
  const code = error.code ?? ''
  if (!passing.test(code)) throw cause
  throw new StoreUnavailable(sentences[code] ?? sentenceOf(code, fragment), cause, reasonOf(error))
}

function sentenceOf(code: string, fragment: string): string {
  if (code === '42501') return `PostgreSQL refuses the service a right that it needs: ${fragment}. Grant it.`
  if (/^(42|3F|0A|26)/.test(code)) {
    return `The tables of the PostgreSQL database are not as this service made them: ${fragment}. Put them back.`
  }
  return `PostgreSQL cannot answer now: ${fragment}.`
}

/** An error with its message, its code and the name of a constraint alone: the driver's own carry values of rows, or the connection with its password. */
export function plain(error: unknown): Error {
  const { message, code, constraint } = error as { message?: string; code?: string; constraint?: string }
  const told = Object.assign(
    new Error(message || String(code)),
    code === undefined ? {} : { code },
    constraint === undefined ? {} : { constraint },
  )
  return neverConnected(error) ? markUnconnected(told) : told
}

/** Whether a statement failed since its connection was lost while it ran or before: it may have run. */
export function isLost(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.reason === 'unreachable' && !neverConnected(error)
}
