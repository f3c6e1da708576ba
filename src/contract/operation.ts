import type { DefaultedParameters, operations } from '../../generated/openapi.d.ts'
import type { Once } from '../store/resource.ts'
import type { HandlerStores } from '../store/store.ts'
import type { roadHeaders } from './road-headers.ts'

export type OperationId = keyof operations

/** What a handler receives: validated and converted values, with defaults filled in. */
export interface Request<K extends OperationId> {
  readonly path: Parameters<K, 'path'>
  readonly query: WithDefaults<Parameters<K, 'query'>, K>
  readonly header: Parameters<K, 'header'>
  /** Present when the operation declares cookies as parameters. */
  readonly cookie?: Parameters<K, 'cookie'>
  readonly body: Body<K>
  /** The address of the request without its query, for links in the answer. */
  readonly address: string
  /**
   * The id of the API key of the request, or of the first key that it replaces; empty when a public operation was called
   * without one.
   */
  readonly keyId: string
  /** Names the request when it came with an `Idempotency-Key` that its operation declares. */
  readonly once: Once | undefined
  /**
   * Whether what is stored, or undefined where nothing is, is as the headers `If-Match` and `If-None-Match` expect it.
   * Undefined when the request has none, or its operation declares neither these headers nor `ETag`, 304 or 412.
   */
  readonly when: ((stored: unknown) => boolean) | undefined
  /** Whether the contract allows a body for an answer of a status. */
  readonly allows: (status: number, body: unknown) => boolean
  /** When the request arrived, in Unix time in ms. */
  readonly now: number
}

/** What a handler may return: a status that its operation declares, with the body and headers of that status. */
export type Reply<K extends OperationId> = {
  [S in Answered<Responses<K>>]: Flatten<{ status: StatusOf<S> } & Headers<Responses<K>[S]> & Content<Responses<K>[S]>>
}[Answered<Responses<K>>]

export type Handler<K extends OperationId> = (request: Request<K>, stores: HandlerStores) => Promise<Reply<K>>

/** Exactly one handler for each operation of the contract. */
export type Handlers = { readonly [K in OperationId]: Handler<K> }

/**
 * Declares the handler of an operation, and returns it unchanged. It makes the compiler refuse fields that the contract
 * does not declare. For the return value of an annotated function the compiler does not do that
 * (microsoft/TypeScript#241).
 */
export function operation<K extends OperationId, R extends Reply<K>>(
  _operationId: K,
  handler: (request: Request<K>, stores: HandlerStores) => Promise<R & OnlyDeclared<R, Reply<K>>>,
): (request: Request<K>, stores: HandlerStores) => Promise<R> {
  return handler
}

type RoadHeader = (typeof roadHeaders)[number]

type None = object

type Parameters<
  K extends OperationId,
  In extends 'path' | 'query' | 'header' | 'cookie',
> = operations[K]['parameters'] extends {
  readonly [P in In]?: infer V
}
  ? [NonNullable<V>] extends [never]
    ? None
    : NonNullable<V>
  : None

type WithDefaults<Query, K extends OperationId> = Flatten<
  { readonly [P in Extract<keyof Query, DefaultedParameters[K]>]-?: NonNullable<Query[P]> } & {
    readonly [P in keyof Query as Exclude<P, DefaultedParameters[K]>]: Query[P]
  }
>

type Body<K extends OperationId> = operations[K] extends { readonly requestBody?: infer R }
  ? [NonNullable<R>] extends [never]
    ? undefined
    : undefined extends R
      ? Json<NonNullable<R>> | undefined
      : Json<R>
  : undefined

/** The value of a body of each of its media types. */
type Json<T> = T extends { readonly content: infer C } ? C[keyof C] : never

type Responses<K extends OperationId> = operations[K]['responses']

/** The keys of answers that a handler may give: statuses, ranges, and `default` where no success is declared. */
type Answered<R> =
  Extract<keyof R, Success> extends never
    ? Extract<keyof R, number | Range | 'default'>
    : Extract<keyof R, number | Range>

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226 | '2XX'

/** The statuses of ranges (RFC 9110 section 15, and RFC 5842, 4918, 3229, 6585). */
interface Ranges {
  '1XX': never
  '2XX': Exclude<Success, '2XX'>
  '3XX': 300 | 301 | 302 | 303 | 304 | 307 | 308
  '4XX':
    | 400
    | 401
    | 402
    | 403
    | 404
    | 405
    | 406
    | 409
    | 410
    | 411
    | 412
    | 413
    | 414
    | 415
    | 416
    | 417
    | 422
    | 423
    | 428
    | 429
  '5XX': 500 | 501 | 502 | 503 | 504 | 507
}
type Range = keyof Ranges

type StatusOf<S> = S extends Range ? Ranges[S] : S extends 'default' ? number : S

type Content<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer B }
    ? { body: B }
    : { body: C[keyof C] }
  : { body?: undefined }

type Headers<R> = R extends { headers: infer H } ? HeaderField<HandlerHeaders<H>> : HeaderField<None>

type HeaderField<H> = [keyof H] extends [never]
  ? { headers?: undefined }
  : None extends H
    ? { headers?: H }
    : { headers: H }

/** Removes the index signature that openapi-typescript adds to headers, and the headers that the road sets. */
type HandlerHeaders<H> = {
  [P in keyof H as string extends P ? never : P extends RoadHeader ? never : P]: H[P]
}

/** `never` wherever `T` has a field that the member of `Declared` with the same status has not. */
type OnlyDeclared<T, Declared> = T extends { status: infer S } ? Fitting<T, Extract<Declared, { status: S }>> : never

// when a handler returns in several ways, tsc adds `headers?: never` to some, and accepts it where headers are required
type Fitting<T, Shape> = T extends Shape ? Exact<T, Shape> : Shape

/**
 * `never` wherever `T` has a field that no alternative of `Shape` has. A value that the contract gives no type may be
 * anything.
 */
export type Exact<T, Shape> = unknown extends Shape
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Exact<Item, Shape extends readonly (infer S)[] ? S : never>[]
    : T extends object
      ? { [P in keyof T]: [Field<Shape, P>] extends [never] ? never : Exact<T[P], Field<Shape, P>> }
      : T

/** The type of a field in the alternatives that have it. */
type Field<Shape, P> = Shape extends unknown ? (P extends keyof Shape ? Shape[P] : never) : never

type Flatten<T> = { [P in keyof T]: T[P] }
