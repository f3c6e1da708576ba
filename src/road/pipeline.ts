import type { IncomingMessage, ServerResponse } from 'node:http'
import { gone, methodNotAllowed, type ApiError } from '../api-error.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import { credentialsOf, securityOfAny, type Credentials } from '../auth/credentials.ts'
import type { ContractRouter, Match } from '../contract/exchange/router.ts'
import type { CompiledOperation, Contract } from '../contract/compiled.ts'
import { malformedEscape } from '../contract/exchange/query.ts'
import { quotaHeaders, refusalOf, type Outcome } from '../quota/outcome.ts'
import type { Quota } from '../quota/quota.ts'
import type { HandlerStores, Key } from '../store/store.ts'
import { failure, type Answer } from './answer.ts'
import { noContent, readContent } from './content.ts'
import { whenOf } from './conditions.ts'
import { begin, type Mark } from './marks.ts'
import { onceOf } from './once.ts'
import type { Station } from './stations.ts'

export interface PipelineParts {
  contract: Contract
  stations: ContractRouter<Station>
  stores: HandlerStores
  authenticate: Authenticate
  quota: Quota
  /** The address that links begin with; empty for links that are a path alone. */
  publicUrl: string
  /** The refusal of a path that nothing has. */
  noResource: (path: string) => ApiError
  /** The network address that a request without a valid key is counted by. */
  addressOf: (request: IncomingMessage) => string
  /** Quota headers of an answer to a request that was not counted. */
  strangerHeaders: (request: IncomingMessage) => string[]
  /** Whether operations are gone once their sunset has passed; otherwise they go on. */
  removeAtSunset: boolean
  /** Unix time in ms. */
  now: () => number
}

/**
 * Answers a request for a target below the contract's API root. Never throws: whatever goes wrong is an answer.
 * `target` is the path with its query, without scheme and authority; `cameMs` is when the request was received, as
 * `performance.now()` has it; `watched` wraps the stores that its handler gets.
 */
export type Pipeline = (
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  cameMs: number,
  watched?: (stores: HandlerStores) => HandlerStores,
) => Promise<Answer>

/** The contract's road: match, key, count, refuse, read, validate, handle. */
export function pipeline(parts: PipelineParts): Pipeline {
  const { contract, stores, authenticate, quota, publicUrl, noResource } = parts
  const { addressOf, strangerHeaders, removeAtSunset } = parts
  const stations = parts.stations.map((station) => {
    return { ...station, credentials: credentialsOf(station.security, authenticate) }
  })
  const credentialsOfAny = credentialsOf(securityOfAny(contract), authenticate)

  return async (request, response, target, cameMs, watched) => {
    let headers: string[] | undefined
    let key: Key | undefined
    let operationId: string | undefined
    const marks: Mark[] = []
    try {
      const { address, path, queryText } = partsOf(target, contract.apiRoot)
      const match = stations.match((request.method ?? '').toLowerCase(), path)
      if (request.method === 'OPTIONS' && match.found !== 'operation') {
        const allow = stations.allowOf(path)
        if (allow === undefined) throw noResource(address)
        return { status: 204, headers: [...strangerHeaders(request), 'Allow', allow], body: undefined }
      }

      const credentials = match.found === 'operation' ? match.operation.credentials : credentialsOfAny
      const now = parts.now()
      const found = credentials.find(request, queryText, now)
      if (found instanceof Promise) begin(marks, 'key')
      key = found instanceof Promise ? await found : found
      begin(marks, 'rest')
      const caller = key ? { key } : { address: addressOf(request) }
      const admission = quota.admit(caller, now, now - (performance.now() - cameMs))
      if (admission instanceof Promise) begin(marks, 'quota')
      const outcome = admission instanceof Promise ? await admission : admission
      begin(marks, 'rest')
      headers = quotaHeaders(outcome)
      refuse(outcome, key, credentials)
      if (match.found !== 'operation') throw mismatch(match, request, () => noResource(address))

      const { operation, values } = match
      operationId = operation.operationId
      headers.push(...operation.lifecycle)
      if (removeAtSunset && hasPassed(operation.sunset, now)) throw gone()
      if (operation.bodies) begin(marks, 'body')
      const sent = operation.bodies ? await readContent(request, response, operation.bodies) : noContent
      begin(marks, 'rest')
      const raw = { values, query: queryText, headers: request.headers, body: sent.body, type: sent.type }
      const valid = operation.read(raw)
      const { path: inPath, query, header, cookie, body } = valid
      const keyId = key?.account ?? ''
      const once = onceOf(request, { path, valid, caller: keyId, now })
      // spelled out, since a field added to a spread object takes a microsecond
      const when = operation.conditional ? whenOf(request) : undefined
      const { allows } = operation
      const at = publicUrl + address
      const given = { path: inPath, query, header, cookie, body, address: at, keyId, once, when, allows, now }
      begin(marks, 'handler')
      const reply = await operation.handle(given, watched ? watched(stores) : stores)
      begin(marks, 'rest')
      const text = operation.write(reply)
      const { status } = reply
      for (const name in reply.headers) headers.push(name, String(reply.headers[name]))
      return { status, headers, body: text, type: operation.typeOf(status), operationId, keyId: key?.id, marks }
    } catch (error) {
      return { ...failure(error, headers ?? strangerHeaders(request)), operationId, keyId: key?.id, marks }
    }
  }
}

/** The parts of a target: its address without the query, its path below the API root, and its query as text. */
function partsOf(target: string, apiRoot: string): { address: string; path: string; queryText: string } {
  const mark = target.indexOf('?')
  const address = mark < 0 ? target : target.slice(0, mark)
  return { address, path: address.slice(apiRoot.length), queryText: mark < 0 ? '' : target.slice(mark + 1) }
}

/** Throws if a request is over its limits, or has no key where its operation needs one. */
function refuse(outcome: Outcome, key: Key | undefined, { isPublic, refusal }: Credentials): void {
  const refused = refusalOf(outcome)
  if (refused) throw refused
  if (!key && !isPublic) throw refusal()
}

/** Why a request has no operation. */
function mismatch(
  match: Exclude<Match<unknown>, { found: 'operation' }>,
  { method = '' }: IncomingMessage,
  noResource: () => Error,
): Error {
  switch (match.found) {
    case 'path':
      return methodNotAllowed(method, match.allow)
    case 'malformed':
      return malformedEscape()
    case 'nothing':
      return noResource()
  }
}

function hasPassed(sunset: CompiledOperation['sunset'], now: number): boolean {
  return sunset !== undefined && now >= sunset
}
