import type Sqlite from 'better-sqlite3'
import { oldestTable, refuseTooNew, selectOldest } from '../../schema.ts'

/** The version of the schema. Refuses one that a program which knows only `known` may not run on. */
export function usableVersion(db: Sqlite.Database, known: number): number {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > known) refuseTooNew(version, known, oldestOf(db, version))
  return version
}

function oldestOf(db: Sqlite.Database, version: number): number | undefined {
  const isThere = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(oldestTable)
  if (isThere === undefined) return undefined
  const row = db.prepare<[number], { oldest: number | bigint }>(selectOldest('?')).get(version)
  return row === undefined ? undefined : Number(row.oldest)
}
