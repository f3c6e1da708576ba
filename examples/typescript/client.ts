import { setTimeout as sleep } from 'node:timers/promises'
import { isLosslessNumber, parse, stringify } from 'lossless-json'
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { components, operations, paths } from './openapi.d.ts'

export type Pet = components['schemas']['Pet']
type Failure = components['schemas']['Error']

const attempts = 5
/** The first wait if the service does not say how long to wait. It doubles with each attempt. */
const firstWaitMs = 250
/** Long enough for the next minute. The caller handles longer waits, such as for the next day. */
const longestWaitMs = 90_000

export interface Settings {
  /** Where the operations stand, such as `http://127.0.0.1:8080/v1`. */
  url: string
  key: string
  /** Waits before another attempt. */
  wait?: (ms: number) => Promise<unknown>
}

/** A client with the types of the contract. It keeps all digits of 64-bit integers, and waits if the service asks for it. */
export function animalStore({ url, key, wait = sleep }: Settings): Client<paths> {
  const client = createClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${key}` },
    bodySerializer: (body) => stringify(body),
    fetch: (request) => fetchWithRetry(request, wait),
  })
  client.use(exactIntegers)
  return client
}

/** All animals of a filter, oldest first, a page at a time. */
export async function* petPages(
  client: Client<paths>,
  filter: Omit<NonNullable<operations['listPets']['parameters']['query']>, 'cursor'> = {},
): AsyncGenerator<readonly Pet[]> {
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? filter : { ...filter, cursor }
    const { data, error, response } = await client.GET('/pets', { params: { query } })
    if (error) throw new AnimalStoreError(error, response)
    yield data
    cursor = response.headers.get('X-Next-Cursor') ?? undefined
  } while (cursor !== undefined)
}

/** A refusal or failure of the service: the contract's Error, with the wait that the service asks for. */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError'
  readonly status: number
  /** A fixed name of what went wrong, such as `rate_limited`. */
  readonly code: string
  /** The value of `Retry-After`, in seconds. */
  readonly retryAfter: number | undefined

  constructor({ status, code, message }: Failure, { headers }: Response) {
    super(`${status} ${code}: ${message}`)
    this.status = status
    this.code = code
    const header = headers.get('Retry-After')
    this.retryAfter = header === null ? undefined : Number(header)
  }
}

const exactIntegers: Middleware = {
  async onResponse({ response }) {
    const text = await response.text()
    const exact = Object.assign(new Response(text, response), { json: () => Promise.resolve(parse(text, exactly)) })
    // openapi-fetch calls json() only for answers with a Content-Length
    exact.headers.set('Content-Length', String(Buffer.byteLength(text)))
    return exact
  },
}

/** What the contract calls int64 becomes a bigint, as in its types. */
function exactly(name: string, value: unknown): unknown {
  if (!isLosslessNumber(value)) return value
  return name === 'id' || name === 'categoryId' ? BigInt(value.value) : Number(value.value)
}

async function fetchWithRetry(request: Request, wait: (ms: number) => Promise<unknown>): Promise<Response> {
  // adds nothing twice: a creation is repeatable only with an Idempotency-Key
  const repeatable = request.method === 'GET' || request.headers.has('Idempotency-Key')
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(request.clone()).catch((error: unknown) => {
      if (repeatable && attempt < attempts) return undefined
      throw new Error(`No answer from ${new URL(request.url).origin}. Does the service run there?`, { cause: error })
    })
    const refused = response?.status === 429
    const failed = response === undefined || response.status === 503
    if (response && !refused && !(failed && repeatable)) return response
    const waitMs = backOffMs(attempt, response?.headers.get('Retry-After'))
    if (response && (attempt === attempts || waitMs > longestWaitMs)) return response
    await response?.body?.cancel()
    await wait(waitMs)
  }
}

/** At least what the service asks for, plus a random part, so that clients do not retry at the same moment. */
function backOffMs(attempt: number, retryAfter: string | null | undefined): number {
  const extraMs = firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
  return Number(retryAfter ?? 0) * 1000 + Math.ceil(extraMs)
}
