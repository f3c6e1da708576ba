import QuickLRU from 'quick-lru'
import type { Key, KeyStore } from '../store/store.ts'
import { digestOf, isKey } from './key.ts'

/**
 * Gives the valid key that a request's headers carry as a bearer token, or undefined. `rawHeaders` is Node's list, `now`
 * in ms. With `token`, which was found elsewhere in the request, the headers are not read.
 */
export type Authenticate = (
  rawHeaders: readonly string[],
  now: number,
  token?: string,
) => Key | undefined | Promise<Key | undefined>

/** How long a key's record is believed, in ms: half of the time within which a revocation must hold everywhere. */
const believedMs = 1000
const maxRemembered = 10_000
/** A header may have any number of spaces; one with more than a few is not worth the memory. */
const maxRememberedLength = 128

/**
 * Looks bearer tokens (RFC 6750 section 2.1) up in the store, and remembers for a moment the headers and tokens whose
 * keys exist.
 */
export function authenticator(keys: KeyStore): Authenticate {
  const remembered = new QuickLRU<string, { key: Key; until: number }>({ maxSize: maxRemembered })

  return (rawHeaders, now, given) => {
    const source = given ?? authorizationOf(rawHeaders)
    if (source === undefined) return undefined
    const known = remembered.get(source)
    if (known && now < known.until && now >= known.until - believedMs) return valid(known.key)
    const token = given ?? bearerToken(source)
    return token !== undefined && isKey(token) ? lookUp(token, source, now) : undefined
  }

  async function lookUp(token: string, source: string, now: number): Promise<Key | undefined> {
    const key = await keys.find(digestOf(token))
    if (!key) return undefined
    if (source.length <= maxRememberedLength) remembered.set(source, { key, until: now + believedMs })
    return valid(key)
  }
}

function valid(key: Key): Key | undefined {
  return key.revokedAt === undefined ? key : undefined
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
