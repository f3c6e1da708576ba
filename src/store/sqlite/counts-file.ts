import { renameSync, rmSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import type { Log } from '../../log/log.ts'
import { makePrivate } from './files/private-file.ts'
import type { Count, CountsFile } from '../store.ts'
import { Database } from './connection/driver.ts'
import { codeOf } from '../../failure.ts'

/** What says nothing about the file itself, which then stays where it is. */
const passing = /^(SQLITE_(BUSY|LOCKED|PROTOCOL|FULL|NOMEM|IOERR(?!_SHORT_READ))|ENOSPC|EDQUOT|EMFILE|ENFILE|EROFS)/

/**
 * Counts in an SQLite file of their own, so that storing them never waits for an animal. A commit is not waited for
 * until it is on disk: a power cut may cost some seconds of counts, a killed process none that were stored. Whatever is
 * no file of counts is set aside as `FILE.damaged`, and the counts begin anew. Undefined when there can be no such file.
 */
export function countsFile(file: string, log?: Log): CountsFile | undefined {
  const aside = `${file}.damaged`
  try {
    try {
      return open(file)
    } catch (err) {
      if (passing.test(codeOf(err))) throw err
      renameSync(file, aside)
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
      const counts = open(file)
      log?.error({ file, aside, err }, 'quota counts are damaged and begin anew; the file is set aside')
      return counts
    }
  } catch (err) {
    log?.error({ file, err }, 'quota counts are kept in memory alone, and begin anew at the next start')
    return undefined
  }
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
  const [shape] = db
    .prepare<[], string>(
      `SELECT group_concat(name || pk, ' ') || ' ' || (SELECT strict FROM pragma_table_list('counts'))
       FROM pragma_table_info('counts')`,
    )
    .pluck()
    .all()
  if (shape !== 'name1 caller2 window0 count0 1') throw new Error('The table has another shape.')
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
  let locked: Error | undefined
  return {
    load: (name, window) => load.all(name, window),
    save: (name, counts) => {
      // each further try would take 10 s
      if (locked !== undefined) throw locked
      try {
        if (counts.length > 0) save.immediate(name, counts)
      } catch (error) {
        if (codeOf(error) === 'SQLITE_PROTOCOL') locked = error as Error
        throw error
      }
    },
    close: () => void db.close(),
  }
}
