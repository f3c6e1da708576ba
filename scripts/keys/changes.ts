import { isIPv6 } from 'node:net'
import { digestOf, isActive, newKey, newRecord, startOf } from '../../src/auth/key.ts'
import { refuseBasePath } from '../../src/config/public-url.ts'
import { fetchCommand } from '../../src/contract/first-request.ts'
import { modelOf } from '../../src/contract/model/model.ts'
import { messageOf } from '../../src/failure.ts'
import { escapedJson } from '../../src/log/escaped.ts'
import type { Act, Key, KeyStore } from '../../src/store/store.ts'
import { print } from '../command-line/command.ts'
import { environment } from '../command-line/environment.ts'
import { operator } from '../command-line/operator.ts'
import { call, contract, shown } from './contract.ts'
import { timeText } from './times.ts'

export interface CreateFlags {
  plan: string
  label?: string
  perMinute?: number
  perDay?: number
  expires?: number
  json?: boolean
}

export interface RotateFlags {
  keep: number
  json?: boolean
}

export async function create(keys: KeyStore, custom: Key['custom'], flags: CreateFlags): Promise<void> {
  const { plan, label, expires: expiresAt, json } = flags
  const key = newKey()
  const made = newRecord({ plan, custom, label, expiresAt, start: startOf(key), createdAt: Date.now() })
  await add(keys, made, key, json ? escapedJson({ ...shown(made), key }) : greeting(made, key))
}

/** Stores a new key and prints what shows it. A key that could not be shown is revoked. */
async function add(keys: KeyStore, made: Key, key: string, text: string): Promise<void> {
  await keys.add(made, digestOf(key), operator())
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
    await keys.revoke(id, act())
    return `Nobody has seen the new key ${id}, so it is revoked. Make another one.`
  } catch (error) {
    return `Nobody has seen the new key ${id}, and it could not be revoked (${messageOf(error)}): revoke it.`
  }
}

/** The other key gets its end only once the new one was shown. */
export async function rotate(keys: KeyStore, old: Key, { keep, json }: RotateFlags): Promise<void> {
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
    await keys.expire(old.id, end, act())
  } catch (error) {
    throw new Error(`${messageOf(error)} Key ${old.id} is still valid without an end: revoke it in time.`, {
      cause: error,
    })
  }
  if (json) return
  const until = end > Date.now() ? `valid until ${timeText(end)}` : 'not valid any more'
  await print(`\nIt replaces key ${old.id}, which is ${until}. Both are counted together.`)
}

export async function revoke(keys: KeyStore, { id, revokedAt }: Key): Promise<void> {
  await keys.revoke(id, act())
  await print(`Key ${id} is revoked${revokedAt === undefined ? '' : ` since ${timeText(revokedAt)}`}.`)
}

export async function unban(keys: KeyStore, key: Key): Promise<void> {
  const { id, ban } = key
  await keys.unban(id, act())
  if (ban === undefined) await print(`Key ${id} was not banned.`)
  else if (ban.until <= Date.now()) await print(`Key ${id} was not banned any more. Its earlier bans are forgotten.`)
  else await print(`The ban of key ${id} is ended. Every server accepts the key within 2 seconds.`)
  if (!isActive(key, Date.now())) await print(`It ${inactive(key)}, and stays so.`)
}

/** Something that is done now, by who runs this command. */
function act(): Act {
  return { at: Date.now(), by: operator() }
}

function inactive({ revokedAt }: Key): string {
  return revokedAt === undefined ? 'has expired' : 'is revoked'
}
