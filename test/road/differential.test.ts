import { isUtf8 } from 'node:buffer'
import { Agent, request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { OpenAPIBackend, type Context, type ParsedRequest } from 'openapi-backend'
import { readContract } from '../../src/contract/document/document.ts'
import { handlers as generated } from '../../generated/handlers.ts'
import type { Handlers } from '../../src/contract/operation.ts'
import { startService, type TestService } from '../support/service.ts'

const numRuns = 4000
const seed = 20261127

interface Sent {
  method: string
  /** Path and query, as they stand in the request line. */
  target: string
  /** By lower-case name. */
  headers: Record<string, string>
  body?: Buffer
}

/** What came of a request: its status and, when a handler ran, which one and with what. */
interface Verdict {
  status: number | 'URIError'
  operationId?: string
  given?: unknown
}

/** Of a HEAD request, the stock engine is asked what it makes of the same request as GET, too. */
interface StockVerdict extends Verdict {
  asGet?: Verdict
}

interface Difference {
  name: string
  reason: string
  applies: (request: Sent, ours: Verdict, stock: StockVerdict) => boolean
}

/** Every way in which our road may differ from openapi-backend's own. An entry that no request needs fails the test. */
const differences: Difference[] = [
  {
    name: 'OPTIONS',
    reason: 'OPTIONS answers 204 with Allow and needs no key; the stock engine knows only declared methods.',
    applies: ({ method }, ours, stock) => method === 'OPTIONS' && ours.status === 204 && stock.status === 405,
  },
  {
    name: 'fragment',
    reason: 'A request target has no fragment (RFC 9112 section 3.2); the stock engine takes "#" for a letter.',
    applies: ({ target }, ours, { status }) =>
      target.includes('#') && ours.status === 400 && isOneOf(status, 401, 404, 405),
  },
  {
    name: 'authentication first',
    reason: 'Without a key nothing is told of which paths exist; the stock engine looks for the operation first.',
    applies: (request, ours, { status }) =>
      request.headers.authorization !== `Bearer ${service.key}` &&
      ours.status === 401 &&
      isOneOf(status, 404, 405, 'URIError'),
  },
  {
    name: 'HEAD',
    reason: 'HEAD is answered as GET (RFC 9110 section 9.3.2); the stock engine knows only declared methods.',
    applies: (request, ours, { status, asGet }) =>
      request.method === 'HEAD' &&
      status === 405 &&
      asGet !== undefined &&
      (isDeepStrictEqual(ours, asGet) || explanationOf({ ...request, method: 'GET' }, ours, asGet) !== undefined),
  },
  {
    name: 'trailing slashes',
    reason: 'One address for one thing; the stock engine ignores slashes at the end.',
    applies: (request, ours, { status }) => pathOf(request).endsWith('/') && ours.status === 404 && status !== 404,
  },
  {
    name: 'malformed escapes',
    reason:
      "A percent sign without two digits of UTF-8 is the client's fault; the stock engine throws, or does not look.",
    applies: (request, ours, { status }) =>
      isMalformed(pathOf(request)) && ours.status === 400 && isOneOf(status, 404, 405, 'URIError'),
  },
  {
    name: 'spelling of integers',
    reason: 'An integer has one spelling; the stock engine takes all that JavaScript reads as one, such as 0x10.',
    applies: (request, ours, { status }) =>
      ours.status === 400 && isSuccess(status) && integersIn(request).some((text) => !/^(?:0|-?[1-9]\d*)$/.test(text)),
  },
  {
    name: 'upper edge of int64',
    reason: 'An int64 is exact up to 2^63 - 1; the stock engine compares doubles and refuses the last 512.',
    applies: (request, ours, stock) =>
      isSuccess(ours.status) &&
      stock.status === 400 &&
      exactIntegersIn(request).some((value) => value < 2n ** 63n && Number(value) >= 2 ** 63),
  },
  {
    name: 'lower edge of int64',
    reason: 'An int64 ends at -2^63; the stock engine compares doubles and takes the 1024 below for that.',
    applies: (request, ours, { status }) =>
      ours.status === 400 &&
      isSuccess(status) &&
      exactIntegersIn(request).some((value) => value < -(2n ** 63n) && Number(value) === -(2 ** 63)),
  },
  {
    name: 'decimal places',
    reason: 'A number that is no integer is not rounded to one; JSON.parse rounds it.',
    applies: ({ body }, ours, { status }) =>
      ours.status === 400 && status === 201 && /\.0{20,}1|\de-4\d\d\b/.test(body?.toString() ?? ''),
  },
  {
    name: 'keys that stand twice',
    reason: 'Which of two values counts is not for us to guess; JSON.parse takes the last.',
    applies: ({ body }, ours, { status }) =>
      ours.status === 400 && status === 201 && new Set(keysIn(body)).size < keysIn(body).length,
  },
  {
    name: 'half surrogate pairs',
    reason: 'Half of a pair is no text and would be stored as another; JSON.parse reads it.',
    applies: ({ body }, ours, { status }) =>
      ours.status === 400 && status === 201 && !textIn(body).every((text) => text.isWellFormed()),
  },
  {
    name: 'invalid UTF-8',
    reason: 'Bytes that are no UTF-8 are refused; decoding them loosely changes the text.',
    applies: ({ body }, ours, { status }) => ours.status === 400 && status === 201 && !isUtf8(body ?? Buffer.alloc(0)),
  },
  {
    name: 'byte order mark',
    reason: 'A mark at the beginning may be ignored (RFC 8259 section 8.1); JSON.parse refuses it.',
    applies: ({ body }, ours, stock) =>
      ours.status === 201 && stock.status === 400 && body?.subarray(0, 3).toString('hex') === 'efbbbf',
  },
  {
    name: 'Content-Type',
    reason: 'A body that does not say it is JSON in UTF-8 is 415; the stock engine never compares the media type.',
    applies: (request, ours, { status }) =>
      takesBody(request) &&
      ours.status === 415 &&
      !jsonTypes.includes(request.headers['content-type'] ?? '') &&
      isOneOf(status, 201, 400),
  },
  {
    name: 'Content-Encoding',
    reason: 'A compressed body is 415; the stock engine never looks.',
    applies: (request, ours, { status }) =>
      takesBody(request) &&
      ours.status === 415 &&
      request.headers['content-encoding'] !== undefined &&
      isOneOf(status, 201, 400),
  },
  {
    name: 'size of the body',
    reason: 'A body of more than 100 kB is 413; the stock engine is given what was read.',
    applies: (request, ours, { status }) =>
      takesBody(request) && ours.status === 413 && (request.body?.length ?? 0) > 100_000 && isOneOf(status, 201, 400),
  },
  {
    name: 'question mark in the query',
    reason: 'Only the first "?" begins the query (RFC 3986 section 3.4); the stock engine drops what follows a second.',
    applies: ({ target }, ours, { status }) =>
      ours.status === 400 && isSuccess(status) && (target.match(/\?/g)?.length ?? 0) > 1,
  },
  {
    name: 'names of Object.prototype in the query',
    reason: 'A parameter that the operation does not have is 400 whatever its name; qs drops these.',
    applies: (request, ours, { status }) =>
      ours.status === 400 && isSuccess(status) && namesIn(request).some((name) => name in Object.prototype),
  },
  {
    name: 'parameters without a name',
    reason: 'A parameter that the operation does not have is 400, also with the empty name; qs drops it.',
    applies: (request, ours, { status }) => ours.status === 400 && isSuccess(status) && namesIn(request).includes(''),
  },
]

function explanationOf(request: Sent, ours: Verdict, stock: StockVerdict): Difference | undefined {
  return differences.find(({ applies }) => applies(request, ours, stock))
}

function isOneOf(status: Verdict['status'], ...all: Verdict['status'][]): boolean {
  return all.includes(status)
}

function isSuccess(status: Verdict['status']): boolean {
  return status === 200 || status === 201
}

/** Whether a body is announced where one is taken; one in chunks may turn out to be empty. */
function takesBody({ method, target, headers, body }: Sent): boolean {
  const announced = headers['transfer-encoding'] !== undefined || (body !== undefined && body.length > 0)
  return method === 'POST' && announced && target.startsWith('/v1/pets')
}

function pathOf({ target }: Sent): string {
  return target.split('?', 1)[0] ?? ''
}

function queryOf({ target }: Sent): URLSearchParams {
  return new URLSearchParams(target.split('?').slice(1).join('?'))
}

/** Names as they stand in the query, also those that `URLSearchParams` does not list. */
function namesIn({ target }: Sent): string[] {
  const pairs = target.split('?').slice(1).join('?').split('&')
  return pairs.filter((pair) => pair !== '').map((pair) => pair.split('=', 1)[0] ?? '')
}

function isMalformed(text: string): boolean {
  try {
    decodeURIComponent(text)
    return false
  } catch {
    return true
  }
}

/** The texts that the contract reads as integers outside the body. */
function integersIn(request: Sent): string[] {
  const path = pathOf(request)
  const id = path.startsWith('/v1/pets/') && !isMalformed(path) ? decodeURIComponent(path.slice(9)) : '0'
  return [id, queryOf(request).get('limit') ?? '0']
}

function exactIntegersIn(request: Sent): bigint[] {
  const inBody = /"categoryId"\s*:\s*(-?\d+)/.exec(request.body?.toString() ?? '')?.[1] ?? '0'
  return [...integersIn(request), inBody].filter((text) => /^-?\d+$/.test(text)).map(BigInt)
}

/** The keys of a body that is JSON, each as often as it stands there. */
function keysIn(body: Buffer | undefined): string[] {
  const keys = body?.toString().matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g) ?? []
  return Array.from(keys, ([, key]) => JSON.parse(`"${key ?? ''}"`) as string)
}

/** The values of a body that is JSON. */
function textIn(body: Buffer | undefined): string[] {
  const value: unknown = JSON.parse(body?.toString() ?? '""')
  return typeof value === 'object' && value !== null ? Object.values(value).map(String) : [String(value)]
}

const jsonTypes = [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json ; charset=utf8',
]

/* Requests: one of the three operations as it should be, then up to three changes. */

const names = fc.constantFrom(
  '"Rex"',
  '"\\ud83d\\ude00"',
  '"é"',
  '"a\\u0009b"',
  '"\\\\ud800"',
  '" x "',
  `"${'n'.repeat(255)}"`,
)
const categoryIds = fc.constantFrom('7', '0', '-0', '-1', '1.0', '1e2', '9007199254740993', '9223372036854775000')
const pets = fc
  .tuple(names, categoryIds, fc.constantFrom('', ',"status":"sold"', ', "status" : "pending" '))
  .map(([name, categoryId, status]) => `{"name":${name},"categoryId":${categoryId}${status}}`)

const ids = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('1', '7', '%31', '-1', '0') },
  { weight: 1, arbitrary: fc.constantFrom('9007199254740993', '-9007199254740993') },
  { weight: 1, arbitrary: fc.integer().map(String) },
)
const goodPairs = fc.constantFrom(
  'limit=1',
  'limit=100',
  'limit=%32',
  'status=sold',
  'status=p%65nding',
  'cursor=AAAAAAAAABQ',
  'cursor=-_-_-_-_-_-',
  '',
)
const goodQueries = fc
  .uniqueArray(goodPairs, { maxLength: 3, selector: (pair) => pair.split('=')[0] })
  .map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''))

const proper: fc.Arbitrary<Sent> = fc.oneof(
  goodQueries.map((query) => ({ method: 'GET', target: `/v1/pets${query}`, headers: {} })),
  ids.map((id) => ({ method: 'GET', target: `/v1/pets/${id}`, headers: {} })),
  fc.tuple(pets, fc.constantFrom(...jsonTypes)).map(([pet, type]) => ({
    method: 'POST',
    target: '/v1/pets',
    headers: { 'content-type': type },
    body: Buffer.from(pet),
  })),
)

function words(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(...text.trim().split(/\s+/))
}

function lines(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(...text.trim().split('\n'))
}

type Change = (request: Sent) => Sent

const badIds = words(`
  01 1.0 1e1 0x10 0b1 +1 %2B1 %201 1%20 %20 %0A -0 1.5 abc 1_0 NaN Infinity mine {petId} %00 1,2 1;a=b 1#x . .. %2e%2e
  1%2F2 % %zz %FF %c0%ae 1% %E0%A4%A 1e400 99999999999999999999 9223372036854775296 9223372036854775807
  9223372036854775808 -9223372036854775808 -9223372036854775809 -9223372036854776832 -9223372036854776833`)
const badPairs = words(`
  limit=0 limit=101 limit= limit limit=abc limit=1&limit=2 limit=1&limit=1 limit=1.5 limit=true limit=Infinity limit=01
  limit=1.0 limit=1e1 limit=0x10 limit=%2B1 limit=+1 limit=1+ limit=%201 limit=%20 limit=-0 limit[]=1 limit[a]=1
  limit=9223372036854775807 limit=%zz limit=%FF limit=1? limit=1?x=2 Limit=1 status= status=gone status=SOLD
  status=sold%20 status=sold&status=sold status=sold,pending status=null status=%00 status=sold? cursor=
  cursor=AAAAAAAAAB cursor=AAAAAAAAABQA cursor=AAAAAAAAAB%2B cursor=AAAAAAAAABQ%0A x=1 x =1 = & && ? ?limit=1
  __proto__=1 toString=1 constructor=1 hasOwnProperty a[b]=1`)
const badCategoryIds = words(`
  "7" true null 1.5 01 1.0000000000000000000000001 7e-450 1e400 1e22 [7] {} NaN 9223372036854775807 9223372036854775808
  9223372036854775807.0 -9223372036854775808 -9223372036854775809 -9223372036854776832 -9223372036854776833`)
const badPets = lines(`
null
true
5
"Rex"
[]
{}
[{"name":"Rex","categoryId":7}]
name=Rex
{"name":"Rex"}
{"categoryId":7}
{"name":"","categoryId":7}
{"name":"  ","categoryId":7}
{"name":5,"categoryId":7}
{"name":null,"categoryId":7}
{"name":"a\\u0000b","categoryId":7}
{"name":"a\\ud800","categoryId":7}
{"name":"\\udc00a","categoryId":7}
{"name":"A","name":"B","categoryId":7}
{"name":"A","\\u006eame":"B","categoryId":7}
{"name":"A","name":"A","categoryId":7}
{"name":"Rex","categoryId":7,"x":1}
{"name":"Rex","categoryId":7,"id":1}
{"name":"Rex","categoryId":7,"status":"gone"}
{"name":"Rex","categoryId":7,"status":null}
{"name":"Rex","categoryId":7,"__proto__":{"status":"sold"}}
{"name":"Rex","categoryId":7,"constructor":1}
{"name":"Rex","categoryId":7,}
{"name":"Rex" "categoryId":7}
{"name":"Rex","categoryId":7
{"name":"Rex","categoryId":7}}`)
const badBodies = fc.oneof(
  { weight: 3, arbitrary: badPets },
  { weight: 2, arbitrary: badCategoryIds.map((categoryId) => `{"name":"Rex","categoryId":${categoryId}}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['', ' ', '\ufeff{"name":"Rex","categoryId":7}'],
      ...['n'.repeat(256), '😀'.repeat(255), '😀'.repeat(256)].map((name) => `{"name":"${name}","categoryId":7}`),
    ),
  },
)
const badBytes = fc
  .constantFrom('ff', 'c0af', 'eda080', 'e9', 'f4908080', 'e282')
  .map((hex) => Buffer.concat([Buffer.from('{"categoryId":7,"name":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]))
const largeBodies = fc
  .constantFrom(99_999, 100_000, 100_001, 150_000)
  .chain((size) =>
    fc.constantFrom(
      Buffer.from('{"name":"Rex","categoryId":7}'.padEnd(size)),
      Buffer.from(`{"categoryId":7,"name":"${'n'.repeat(size - 26)}"}`),
    ),
  )

const badPaths = words(`
  /v1/pets/ /v1/pets// /v1/pets/1/ /v1/pets/1// /v1/pets/1/2 /v1/ /v1 /v1//pets //v1/pets /v1/Pets /V1/pets /v1pets /pets
  /v2/pets /v1/p%65ts /v1%2Fpets /v1/pets%20 /v1/store/nothing /v1/% /v1/pets% /v1/pets/1/%zz /v1/pets#x /v1/pets/{petId}
  /v1/constructor /v1/__proto__`)
const contentTypes = fc.oneof(
  fc.constantFrom('', ...jsonTypes),
  lines(`
text/plain
text/json
application/json5
application/jsonx
application/vnd.api+json
application/x-www-form-urlencoded
application/json; charset=latin1
application/json; charset=utf-16
application/json, text/plain
*/*`),
)
const headerLines = lines(`
content-encoding: gzip
content-encoding: identity
accept: text/html
cookie: a=%zz; limit=5
x-http-method-override: DELETE
x-original-url: /v1/none
range: bytes=0-1
if-none-match: *`).map((line) => line.split(': ', 2))

const withBody =
  (body: Buffer): Change =>
  (request) => ({
    ...request,
    body,
    headers: { 'content-type': 'application/json', ...request.headers },
  })
const asCreation =
  (body: Buffer): Change =>
  (request) =>
    withBody(body)({ ...request, method: 'POST', target: '/v1/pets' })
const withHeader =
  (name: string, value: string): Change =>
  (request) => ({ ...request, headers: { ...request.headers, [name]: value } })

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: badIds.map((id): Change => (request) => ({ ...request, target: `/v1/pets/${id}` })),
  },
  {
    weight: 5,
    arbitrary: badPairs.map((pair): Change => (request) => {
      return { ...request, target: request.target + (request.target.includes('?') ? '&' : '?') + pair }
    }),
  },
  { weight: 5, arbitrary: badBodies.map((text): Change => asCreation(Buffer.from(text))) },
  { weight: 1, arbitrary: badBodies.map((text): Change => withBody(Buffer.from(text))) },
  { weight: 1, arbitrary: badBytes.map(asCreation) },
  {
    weight: 2,
    // a letter of the body taken away or put in its place
    arbitrary: fc
      .tuple(fc.nat(), fc.constantFrom('', '"', '\\', '}', ',', '0', ' ', 'x', '\u0000', 'é'))
      .map(([at, letter]): Change => (request) => {
        if (!request.body) return request
        const text = request.body.toString()
        const start = at % text.length
        return { ...request, body: Buffer.from(text.slice(0, start) + letter + text.slice(start + 1)) }
      }),
  },
  {
    weight: 2,
    arbitrary: badPaths.map((path): Change => (request) => ({
      ...request,
      target: request.target.replace(/^[^?]*/, () => path),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        'GET',
        'GET',
        'POST',
        'HEAD',
        'HEAD',
        'OPTIONS',
        'PUT',
        'DELETE',
        'PATCH',
        'TRACE',
        'PROPFIND',
        'SEARCH',
      )
      .map((method): Change => (request) => ({ ...request, method })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('', 'Bearer', 'Bearer x', `Bearer ak_${'0'.repeat(49)}`, 'Basic dTpw')
      .map((value): Change => withHeader('authorization', value)),
  },
  {
    weight: 3,
    arbitrary: contentTypes.map((type): Change => withHeader('content-type', type)),
  },
  {
    weight: 2,
    arbitrary: headerLines.map(([name = '', value = '']): Change => withHeader(name, value)),
  },
  { weight: 1, arbitrary: fc.constant<Change>(withHeader('transfer-encoding', 'chunked')) },
)

const rarely: fc.Arbitrary<Change> = largeBodies.map(asCreation)

const requests: fc.Arbitrary<Sent> = fc
  .tuple(
    proper,
    fc.oneof(
      { weight: 40, arbitrary: fc.array(change, { maxLength: 3 }) },
      { weight: 1, arbitrary: rarely.map((one) => [one]) },
    ),
  )
  .map(([request, changes]) => changes.reduce<Sent>((changed, apply) => apply(changed), request))

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

/** Values as JSON has them, so that exact and rounded integers compare. */
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

/** Asked as an adapter for a server asks it: with the text of the target, and the body as parsed JSON where it is some. */
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
  test('leads where openapi-backend leads, save for the differences listed here, each of which occurs', async () => {
    const needed = new Map(differences.map(({ name }) => [name, 0]))
    const reached = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(requests, async (generated) => {
        const headers = { authorization: `Bearer ${service.key}`, ...generated.headers }
        const request = { ...generated, headers }
        const [ours, theirs] = [await ourVerdict(request), await stockVerdict(request)]
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
  }, 120_000)
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
