/*
 * npm run store:copy -- FROM TO    copies a store, as from sqlite:data/animal-store.db to postgres://…, or back
 *
 * FROM and TO are written as DATABASE_URL is. FROM is only read, and TO is made when it is not there. Ids stay, and so does what the next id is.
 * Stop the services on both stores before. What TO has already is left as it is, so that a copy that was interrupted goes
 * on, and one that is made again changes nothing. A TO that has anything which FROM has not is refused untouched.
 * Exit code 0: both hold the same, which was read again and compared.
 */
import { existsSync, realpathSync } from 'node:fs'
import { readDatabaseUrl, type Config } from '../src/config.ts'
import { copyStore } from '../src/store/copy.ts'
import { openArchive } from '../src/store/open.ts'
import { command, runCommand } from './command-line/command.ts'
import { progressBar } from './command-line/progress-bar.ts'

type DatabaseConfig = Config['database']

const program = command('store:copy', 'Copy a store to another one, with ids, keys, bans and remembered requests', [
  'sqlite:data/animal-store.db postgres://animals:PASSWORD@db.example.com/animals',
])
  .argument('<from>', 'the store to copy, written as DATABASE_URL is')
  .argument('<to>', 'the store to copy to, which is made when it is not there')
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
    try {
      const copied = await copyStore(source, target, bar.update)
      bar.stop()
      for (const { table, rows, added, checksum } of copied) {
        console.log(`${table}: ${rows} rows, ${added} of them copied now, checksum ${checksum}`)
      }
    } finally {
      bar.stop()
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** The same for two names of one store. */
function placeOf(database: DatabaseConfig): string {
  if (database.engine === 'sqlite') return existsSync(database.file) ? realpathSync(database.file) : database.file
  const { hostname, port, pathname, searchParams } = new URL(database.url)
  return `${searchParams.get('host') ?? hostname}:${port || '5432'}${pathname}`
}
