import { renameSync, rmSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import type { Log } from '../../log.ts'
import { makePrivate } from './files/private-file.ts'
import type { Count, CountsFile } from '../store.ts'
import { Database } from './connection/driver.ts'
import { codeOf, messageOf } from '../../failure.ts'

/**
 * Counts in an SQLite file of their own, so that storing them never waits for an animal. A commit is not waited for
 * until it is on disk: a power cut may cost some seconds of counts, a killed process none that were stored. A damaged
 * file is set aside, and the counts begin anew. Throws a sentence when there can be no such file.
 */
export function countsFile(file: string, log?: Log): CountsFile {
  try {
    return open(file)
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_CORRUPT') throw refusal(file, error)
    log?.error({ file, err: error }, 'quota counts are damaged and begin anew; the file is set aside')
  }
  try {
    renameSync(file, `${file}.damaged`)
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    return open(file)
  } catch (error) {
    throw refusal(file, error)
  }
}

function refusal(file: string, error: unknown): Error {
  return new Error(`The file of quota counts ${file} cannot be opened: ${messageOf(error)}. It may be deleted.`, {
    cause: error,
  })
}

function open(file: string): CountsFile {
  makePrivate(file)
  const db = new Database(file, { timeout: 50 })
  try {
    return prepare(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function prepare(db: Sqlite.Database): CountsFile {
  db.pragma('journal_mode = WAL')
  // syncs when the log moves into the database alone, and so keeps it whole
  db.pragma('synchronous = NORMAL')
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') throw Object.assign(new Error(String(found)), { code: 'SQLITE_CORRUPT' })
  db.exec(
    `CREATE TABLE IF NOT EXISTS counts (
       name TEXT NOT NULL,
       caller TEXT NOT NULL,
       "window" INTEGER NOT NULL,
       count INTEGER NOT NULL,
       PRIMARY KEY (name, caller)
     ) STRICT, WITHOUT ROWID`,
  )
  const load = db.prepare<[string, number], Omit<Count, 'window'>>(
    'SELECT caller, count FROM counts WHERE name = ? AND "window" = ? AND count > 0',
  )
  const forget = db.prepare<[string, number]>('DELETE FROM counts WHERE name = ? AND "window" <> ?')
  const upsert = db.prepare<[string, string, number, number]>(
    `INSERT INTO counts (name, caller, "window", count) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET "window" = excluded."window", count = excluded.count`,
  )
  const latest = new Map<string, number>()
  const save = db.transaction((name: string, counts: readonly Count[]) => {
    const window = counts[0]?.window ?? 0
    if (latest.get(name) !== window) forget.run(name, window)
    latest.set(name, window)
    for (const { caller, window, count } of counts) upsert.run(name, caller, window, count)
  })
  return {
    load: (name, window) => {
      forget.run(name, window)
      return load.all(name, window)
    },
    save: (name, counts) => {
      if (counts.length > 0) save.immediate(name, counts)
    },
    close: () => void db.close(),
  }
}
