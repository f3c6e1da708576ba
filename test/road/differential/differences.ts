import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { jsonTypes, type Sent } from './requests.ts'

/** The result of a request: its status and, when a handler ran, which one and with what arguments. */
export interface Verdict {
  status: number | 'URIError'
  operationId?: string
  given?: unknown
}

/** For a HEAD request it holds the stock engine's verdict on the same request as GET, too. */
export interface StockVerdict extends Verdict {
  asGet?: Verdict
}

export interface Difference {
  name: string
  reason: string
  applies: (request: Sent, ours: Verdict, stock: StockVerdict) => boolean
}

/** All allowed differences between this service and openapi-backend's own `handleRequest`. An entry that no request needs fails the test. */
export const differences: readonly Difference[] = [
  {
    name: 'OPTIONS',
    reason: 'OPTIONS answers 204 with Allow and needs no key; the stock engine knows only declared methods.',
    applies: ({ method }, ours, stock) => method === 'OPTIONS' && ours.status === 204 && stock.status === 405,
  },
  {
    name: 'fragment',
    reason: 'A request target has no fragment (RFC 9112 section 3.2); the stock engine treats "#" as a letter.',
    applies: ({ target }, ours, { status }) =>
      target.includes('#') && ours.status === 400 && isOneOf(status, 401, 404, 405),
  },
  {
    name: 'authentication first',
    reason: 'Without a key nobody learns which paths exist; the stock engine looks for the operation first.',
    applies: (request, ours, { status }) =>
      request.headers.authorization !== undefined && ours.status === 401 && isOneOf(status, 404, 405, 'URIError'),
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
    reason: 'Each resource has one address; the stock engine ignores slashes at the end.',
    applies: (request, ours, { status }) => pathOf(request).endsWith('/') && ours.status === 404 && status !== 404,
  },
  {
    name: 'malformed escapes',
    reason: "A malformed percent-encoding is the client's fault; the stock engine throws, or does not check.",
    applies: (request, ours, { status }) =>
      isMalformed(pathOf(request)) && ours.status === 400 && isOneOf(status, 404, 405, 'URIError'),
  },
  {
    name: 'spelling of integers',
    reason: 'An integer has one spelling; the stock engine accepts whatever JavaScript converts to one, such as 0x10.',
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
    reason: 'An int64 ends at -2^63; the stock engine compares doubles and accepts 1024 values below.',
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
    reason: 'The service does not guess which of two values counts; JSON.parse takes the last.',
    applies: ({ body }, ours, { status }) =>
      ours.status === 400 && status === 201 && new Set(keysIn(body)).size < keysIn(body).length,
  },
  {
    name: 'half surrogate pairs',
    reason: 'Half of a pair is no valid text and would be stored as another character; JSON.parse accepts it.',
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
    reason: 'A parser may ignore a byte order mark (RFC 8259 section 8.1); JSON.parse refuses it.',
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
    reason: 'A compressed body is 415; the stock engine does not check the encoding.',
    applies: (request, ours, { status }) =>
      takesBody(request) &&
      ours.status === 415 &&
      request.headers['content-encoding'] !== undefined &&
      isOneOf(status, 201, 400),
  },
  {
    name: 'size of the body',
    reason: 'A body of more than 100 kB is 413; the stock engine has no limit.',
    applies: (request, ours, { status }) =>
      takesBody(request) && ours.status === 413 && (request.body?.length ?? 0) > 100_000 && isOneOf(status, 201, 400),
  },
  {
    name: 'encoded letters',
    reason: 'A letter means the same percent-encoded (RFC 3986 section 6.2.2.2); the stock engine compares the text.',
    applies: ({ target }, ours, { status }) =>
      /^[^?]*%[2-7][\dA-Fa-f]/.test(target) && status === 404 && ours.status !== 404,
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

/** The listed difference that explains two verdicts on a request, if any. */
export function explanationOf(request: Sent, ours: Verdict, stock: StockVerdict): Difference | undefined {
  return differences.find(({ applies }) => applies(request, ours, stock))
}

function isOneOf(status: Verdict['status'], ...all: Verdict['status'][]): boolean {
  return all.includes(status)
}

function isSuccess(status: Verdict['status']): boolean {
  return status === 200 || status === 201
}

/** Whether the request announces a body and the operation takes one. A chunked body may turn out to be empty. */
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

/** The names in the query, still encoded, also those that `URLSearchParams` does not list. */
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

/** The keys of a JSON body, each as often as it occurs. */
function keysIn(body: Buffer | undefined): string[] {
  const keys = body?.toString().matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g) ?? []
  return Array.from(keys, ([, key]) => JSON.parse(`"${key ?? ''}"`) as string)
}

/** The values of a JSON body, as texts. */
function textIn(body: Buffer | undefined): string[] {
  const value: unknown = JSON.parse(body?.toString() ?? '""')
  return typeof value === 'object' && value !== null ? Object.values(value).map(String) : [String(value)]
}
