import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import QuickLRU from 'quick-lru'
import type { Key, KeyStore } from '../store/store.ts'
import { digestOf, isActive, isKey } from './key.ts'

/**
 * Gives the valid key that a request's headers carry as a bearer token, or undefined; `now` in ms. With `token`, which
 * was found elsewhere in the request, the headers are not read.
 */
export type Authenticate = (
  request: IncomingMessage,
  now: number,
  token?: string,
) => Key | undefined | Promise<Key | undefined>

/** How long a key's record is believed, in ms: half of the time within which a revocation must hold everywhere. */
const believedMs = 1000
const maxRemembered = 10_000
/** A header may have any number of spaces; one with more than a few is not worth the memory. */
const maxRememberedLength = 128
/** How long look-ups wait for one another when made-up keys may be among them, in ms. */
const gatherMs = 100

/**
 * Looks bearer tokens (RFC 6750 section 2.1) up in the store, and remembers for a moment the headers and tokens whose
 * keys exist. From an address that `isOverLimit`, keys that were not found before are gathered, so that made-up ones
 * cost the store a few statements a second, and a valid one waits once. `onUse` hears of each valid key that was looked
 * up, which is once a second at most.
 */
export function authenticator(
  keys: KeyStore,
  isOverLimit: (request: IncomingMessage, now: number) => boolean,
  onUse: (key: Key, now: number) => void,
): Authenticate {
  const remembered = new QuickLRU<string, { key: Key; until: number }>({ maxSize: maxRemembered })
  let gathering: Promise<void> | undefined

  return (request, now, given) => {
    const source = given ?? authorizationOf(request.rawHeaders)
    if (source === undefined) return undefined
    const known = remembered.get(source)
    if (known && now < known.until && now >= known.until - believedMs) return valid(known.key, now)
    const token = given ?? bearerToken(source)
    if (token === undefined || !isKey(token)) return undefined
    return known || !isOverLimit(request, now) ? lookUp(token, source, now) : lookUpLater(token, source, now)
  }

  /** All that wait look up in the same turn of the event loop, for which the store needs one statement. */
  async function lookUpLater(token: string, source: string, now: number): Promise<Key | undefined> {
    gathering ??= sleep(gatherMs).then(() => {
      gathering = undefined
    })
    await gathering
    return lookUp(token, source, now)
  }

  async function lookUp(token: string, source: string, now: number): Promise<Key | undefined> {
    const key = await keys.find(digestOf(token))
    if (!key) return undefined
    if (source.length <= maxRememberedLength) remembered.set(source, { key, until: now + believedMs })
    const found = valid(key, now)
    if (found) onUse(found, now)
    return found
  }
}

function valid(key: Key, now: number): Key | undefined {
  return isActive(key, now) ? key : undefined
}

/** The token of an Authorization header with the scheme Bearer. */
export function bearerToken(header: string): string | undefined {
  return /^bearer +([\w~+/.-]+) *$/i.exec(header)?.[1]
}

/** The one Authorization header; undefined when there are two. */
export function authorizationOf(rawHeaders: readonly string[]): string | undefined {
  let value: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue
    if (value !== undefined) return undefined
    value = rawHeaders[index + 1]
  }
  return value
}
