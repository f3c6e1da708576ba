/*
 * npm run -s restore -- FILE
 *
 * Puts a backup where DATABASE_URL names a store, and replaces nothing. Exit codes: 0 the backup is restored and verified,
 * 1 it is not, 2 wrong use.
 */
import { resolve } from 'node:path'
import { countedTables, sizeText } from '../src/store/sqlite/backup.ts'
import { restore } from '../src/store/sqlite/restore.ts'
import { callOf, command, print, runCommand } from './command-line/command.ts'
import { thisPackage } from '../src/package.ts'
import { environment } from './command-line/environment.ts'
import { counted, listed } from './command-line/wording.ts'

const program = command('restore', 'Make the store from a backup', [`/var/backups/${thisPackage.command}.db`])
  .argument('<file>', 'the backup')
  .action(run)

await runCommand(program)

async function run(file: string): Promise<void> {
  const { database } = environment()
  if (database.engine === 'postgres') {
    throw new Error(
      'The store is on PostgreSQL, which has a command of its own for this, into a new empty database:\n\n' +
        `  pg_restore --exit-on-error --single-transaction --no-owner --dbname="$DATABASE_URL" '${file.replaceAll("'", String.raw`'\''`)}'`,
    )
  }
  const restored = restore(file, database.file)
  const tables = Object.entries(countedTables) as [keyof typeof countedTables, { called: string }][]
  const rows = tables.map(([name, { called }]) => counted(restored[name], called.replace(/s$/, ''), called))
  await print(
    `${resolve(database.file)} holds ${listed(rows)}, and is verified: ${sizeText(restored.bytes)} from ${file}.\n` +
      'Start the service now. What was added after the backup is gone, and its ids are given again. ' +
      'Keys that were made after it are unknown, and keys that were revoked after it are valid: see them with ' +
      `${callOf('keys')} list`,
  )
}
