/*
 * npm run -s backup -- FILE [--force] [--json]
 *
 * Copies the store that DATABASE_URL names to FILE, also while servers use it. Exit codes: 0 the backup is complete and
 * verified, 1 there is no backup, 2 wrong use.
 */
import { InvalidArgumentError } from 'commander'
import { backUp, countedTables, sizeText, type Backup } from '../src/store/sqlite/backup.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { thisPackage } from '../src/package.ts'
import { environment } from './command-line/environment.ts'
import { progressBar } from './command-line/progress-bar.ts'
import { counted, duration, listed } from './command-line/wording.ts'
import { messageOf } from '../src/failure.ts'

const program = command('backup', 'Copy the store to a file, also while servers use it', [
  `/var/backups/${thisPackage.command}.db`,
  '--force nightly.db',
])
  .argument('<file>', 'the file to write, which must not exist without --force', named)
  .option('--force', 'replace an existing backup')
  .option('--json', 'print JSON')
  .action(backup)

await runCommand(program)

function named(file: string): string {
  if (file === '-') {
    throw new InvalidArgumentError(
      'The backup is read again once it is written, and so cannot go to standard output. Name a file; ./- is one of that name.',
    )
  }
  if (file !== '') return file
  throw new InvalidArgumentError('It must be the name of a file.')
}

async function backup(file: string, { force = false, json }: { force?: boolean; json?: boolean }): Promise<void> {
  const { database } = environment()
  if (database.engine === 'postgres') {
    throw new Error(
      'The store is on PostgreSQL, which has a backup command of its own:\n\n' +
        `  pg_dump --format=custom --file='${file.replaceAll("'", String.raw`'\''`)}' "$DATABASE_URL"`,
    )
  }
  const interrupted = new AbortController()
  const interrupt = (): void => {
    interrupted.abort(new Error('it was interrupted'))
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const bar = progressBar(process.stderr)
  const startedAt = performance.now()
  try {
    const written = await backUp(database.file, file, { force, signal: interrupted.signal, onProgress: bar.update })
    bar.stop()
    const told = sentence(file, written, performance.now() - startedAt)
    await print(json ? JSON.stringify({ file, ...written }) : told).catch((error: unknown) => {
      // the backup exists nevertheless
      console.error(`${messageOf(error)} ${told}`)
    })
  } finally {
    bar.stop()
  }
}

function sentence(file: string, backup: Backup, ms: number): string {
  const tables = Object.entries(countedTables) as [keyof typeof countedTables, { called: string }][]
  const rows = tables.map(([name, { called }]) => counted(backup[name], called.replace(/s$/, ''), called))
  return `${file} holds ${listed(rows)}, and is verified: ${sizeText(backup.bytes)} in ${duration(ms)}.`
}
