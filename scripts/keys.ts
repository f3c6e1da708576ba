/*
 * npm run -s keys -- create --plan free|pro|business|enterprise [--label TEXT] [--per-minute N --per-day N]
 *                           [--expires DATE] [--json]
 * npm run -s keys -- list [--plan PLAN] [--active] [--json]
 * npm run -s keys -- show ID [--json]
 * npm run -s keys -- rotate ID [--keep TIME] [--json]
 * npm run -s keys -- revoke ID
 * npm run -s keys -- unban ID
 *
 * Works on the store that DATABASE_URL names, also while servers use it. Only `create` creates a missing store, and
 * reports that. For ID, `-` reads the key itself from standard input, or at a terminal from a prompt that does not show
 * it. A key is never an argument, since other users see those.
 */
import { statSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Argument, CommanderError, InvalidArgumentError, Option, type Command } from 'commander'
import { digestOf, isActive, newKey, newRecord, startOf } from '../src/auth/key.ts'
import { refuseBasePath } from '../src/config/public-url.ts'
import { readContract } from '../src/contract/model/files/document.ts'
import { fetchCommand } from '../src/contract/first-request.ts'
import { modelOf } from '../src/contract/model/model.ts'
import { firstPlan, maxLimit, readPlans } from '../src/quota/plans.ts'
import { openStores } from '../src/store/open.ts'
import type { Key, KeyStore, Stores } from '../src/store/store.ts'
import { callOf, command, print, runCommand } from './command-line/command.ts'
import { environment } from './command-line/environment.ts'
import { wholeNumber } from './command-line/whole-number.ts'
import { nearest } from '../src/contract/model/nearest.ts'
import { askKey } from './keys/ask-key.ts'
import { details, record, table } from './keys/table.ts'
import { expiry, timeAhead, timeText } from './keys/times.ts'
import { messageOf } from '../src/failure.ts'
import { escaped, escapedJson } from '../src/log/escaped.ts'

interface CreateFlags {
  plan: string
  label?: string
  perMinute?: number
  perDay?: number
  expires?: number
  json?: boolean
}

interface RotateFlags {
  keep: number
  json?: boolean
}

interface ListFlags {
  plan?: string
  active?: boolean
  json?: boolean
}

const contract = readContract(fileURLToPath(new URL('../openapi.yaml', import.meta.url)))
const plans = readPlans(contract.root)
const call = callOf('keys')
const exampleCall = `create --plan ${firstPlan(plans) ?? 'PLAN'}`
const limit = wholeNumber(maxLimit)
const defaultKeep = '24h'
const timeForms = 'a time span such as 30m or 7d, a day such as 2027-01-31, or a time'
const program = command('keys', 'Manage the API keys of the service', [
  `${exampleCall} --label laptop`,
  'create --plan enterprise --per-minute 5000 --per-day 1000000 --json',
  'list --active',
  'rotate key_AEVaBJZDJ9MT --keep 7d',
  'revoke -',
])

program
  .command('create')
  .description('create a key, and show it once')
  .addOption(new Option('--plan <plan>', 'the plan of the key; it must be given').choices([...plans.keys()]))
  .option('--label <text>', 'a note about the use of the key, up to 100 characters', label)
  .option('--per-minute <n>', 'requests per minute, for a plan whose limits are set per key', limit)
  .option('--per-day <n>', 'requests per day, for a plan whose limits are set per key', limit)
  .option('--expires <date>', `until when the key is valid: ${timeForms}`, expiry)
  .option('--json', 'print JSON')
  .action(({ plan, ...others }: Partial<CreateFlags>, cli: Command) => {
    // not before: commander would complain of it first, and not of a misspelt option
    if (plan === undefined) return cli.error("error: required option '--plan <plan>' not specified")
    const flags = { plan, ...others }
    const custom = customLimits(flags)
    return withStores(({ keys }) => create(keys, custom, flags), true)
  })
program
  .command('list')
  .description('show all keys, oldest first')
  .option('--plan <plan>', 'only keys of this plan')
  .option('--active', 'only keys that are neither revoked nor expired')
  .option('--json', 'print JSON')
  .action((flags: ListFlags) => withStores((stores) => list(stores, flags)))
onKey(program.command('show'))
  .description('show all that is known of a key')
  .option('--json', 'print JSON')
  .action((name: string, { json }: { json?: boolean }) => withKey(name, (_, key) => show(key, json)))
onKey(program.command('rotate'))
  .description('create a key with the plan, label and counts of another one, which expires soon')
  .addOption(
    new Option('--keep <time>', `until when the other key stays valid: ${timeForms}, or 0`)
      .argParser(timeAhead)
      .default(timeAhead(defaultKeep), defaultKeep),
  )
  .option('--json', 'print JSON')
  .action((name: string, flags: RotateFlags) => withKey(name, ({ keys }, key) => rotate(keys, key, flags)))
onKey(program.command('revoke'))
  .description('revoke a key permanently; every server refuses it within 2 seconds')
  .action((name: string) => withKey(name, ({ keys }, key) => revoke(keys, key)))
onKey(program.command('unban'))
  .description('end the ban of a key, and forget its earlier bans')
  .action((name: string) => withKey(name, ({ keys }, key) => unban(keys, key)))

await runCommand(program)

function onKey(one: Command): Command {
  return one.addArgument(
    new Argument('<id>', `the id of the key, which "${call} list" shows; - asks for the key itself`),
  )
}

/** Runs on the key that an argument names. */
function withKey(name: string, run: (stores: Stores, key: Key) => Promise<void>): Promise<void> {
  if (name.startsWith('ak_')) {
    fail(
      'A key is no argument, since other users and the history of the shell see those. Give its id, or - to be asked ' +
        'for the key. Replace a key that others may have seen.',
    )
  }
  return withStores(async (stores) => run(stores, await find(stores.keys, name)))
}

async function find(keys: KeyStore, name: string): Promise<Key> {
  if (name === '-') {
    const key = await keys.find(digestOf(await askKey()))
    if (!key) throw new Error('The store has no such key. DATABASE_URL says which store it is.')
    return key
  }
  const all = await keys.list()
  const key = all.find(({ id }) => id === name)
  if (key) return key
  const near = nearest(
    name,
    all.map(({ id }) => id),
  )
  const hint = near === undefined || name.length < 8 ? `\`${call} list\` shows all.` : `Did you mean ${near}?`
  throw new Error(`No key has the id ${escaped(name)}. ${hint}`)
}

/** Creates a missing store only if `mayMake` is set. */
async function withStores(run: (stores: Stores) => Promise<void>, mayMake = false): Promise<void> {
  const config = environment()
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

async function create(keys: KeyStore, custom: Key['custom'], flags: CreateFlags): Promise<void> {
  const { plan, label, expires: expiresAt, json } = flags
  const key = newKey()
  const made = newRecord({ plan, custom, label, expiresAt, start: startOf(key), createdAt: Date.now() })
  await add(keys, made, key, json ? escapedJson({ ...shown(made), key }) : greeting(made, key))
}

/** Stores a new key and prints what shows it. A key that could not be shown is revoked. */
async function add(keys: KeyStore, made: Key, key: string, text: string): Promise<void> {
  await keys.add(made, digestOf(key))
  try {
    await print(text)
  } catch (error) {
    throw new Error(`${messageOf(error)} ${await withdrawn(keys, made.id)}`, { cause: error })
  }
}

function greeting({ id, plan, expiresAt }: Key, key: string): string {
  const until = expiresAt === undefined ? '' : `, valid until ${timeText(expiresAt)}`
  return (
    `Key ${id} of the plan ${plan}${until}. It is shown only now:\n\n  ${key}\n\n` +
    `Try it:\n\n  ${fetchCommand(contract, address(), key)}`
  )
}

/** The address of the operations, for a service that has the same environment as this process. */
function address(): string {
  const { publicUrl, host, port } = environment()
  const { apiRoot } = modelOf(contract)
  refuseBasePath(publicUrl, apiRoot)
  return (publicUrl || `http://${isIPv6(host) ? `[${host}]` : host}:${port}`) + apiRoot
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

async function list({ keys }: Stores, { plan, active, json }: ListFlags): Promise<void> {
  const now = Date.now()
  const all = await keys.list()
  if (plan !== undefined) requirePlan(plan, all)
  const wanted = all.filter((key) => (plan === undefined || key.plan === plan) && (!active || isActive(key, now)))
  // what is read by a program is not cut
  const columns = process.stdout.isTTY ? process.stdout.columns : Infinity
  if (json) await print(escapedJson(wanted.map(shown)))
  else if (all.length === 0) await print(`There are no keys. Make one with: ${call} ${exampleCall}`)
  else if (wanted.length === 0) {
    const which = `${active ? ' active' : ''} key${plan === undefined ? '' : ` of the plan ${escaped(plan)}`}`
    await print(`There is no${which}. \`${call} list\` shows all.`)
  } else await print(table(wanted, now, columns))
}

/** Refuses a plan that neither the contract nor a key has; keys may have one that the contract had before. */
function requirePlan(plan: string, all: readonly Key[]): void {
  const known = [...new Set([...plans.keys(), ...all.map((key) => key.plan)])]
  if (known.includes(plan)) return
  const near = nearest(plan, known)
  const hint = near === undefined ? '' : ` Did you mean ${escaped(near)}?`
  fail(`No plan is called ${escaped(plan)}.${hint} There are ${escaped(known.join(', '))}.`)
}

async function show(key: Key, json = false): Promise<void> {
  await print(json ? escapedJson(shown(key)) : details(key, plans, Date.now()))
}

/** The other key gets its end only once the new one was shown. */
async function rotate(keys: KeyStore, old: Key, { keep, json }: RotateFlags): Promise<void> {
  const now = Date.now()
  if (!isActive(old, now)) {
    throw new Error(
      `Key ${old.id} ${inactive(old)}, so it is not rotated. Make a new one with: ${call} create --plan ${old.plan}`,
    )
  }
  const next = (await keys.list()).find(
    (one) => one.account === old.account && one.createdAt >= old.createdAt && one.id !== old.id && isActive(one, now),
  )
  if (next) throw new Error(`Key ${old.id} was rotated before: ${next.id} replaces it. Rotate that one.`)
  const { plan, custom, label, account, ban, expiresAt } = old
  const key = newKey()
  const made = newRecord({ plan, custom, label, account, ban, expiresAt, start: startOf(key), createdAt: now })
  const end = Math.min(keep, expiresAt ?? Infinity)
  const replaces = { id: old.id, expires: new Date(end).toISOString() }
  await add(keys, made, key, json ? escapedJson({ ...shown(made), key, replaces }) : greeting(made, key))
  try {
    await keys.expire(old.id, end)
  } catch (error) {
    throw new Error(`${messageOf(error)} Key ${old.id} is still valid without an end: revoke it in time.`, {
      cause: error,
    })
  }
  if (json) return
  const until = end > Date.now() ? `valid until ${timeText(end)}` : 'not valid any more'
  await print(`\nIt replaces key ${old.id}, which is ${until}. Both are counted together.`)
}

async function revoke(keys: KeyStore, { id, revokedAt }: Key): Promise<void> {
  await keys.revoke(id, Date.now())
  await print(`Key ${id} is revoked${revokedAt === undefined ? '' : ` since ${timeText(revokedAt)}`}.`)
}

async function unban(keys: KeyStore, key: Key): Promise<void> {
  const { id, ban } = key
  await keys.unban(id)
  if (ban === undefined) await print(`Key ${id} was not banned.`)
  else if (ban.until <= Date.now()) await print(`Key ${id} was not banned any more. Its earlier bans are forgotten.`)
  else await print(`The ban of key ${id} is ended. Every server accepts the key within 2 seconds.`)
  if (!isActive(key, Date.now())) await print(`It ${inactive(key)}, and stays so.`)
}

function inactive({ revokedAt }: Key): string {
  return revokedAt === undefined ? 'has expired' : 'is revoked'
}

function shown(key: Key): Record<string, unknown> {
  return record(key, plans, Date.now())
}

function customLimits({ plan, perMinute, perDay }: CreateFlags): Key['custom'] {
  const given = perMinute !== undefined || perDay !== undefined
  if (plans.get(plan) !== 'custom') {
    if (given) fail(`The plan ${plan} has limits of its own; --per-minute and --per-day are for plans without.`)
    return undefined
  }
  if (perMinute === undefined || perDay === undefined) fail(`The plan ${plan} needs --per-minute and --per-day.`)
  return { perMinute, perDay }
}

function label(value: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(value)) return value
  throw new InvalidArgumentError('It must have 1 to 100 characters and no control characters.')
}

function fail(sentence: string): never {
  console.error(sentence)
  throw new CommanderError(2, 'keys.usage', sentence)
}
