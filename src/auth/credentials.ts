import type { IncomingMessage } from 'node:http'
import { unauthorized, type ApiError } from '../api-error.ts'
import { authorizationOf, bearerToken, type Authenticate } from './authenticate.ts'
import { readCookies } from '../contract/compile/request/parameters.ts'
import type { CompiledOperation, Contract } from '../contract/compiled.ts'
import { wayOfKey, type KeyPlace } from '../contract/model/security.ts'
import type { Key } from '../store/store.ts'

/** Who sent a request, as its operation wants to know it. */
export interface Credentials {
  key: Key | undefined
  /** Whether the request may go on without a key. */
  isPublic: boolean
}

export interface CredentialsReader {
  /** Whether every operation takes a bearer token and nothing else, so that the key does not depend on the operation. */
  bearerAlone: boolean
  /** Looks the key up in the places of an operation; of a request that no operation matches, in those of all. */
  read: (
    request: IncomingMessage,
    query: string,
    operation: CompiledOperation | undefined,
    now: number,
  ) => Promise<Credentials>
  /** The refusal of a request without a valid key. */
  refusal: (operation: CompiledOperation | undefined) => ApiError
}

type Alternatives = CompiledOperation['security']

/** Finds keys where the contract's security schemes say that they are. */
export function credentialsReader({ operations }: Contract, authenticate: Authenticate): CredentialsReader {
  const all = [...operations.values()].map(({ security }) => security)
  const ofAny: Alternatives = all.every(isPublic) ? [[]] : all.flat().filter((places) => places.length > 0)
  return {
    bearerAlone: all.every(
      (security) => security.length === 1 && places(security).every(isBearer) && !isPublic(security),
    ),
    read: async (request, query, operation, now) => {
      const alternatives = operation?.security ?? ofAny
      for (const alternative of alternatives) {
        const [token, ...others] = alternative.map((place) => tokenIn(request, query, place))
        if (token === undefined || others.some((other) => other !== token)) continue
        const key = await authenticate(request, now, token)
        if (key) return { key, isPublic: false }
      }
      return { key: undefined, isPublic: isPublic(alternatives) }
    },
    refusal: (operation) => {
      const wanted = places(operation?.security ?? ofAny)
      return unauthorized([...new Set(wanted.map(wayOfKey))], [...new Set(wanted.map(challengeOf))])
    },
  }
}

function places(alternatives: Alternatives): KeyPlace[] {
  return alternatives.flat()
}

function isPublic(alternatives: Alternatives): boolean {
  return alternatives.some((alternative) => alternative.length === 0)
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
