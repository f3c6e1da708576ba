import type { IncomingMessage } from 'node:http'
import { unauthorized, type ApiError } from '../api-error.ts'
import { authorizationOf, bearerToken, type Authenticate } from './authenticate.ts'
import { readCookies } from '../contract/exchange/cookies.ts'
import type { CompiledOperation, Contract } from '../contract/compiled.ts'
import { wayOfKey, type KeyPlace } from '../contract/model/security.ts'
import type { Key } from '../store/store.ts'

/** How a request shows who sent it. */
export interface Credentials {
  /** Whether a request may go on without a key. */
  isPublic: boolean
  /** Looks the valid key up in the places that the contract names; `query` is the text after `?`, and `now` is in ms. */
  find: (request: IncomingMessage, query: string, now: number) => Key | undefined | Promise<Key | undefined>
  /** The refusal of a request without a valid key. */
  refusal: () => ApiError
}

type Alternatives = CompiledOperation['security']

/** The credentials of an operation, by its security schemes. */
export function credentialsOf(security: Alternatives, authenticate: Authenticate): Credentials {
  const places = security.flat()
  return {
    isPublic: security.some((alternative) => alternative.length === 0),
    find: places.length === 1 && places.every(isBearer) ? (request, _, now) => authenticate(request, now) : findAny,
    refusal: () => unauthorized([...new Set(places.map(wayOfKey))], [...new Set(places.map(challengeOf))]),
  }

  async function findAny(request: IncomingMessage, query: string, now: number): Promise<Key | undefined> {
    for (const alternative of security) {
      const [token, ...others] = alternative.map((place) => tokenIn(request, query, place))
      if (token === undefined || others.some((other) => other !== token)) continue
      const key = await authenticate(request, now, token)
      if (key) return key
    }
    return undefined
  }
}

/** The security of requests that no operation matches: every alternative of any operation; public if all of them are. */
export function securityOfAny({ operations }: Contract): Alternatives {
  const all = [...operations.values()].map(({ security }) => security)
  if (all.every((security) => security.some((alternative) => alternative.length === 0))) return [[]]
  const alternatives = all.flat().filter((places) => places.length > 0)
  return [...new Map(alternatives.map((places) => [JSON.stringify(places), places])).values()]
}

function isBearer(place: KeyPlace): boolean {
  return place.in === 'bearer'
}

/** The text that stands for a key in a place; undefined when there is none, or more than one. */
function tokenIn(request: IncomingMessage, query: string, place: KeyPlace): string | undefined {
  switch (place.in) {
    case 'bearer':
      return bearerToken(authorizationOf(request.rawHeaders) ?? '')
    case 'basic':
      return basicToken(authorizationOf(request.rawHeaders) ?? '')
    case 'header': {
      const value = request.headers[place.name.toLowerCase()]
      return typeof value === 'string' ? value.trim() : undefined
    }
    case 'query': {
      const [value, ...others] = new URLSearchParams(query).getAll(place.name)
      return others.length > 0 ? undefined : value
    }
    case 'cookie': {
      const value = readCookies(request.headers.cookie, new Set([place.name]))[place.name]
      return typeof value === 'string' ? value : undefined
    }
  }
}

/** The password of an Authorization header with the scheme Basic (RFC 7617), or its user name without a password. */
function basicToken(header: string): string | undefined {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(header) ?? []
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  return colon === text.length - 1 ? text.slice(0, colon) : text.slice(colon + 1)
}

/** RFC 9110 wants a challenge in each 401; for keys under a name there is no registered one. */
function challengeOf(place: KeyPlace): string {
  if (place.in === 'bearer') return 'Bearer'
  return place.in === 'basic' ? 'Basic realm="API key"' : 'ApiKey'
}
