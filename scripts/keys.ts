/*
 * npm run -s keys -- create --plan free|pro|business|enterprise [--label TEXT] [--per-minute N --per-day N] [--json]
 * npm run -s keys -- list [--json]
 * npm run -s keys -- revoke ID
 * npm run -s keys -- unban ID
 *
 * Works on the store that DATABASE_URL names, also while servers use it. Only `create` creates a missing store, and
 * reports that.
 */
import { statSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommanderError, InvalidArgumentError, Option } from 'commander'
import { digestOf, newKey, newRecord } from '../src/auth/key.ts'
import { readConfig } from '../src/config.ts'
import { readContract } from '../src/contract/document/document.ts'
import { fetchCommand } from '../src/contract/document/first-request.ts'
import { apiRootOf } from '../src/contract/document/operations.ts'
import { firstPlan, maxLimit, readPlans } from '../src/quota/plans.ts'
import { openStores } from '../src/store/open.ts'
import type { Key, KeyStore, Stores } from '../src/store/store.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { wholeNumber } from './command-line/whole-number.ts'
import { messageOf } from '../src/failure.ts'

interface CreateFlags {
  plan: string
  label?: string
  perMinute?: number
  perDay?: number
  json?: boolean
}

const contract = readContract(fileURLToPath(new URL('../openapi.yaml', import.meta.url)))
const plans = readPlans(contract.root)
const exampleCall = `create --plan ${firstPlan(plans) ?? 'PLAN'}`
const limit = wholeNumber(maxLimit)
const program = command('keys', 'Manage the API keys of the service', [
  `${exampleCall} --label laptop`,
  'create --plan enterprise --per-minute 5000 --per-day 1000000 --json',
  'list',
])

program
  .command('create')
  .description('create a key, and show it once')
  .addOption(new Option('--plan <plan>', 'the plan of the key').choices([...plans.keys()]).makeOptionMandatory())
  .option('--label <text>', 'a note about the use of the key, up to 100 characters', label)
  .option('--per-minute <n>', 'requests per minute, for a plan whose limits are set per key', limit)
  .option('--per-day <n>', 'requests per day, for a plan whose limits are set per key', limit)
  .option('--json', 'print JSON')
  .action((flags: CreateFlags) => withStores((stores) => create(stores, flags), true))
program
  .command('list')
  .description('show all keys, oldest first')
  .option('--json', 'print JSON')
  .action((flags: { json?: boolean }) => withStores((stores) => list(stores, flags)))
program
  .command('revoke')
  .description('revoke a key permanently; every server refuses it within 2 seconds')
  .argument('<id>', 'the id of the key, which "keys list" shows')
  .action((id: string) => withStores((stores) => revoke(stores, id)))
program
  .command('unban')
  .description('end the ban of a key, and forget its earlier bans')
  .argument('<id>', 'the id of the key, which "keys list" shows')
  .action((id: string) => withStores((stores) => unban(stores, id)))

await runCommand(program)

/** Creates a missing store only if `mayMake` is set. */
async function withStores(run: (stores: Stores) => Promise<void>, mayMake = false): Promise<void> {
  const config = readConfig(process.env)
  const { database } = config
  const isNew = database.engine === 'sqlite' && (statSync(database.file, { throwIfNoEntry: false })?.size ?? 0) === 0
  if (isNew && !mayMake) throw new Error(`There is no store at ${database.file}. DATABASE_URL says where it is.`)
  const stores = await openStores(config)
  if (isNew) console.error(`There was no store, so a new one was made: ${resolve(database.file)}.`)
  try {
    await run(stores)
  } finally {
    await stores.close()
  }
}

async function create({ keys }: Stores, { plan, label, perMinute, perDay, json }: CreateFlags): Promise<void> {
  const custom = customLimits(plan, perMinute, perDay)
  const key = newKey()
  const record = newRecord({ plan, custom, label, createdAt: Date.now() })
  await keys.add(record, digestOf(key))
  try {
    await print(json ? JSON.stringify({ id: record.id, key, ...shown(record) }) : greeting(record, key))
  } catch (error) {
    throw new Error(`${messageOf(error)} ${await withdrawn(keys, record.id)}`, { cause: error })
  }
}

function greeting({ id, plan }: Key, key: string): string {
  return (
    `Key ${id} of the plan ${plan}. It is shown only now:\n\n  ${key}\n\n` +
    `Try it:\n\n  ${fetchCommand(contract, address(), key)}`
  )
}

/** The address of the operations, for a service that has the same environment as this process. */
function address(): string {
  const { publicUrl, host, port } = readConfig(process.env)
  return (publicUrl || `http://${isIPv6(host) ? `[${host}]` : host}:${port}`) + apiRootOf(contract)
}

/** Revokes a key that could not be shown. Gives a sentence on the result. */
async function withdrawn(keys: KeyStore, id: string): Promise<string> {
  try {
    await keys.revoke(id, Date.now())
    return `Nobody has seen the new key ${id}, so it is revoked. Make another one.`
  } catch (error) {
    return `Nobody has seen the new key ${id}, and it could not be revoked (${messageOf(error)}): revoke it.`
  }
}

async function list({ keys }: Stores, { json }: { json?: boolean }): Promise<void> {
  const rows = (await keys.list()).map((key) => ({ id: key.id, ...shown(key) }))
  if (json) console.log(JSON.stringify(rows))
  else if (rows.length === 0) console.log(`There are no keys. Make one with: keys ${exampleCall}`)
  else console.log(table(rows))
}

async function revoke({ keys }: Stores, id: string): Promise<void> {
  if (!(await keys.revoke(id, Date.now()))) throw noSuchKey(id)
  console.log(`Key ${id} is revoked.`)
}

async function unban({ keys }: Stores, id: string): Promise<void> {
  if (!(await keys.unban(id))) throw noSuchKey(id)
  console.log(`Key ${id} is not banned. Every server heeds it within 2 seconds.`)
}

function noSuchKey(id: string): Error {
  return new Error(`No key has the id ${id}. keys list shows all.`)
}

function customLimits(plan: string, perMinute?: number, perDay?: number): Key['custom'] {
  const given = perMinute !== undefined || perDay !== undefined
  if (plans.get(plan) !== 'custom') {
    if (given) fail(`The plan ${plan} has limits of its own; --per-minute and --per-day are for plans without.`)
    return undefined
  }
  if (perMinute === undefined || perDay === undefined) fail(`The plan ${plan} needs --per-minute and --per-day.`)
  return { perMinute, perDay }
}

function shown({ plan, custom, label, createdAt, revokedAt, ban }: Key): Record<string, unknown> {
  const limits = custom ?? plans.get(plan)
  return {
    plan,
    ...(typeof limits === 'object' ? limits : {}),
    label,
    created: new Date(createdAt).toISOString(),
    revoked: revokedAt === undefined ? undefined : new Date(revokedAt).toISOString(),
    bannedUntil: ban && ban.until > Date.now() ? new Date(ban.until).toISOString() : undefined,
  }
}

function table(rows: Record<string, unknown>[]): string {
  const columns = ['id', 'plan', 'perMinute', 'perDay', 'created', 'revoked', 'bannedUntil', 'label']
  const cells = [columns, ...rows.map((row) => columns.map((column) => text(row[column])))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '-'
}

function label(value: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(value)) return value
  throw new InvalidArgumentError('It must have 1 to 100 characters and no control characters.')
}

function fail(sentence: string): never {
  console.error(sentence)
  throw new CommanderError(2, 'keys.usage', sentence)
}
