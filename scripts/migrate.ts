/*
 * npm run migrate    updates the schema of the store that DATABASE_URL names, and prints the versions before and after
 *
 * The service does the same at its start. Use this to do it earlier, or with a role that may change the schema when the
 * role of the service may not. Exit codes: 0 the schema is up to date, 1 it is not, 2 wrong use.
 */
import { migrateStore } from '../src/store/open.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { environment } from './command-line/environment.ts'
import { duration } from './command-line/wording.ts'

await runCommand(command('migrate', 'Update the schema of the store to the newest version', ['']).action(migrate))

async function migrate(): Promise<void> {
  const startedAt = performance.now()
  const { from, to } = await migrateStore(environment())
  const took = duration(performance.now() - startedAt)
  await print(
    from === to
      ? `The schema has version ${to}, the newest.`
      : `The schema went from version ${from} to ${to} in ${took}.`,
  )
}
