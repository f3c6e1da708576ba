/*
 * npm run store:copy -- FROM TO    copies a store, for example sqlite:data/animal-store.db to postgres://…, or back
 *
 * FROM and TO have the form of DATABASE_URL. FROM is only read. TO is created if it does not exist. All ids stay the
 * same, and so does the next id. Stop the services on both stores first. Rows that TO already has are not changed: an
 * interrupted copy continues, and a repeated one changes nothing. A TO with rows that FROM does not have is refused and
 * not changed. Exit codes: 0 both stores were read again and are equal, 1 they are not, 2 wrong use.
 */
import { existsSync, realpathSync } from 'node:fs'
import type { Config } from '../src/config/config.ts'
import { readDatabaseUrl } from '../src/config/database.ts'
import { nameOf } from '../src/config/postgres-url.ts'
import { copyStore } from '../src/store/copy.ts'
import { openArchive } from '../src/store/open.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { thisPackage } from '../src/package.ts'
import { progressBar } from './command-line/progress-bar.ts'
import { counted, duration } from './command-line/wording.ts'

type DatabaseConfig = Config['database']

const program = command('store:copy', 'Copy a store to another one: animals, API keys, bans and idempotency keys', [
  `sqlite:data/${thisPackage.command}.db postgres://animals:PASSWORD@db.example.com/animals`,
])
  .argument('<from>', 'the store to read, in the form of DATABASE_URL')
  .argument('<to>', 'the store to write, in the form of DATABASE_URL; it is created if it does not exist')
  .action((from: string, to: string) => copy(read('FROM', from), read('TO', to)))

await runCommand(program)

function read(name: string, text: string): DatabaseConfig {
  const database = text === '' ? 'must be given' : readDatabaseUrl(text)
  if (typeof database === 'string') throw new Error(`${name} ${database}.`)
  return database
}

async function copy(from: DatabaseConfig, to: DatabaseConfig): Promise<void> {
  if (from.engine === 'sqlite' && !existsSync(from.file)) throw new Error(`FROM is not there: ${from.file}.`)
  if (placeOf(from) === placeOf(to)) throw new Error('FROM and TO are the same store.')
  const source = await openArchive(from, 'source')
  try {
    const target = await openArchive(to, 'target')
    const bar = progressBar(process.stderr)
    const startedAt = performance.now()
    try {
      const copied = await copyStore(source, target, bar.update)
      bar.stop()
      for (const { table, rows, added, checksum } of copied) {
        await print(`${table}: ${counted(rows, 'row')}, ${added} of them copied now, checksum ${checksum}`)
      }
      await print(`Both stores are equal: read and compared in ${duration(performance.now() - startedAt)}.`)
    } finally {
      bar.stop()
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Equal for two names of the same store. */
function placeOf(database: DatabaseConfig): string {
  if (database.engine === 'sqlite') return existsSync(database.file) ? realpathSync(database.file) : database.file
  return nameOf(database.url)
}
