import type { IncomingMessage, ServerResponse } from 'node:http'
import { gone, methodNotAllowed, unauthorized, type ApiError } from '../api-error.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import type { Contract } from '../contract/compiled.ts'
import { decodeSegment } from '../contract/exchange/query.ts'
import { quotaHeaders, refusalOf } from '../quota/outcome.ts'
import type { Quota } from '../quota/quota.ts'
import type { HandlerStores, Key } from '../store/store.ts'
import { failure, type Answer } from './answer.ts'
import { readContent } from './content.ts'
import { credentialsReader } from '../auth/credentials.ts'
import type { Station } from './stations.ts'

export interface PipelineParts {
  contract: Contract
  /** By operationId. */
  stations: ReadonlyMap<string, Station>
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
 * `performance.now()` has it.
 */
export type Pipeline = (
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  cameMs: number,
) => Promise<Answer>

/** The contract's road: authenticate, count, match, read, validate, handle. */
export function pipeline(parts: PipelineParts): Pipeline {
  const { contract, stations, authenticate, quota, stores, publicUrl, noResource } = parts
  const { addressOf, strangerHeaders, removeAtSunset } = parts
  const credentials = credentialsReader(contract, authenticate)
  const { bearerAlone } = credentials
  const noBody = { body: undefined, type: undefined }

  const matchOf = (method: string, path: string): ReturnType<Contract['router']['match']> =>
    contract.router.match(method === 'HEAD' ? 'get' : method.toLowerCase(), path)
  const stationOf = (match: ReturnType<typeof matchOf>): Station | undefined =>
    match.found === 'operation' ? stations.get(match.operation.operationId ?? '') : undefined

  return async (request, response, target, cameMs) => {
    let headers: string[] | undefined
    let key: Key | undefined
    let operationId: string | undefined
    try {
      const mark = target.indexOf('?')
      const fullPath = mark < 0 ? target : target.slice(0, mark)
      const path = fullPath.slice(contract.apiRoot.length)
      const method = request.method ?? ''
      if (method === 'OPTIONS') return options(contract, path, strangerHeaders(request), () => noResource(fullPath))

      const now = parts.now()
      // without a contract's own ways to send a key the operation need not be known yet
      let match = bearerAlone ? undefined : matchOf(method, path)
      let isPublic = false
      if (match) {
        const known = await credentials.read(request, queryOf(target, mark), stationOf(match)?.operation, now)
        key = known.key
        isPublic = known.isPublic
      } else {
        const found = authenticate(request, now)
        key = found instanceof Promise ? await found : found
      }
      const caller = key ? { key } : { address: addressOf(request) }
      const admission = quota.admit(caller, now, now - (performance.now() - cameMs))
      const outcome = admission instanceof Promise ? await admission : admission
      headers = quotaHeaders(outcome)
      const refusal = refusalOf(outcome)
      if (refusal) throw refusal
      if (!key && !isPublic) throw match ? credentials.refusal(stationOf(match)?.operation) : unauthorized()

      match ??= matchOf(method, path)
      decodeSegment(path)
      if (match.found === 'path') throw methodNotAllowed(method, match.allow)
      const station = stationOf(match)
      if (match.found === 'nothing' || !station) throw noResource(fullPath)

      const { operation, handle } = station
      operationId = operation.operationId
      headers.push(...operation.lifecycle)
      if (removeAtSunset && operation.sunset !== undefined && now >= operation.sunset) throw gone()
      const { bodies } = operation
      const sent = bodies ? await readContent(request, response, bodies) : noBody
      const valid = operation.read({
        values: match.values,
        query: queryOf(target, mark),
        headers: request.headers,
        body: sent.body,
        type: sent.type,
      })
      const { path: pathValues, query, header, cookie, body: content } = valid
      // spelled out, since a field added to a spread object takes a microsecond
      const given = {
        path: pathValues,
        query,
        header,
        cookie,
        body: content,
        address: publicUrl + fullPath,
        keyId: key?.account ?? '',
        now,
      }
      const reply = await handle(given, stores)
      const body = operation.write(reply)
      for (const name in reply.headers) headers.push(name, String(reply.headers[name]))
      return { status: reply.status, headers, body, type: operation.typeOf(reply.status), operationId, keyId: key?.id }
    } catch (error) {
      return { ...failure(error, headers ?? strangerHeaders(request)), operationId, keyId: key?.id }
    }
  }
}

function options({ router }: Contract, path: string, headers: string[], missing: () => ApiError): Answer {
  const match = router.match('options', path)
  if (match.found === 'nothing') throw missing()
  if (match.found === 'path') headers.push('Allow', match.allow)
  return { status: 204, headers, body: undefined }
}

function queryOf(target: string, mark: number): string {
  return mark < 0 ? '' : target.slice(mark + 1)
}
