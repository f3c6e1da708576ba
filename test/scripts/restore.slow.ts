import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { expect, jest, test } from '@jest/globals'
import { newFilesAlone, run, serve, testFolder, type Finished } from '../support/process.ts'

// every run is a process of its own
jest.setTimeout(240_000)

const folder = testFolder()
const newFile = newFilesAlone(folder)

function restore(file: string, store: string): Promise<Finished> {
  return run(['scripts/restore.ts', file], { DATABASE_URL: `sqlite:${store}` })
}

async function backedUp(): Promise<{ store: string; backup: string }> {
  const [store, backup] = [newFile(), `${folder}/backup.db`]
  const env = { DATABASE_URL: `sqlite:${store}` }
  await run(['scripts/keys.ts', 'create', '--plan', 'free', '--label', 'kept'], env)
  expect(await run(['scripts/backup.ts', '--force', backup], env)).toMatchObject({ code: 0 })
  return { store, backup }
}

test('a backup comes back where the store was, verified and for its owner alone, and the service starts on it', async () => {
  const { backup } = await backedUp()
  const store = newFile()
  chmodSync(backup, 0o644)
  const { code, stdout, stderr } = await restore(backup, store)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(
    new RegExp(`^${store} holds 0 animals and 1 key, and is verified: [\\d.]+ kB from ${backup}\\.\n`),
  )
  expect(stdout).toContain('Start the service now. ')
  expect(stdout).toContain('see them with npm run -s keys -- list\n')
  expect(statSync(store).mode & 0o777).toBe(0o600)
  expect(readFileSync(store).equals(readFileSync(backup))).toBe(true)
  expect(readdirSync(store.replace(/\/x\.db$/, ''))).toEqual(['x.db'])
  const service = await serve({ DATABASE_URL: `sqlite:${store}`, NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' })
  expect(service.stdout()).not.toContain('there was no store')
  await service.stop()
  const { stdout: listed } = await run(['scripts/keys.ts', 'list'], { DATABASE_URL: `sqlite:${store}` })
  expect(listed).toMatch(/ kept$/m)
})

test('a store that is there is not replaced, and a process that uses it is named', async () => {
  const { store, backup } = await backedUp()
  const refused = await restore(backup, store)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    new RegExp(
      `^There is a store at ${store}, and a restore replaces nothing\\. Stop every service on it, and move these files ` +
        `away first: ${store}[^\n]*\\.\n$`,
    ),
  )
  const service = await serve({ DATABASE_URL: `sqlite:${store}`, SHUTDOWN_DELAY_MS: '0' })
  const { code, stderr } = await restore(backup, store)
  expect(code).toBe(1)
  const start = `The process ${service.child.pid} uses the store at ${store}. Stop it, and move these files away first: `
  expect(stderr.slice(0, start.length)).toBe(start)
  await service.stop()
  expect((await run(['scripts/keys.ts', 'list'], { DATABASE_URL: `sqlite:${store}` })).stdout).toMatch(/ kept$/m)
  // a log that stays would ruin what is restored beside it
  renameSync(store, `${store}.old`)
  writeFileSync(`${store}-wal`, 'x')
  expect((await restore(backup, store)).stderr).toContain(`away first: ${store}-wal`)
  expect(existsSync(store)).toBe(false)
})

test('what is no sound backup is refused with its reason, and leaves nothing', async () => {
  const { store: live, backup } = await backedUp()
  const [text, cut] = [`${folder}/text.db`, `${folder}/cut.db`]
  writeFileSync(text, 'no database'.repeat(1000))
  writeFileSync(cut, readFileSync(backup))
  truncateSync(cut, 8192)
  writeFileSync(`${live}-wal`, '')
  for (const [file, why] of [
    [`${folder}/nothing.db`, /^There is no backup at .*nothing\.db\.\n$/],
    [folder, /^There is no backup at /],
    [text, /^The backup .*text\.db is not restored: it is damaged, or no database; restore another one\.\n$/],
    [cut, /^The backup .*cut\.db is not restored: it is damaged/],
    [live, /^.*x\.db is no backup, but a store or what is left of one: .*-wal is there\.\n$/],
  ] as const) {
    const store = newFile()
    const { code, stdout, stderr } = await restore(file, store)
    expect({ file, code, stdout }).toEqual({ file, code: 1, stdout: '' })
    expect(stderr).toMatch(why)
    expect(readdirSync(store.replace(/\/x\.db$/, ''))).toEqual([])
  }
  const postgres = await run(['scripts/restore.ts', backup], { DATABASE_URL: 'postgres://db/animals' })
  expect(postgres.code).toBe(1)
  expect(postgres.stderr).toContain(`--dbname="$DATABASE_URL" '${backup}'`)
})
