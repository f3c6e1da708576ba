/*
 * npm run migrate    brings the schema of the store that DATABASE_URL names up to date, and tells from where to where
 *
 * The service does the same when it starts. This is for doing it before, or with a role that may change the schema where
 * the service's own may not. Exit code not 0 when the schema is not up to date afterwards.
 */
import { readConfig } from '../src/config.ts'
import { migrateStore } from '../src/store/open.ts'
import { command, runCommand } from './command-line/command.ts'

await runCommand(command('migrate', 'Bring the schema of the store up to date', ['']).action(migrate))

async function migrate(): Promise<void> {
  const { from, to } = await migrateStore(readConfig(process.env))
  console.log(
    from === to ? `The schema has version ${to}, the newest.` : `The schema went from version ${from} to ${to}.`,
  )
}
