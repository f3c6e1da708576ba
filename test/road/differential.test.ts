import { Agent, request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { OpenAPIBackend, type Context, type ParsedRequest } from 'openapi-backend'
import { readContract } from '../../src/contract/model/files/document.ts'
import { handlers as generated } from '../../generated/handlers.ts'
import type { Handlers } from '../../src/contract/operation.ts'
import { differences, explanationOf, type StockVerdict, type Verdict } from './differential/differences.ts'
import { requests, type Sent } from './differential/requests.ts'
import { startService, type TestService } from '../support/service.ts'

const numRuns = 4000
const seed = 20261127

type Values = Record<string, string | string[]>
type StockContext = Context<unknown, Values, Values, Values, Values>

let service: TestService
let stock: OpenAPIBackend
/** Which handler ran last, and with what. */
let ran: Pick<Verdict, 'operationId' | 'given'> = {}
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

beforeAll(async () => {
  const pet = { id: 1n, name: 'Rex', categoryId: 7n }
  const record = (operationId: string, given: object): void => {
    ran = { operationId, given: comparable(given) }
  }
  const handlers: Handlers = {
    ...generated,
    listPets: async ({ path, query, body }) => {
      record('listPets', { path, query, body })
      return { status: 200, body: [] }
    },
    createPet: async ({ path, query, body }) => {
      record('createPet', { path, query, body })
      return { status: 201, body: pet }
    },
    getPet: async ({ path, query, body }) => {
      record('getPet', { path, query, body })
      return { status: 200, body: pet }
    },
  }
  service = await startService({}, { handlers })

  const operation =
    (status: number) =>
    ({ operation: { operationId = '' }, validation, request }: StockContext): Verdict => ({
      status,
      operationId,
      given: comparable({
        path: (validation.coerced as ParsedRequest<unknown, Values>).params,
        query: request.query,
        body: operationId === 'createPet' ? request.requestBody : undefined,
      }),
    })
  const { root } = readContract(fileURLToPath(new URL('../../openapi.yaml', import.meta.url)))
  stock = new OpenAPIBackend({
    definition: structuredClone(root),
    apiRoot: '/v1',
    strict: true,
    coerceTypes: true,
    ajvOpts: { useDefaults: true },
    handlers: {
      listPets: operation(200),
      createPet: operation(201),
      getPet: operation(200),
      notFound: (): Verdict => ({ status: 404 }),
      methodNotAllowed: (): Verdict => ({ status: 405 }),
      validationFail: (): Verdict => ({ status: 400 }),
      unauthorizedHandler: (): Verdict => ({ status: 401 }),
    },
    securityHandlers: {
      bearerAuth: ({ request }: StockContext) => request.headers.authorization === `Bearer ${service.key}`,
    },
  })
  await stock.init()
})

afterAll(async () => {
  agent.destroy()
  await service.stop()
})

function withKey(request: Sent): Sent {
  return { ...request, headers: { authorization: `Bearer ${service.key}`, ...request.headers } }
}

/** Values as JSON has them, so that exact and rounded integers can be compared. */
function comparable(value: object): unknown {
  const text = JSON.stringify(value, (_, child: unknown) => (typeof child === 'bigint' ? Number(child) : child))
  return JSON.parse(text) as unknown
}

async function ourVerdict(request: Sent): Promise<Verdict> {
  ran = {}
  const status = await statusOf(request)
  return { status, ...ran }
}

function statusOf({ method, target, headers, body }: Sent): Promise<number> {
  const framing = body && headers['transfer-encoding'] === undefined ? { 'content-length': body.length } : {}
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port: service.port, agent, method, path: target, headers: { ...headers, ...framing } },
      (response) => {
        response.resume()
        response.on('end', () => {
          resolve(response.statusCode ?? 0)
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

async function stockVerdict(request: Sent): Promise<StockVerdict> {
  if (request.method !== 'HEAD') return stockAnswer(request)
  return { ...(await stockAnswer(request)), asGet: await stockAnswer({ ...request, method: 'GET' }) }
}

/** Calls the stock engine as an adapter for a server does: with the target as text, and the body parsed where it is JSON. */
async function stockAnswer({ method, target, headers, body }: Sent): Promise<Verdict> {
  try {
    const parsed = body && { body: parsedLoosely(body.toString()) }
    return (await stock.handleRequest({ method, path: target, headers, ...parsed })) as Verdict
  } catch (error) {
    if (error instanceof URIError || (error as Error).name === 'URIError') return { status: 'URIError' }
    throw error
  }
}

function parsedLoosely(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

describe('the road of a request', () => {
  test('gives the verdict that openapi-backend gives, except for the listed differences, each of which occurs', async () => {
    const needed = new Map(differences.map(({ name }) => [name, 0]))
    const reached = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const sent = withKey(request)
        const [ours, theirs] = [await ourVerdict(sent), await stockVerdict(sent)]
        const outcome = `${ours.status} ${ours.operationId ?? ''}`
        reached.set(outcome, (reached.get(outcome) ?? 0) + 1)
        const { asGet: _, ...plain } = theirs
        if (isDeepStrictEqual(ours, plain)) return
        const explanation = explanationOf(request, ours, theirs)
        if (!explanation) throw new Error(`${shown(request)}\nours:  ${shown(ours)}\nstock: ${shown(theirs)}`)
        needed.set(explanation.name, (needed.get(explanation.name) ?? 0) + 1)
      }),
      { numRuns, seed },
    )
    const unneeded = Array.from(needed).filter(([, count]) => count === 0)
    expect(unneeded).toEqual([])
    for (const outcome of ['200 listPets', '200 getPet', '201 createPet']) {
      expect(reached.get(outcome)).toBeGreaterThan(numRuns / 20)
    }
  }, 600_000)
})

function shown(value: object): string {
  return JSON.stringify(value, (_, child: unknown) =>
    typeof child === 'object' && child !== null && 'data' in child && 'type' in child
      ? Buffer.from(child.data as number[])
          .toString('latin1')
          .slice(0, 300)
      : child,
  )
}
