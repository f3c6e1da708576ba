/*
 * npm run store:copy -- FROM TO    copies a store, as from sqlite:data/animal-store.db to postgres://…, or back
 *
 * FROM and TO are written as DATABASE_URL is. TO is made when it is not there. Ids stay, and so does what the next id is.
 * Stop the services on both stores before. What TO has already is left as it is, so that a copy that was interrupted goes
 * on, and one that is made again changes nothing. A TO that has anything which FROM has not is refused untouched.
 * Exit code 0: both hold the same, which was read again and compared.
 */
import { existsSync, realpathSync } from 'node:fs'
import { SingleBar } from 'cli-progress'
import { readDatabaseUrl, type Config } from '../src/config.ts'
import { copyStore } from '../src/store/copy.ts'
import { openArchive } from '../src/store/open.ts'

type Database = Config['database']

try {
  const [from, to, ...others] = process.argv.slice(2)
  if (from === undefined || to === undefined || others.length > 0) {
    throw new Error('Say from where and to where: npm run store:copy -- FROM TO')
  }
  await copy(read('FROM', from), read('TO', to))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function read(name: string, text: string): Database {
  const database = text === '' ? 'must be given' : readDatabaseUrl(text)
  if (typeof database === 'string') throw new Error(`${name} ${database}.`)
  return database
}

async function copy(from: Database, to: Database): Promise<void> {
  if (from.engine === 'sqlite' && !existsSync(from.file)) throw new Error(`FROM is not there: ${from.file}.`)
  if (placeOf(from) === placeOf(to)) throw new Error('FROM and TO are the same store.')
  const source = await openArchive(from)
  try {
    const target = await openArchive(to)
    const bar = new SingleBar({ format: '{bar} {percentage}% {step}', hideCursor: true, clearOnComplete: true })
    try {
      const isTerminal = process.stderr.isTTY
      const copied = await copyStore(source, target, ({ done, of, step }) => {
        if (!isTerminal) return
        if (bar.isActive) bar.update(Math.min(done, of), { step })
        else bar.start(of, done, { step })
      })
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
function placeOf(database: Database): string {
  if (database.engine === 'sqlite') return existsSync(database.file) ? realpathSync(database.file) : database.file
  const { hostname, port, pathname, searchParams } = new URL(database.url)
  return `${searchParams.get('host') ?? hostname}:${port || '5432'}${pathname}`
}
