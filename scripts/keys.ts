/*
 * npm run -s keys -- create --plan free|pro|business|enterprise [--label TEXT] [--per-minute N --per-day N]
 *                           [--expires DATE] [--json]
 * npm run -s keys -- list [--plan PLAN] [--active] [--json]
 * npm run -s keys -- show ID [--json]
 * npm run -s keys -- rotate ID [--keep TIME] [--json]
 * npm run -s keys -- revoke ID
 * npm run -s keys -- unban ID
 * npm run -s keys -- history [ID] [--json]
 *
 * Works on the store that DATABASE_URL names, also while servers use it. Only `create` creates a missing store, and
 * reports that. For ID, `-` reads the key itself from standard input, or at a terminal from a prompt that does not show
 * it. A key is never an argument, since other users see those.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, CommanderError, InvalidArgumentError, Option, type Command } from 'commander'
import { digestOf, isActive } from '../src/auth/key.ts'
import { nearest } from '../src/contract/model/nearest.ts'
import { escaped, escapedJson } from '../src/log/escaped.ts'
import { firstPlan, maxLimit } from '../src/quota/plans.ts'
import { openStores } from '../src/store/open.ts'
import type { Key, KeyStore, Stores } from '../src/store/store.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { environment } from './command-line/environment.ts'
import { wholeNumber } from './command-line/whole-number.ts'
import { askKey } from './keys/ask-key.ts'
import { create, revoke, rotate, unban, type CreateFlags, type RotateFlags } from './keys/changes.ts'
import { call, plans, shown } from './keys/contract.ts'
import { history } from './keys/history.ts'
import { details, table } from './keys/table.ts'
import { expiry, timeAhead } from './keys/times.ts'

interface ListFlags {
  plan?: string
  active?: boolean
  json?: boolean
}

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
program
  .command('history')
  .description('show what was done to keys, when and by whom, oldest first')
  .argument('[id]', `only this key: its id, which "${call} list" shows, or - to be asked for the key itself`)
  .option('--json', 'print JSON')
  .action((name: string | undefined, { json }: { json?: boolean }) => {
    if (name === undefined) return withStores(({ keys }) => history(keys, undefined, json))
    return withKey(name, ({ keys }, key) => history(keys, key.id, json))
  })

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
