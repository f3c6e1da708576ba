import type { DefaultedParameters, operations } from '../../generated/openapi.d.ts'
import type { HandlerStores } from '../store/store.ts'
import type { roadHeaders } from './road-headers.ts'

export type OperationId = keyof operations

/** What a handler receives: validated and converted values, with defaults filled in. */
export interface Request<K extends OperationId> {
  readonly path: Parameters<K, 'path'>
  readonly query: WithDefaults<Parameters<K, 'query'>, K>
  readonly header: Parameters<K, 'header'>
  readonly body: Body<K>
  /** The address of the request without its query, for links in the answer. */
  readonly address: string
  /** The id of the API key of the request. */
  readonly keyId: string
  /** When the request arrived, in Unix time in ms. */
  readonly now: number
}

/** What a handler may return: a status that its operation declares, with the body and headers of that status. */
export type Reply<K extends OperationId> = {
  [S in keyof Responses<K> & number]: Flatten<{ status: S } & Headers<Responses<K>[S]> & Content<Responses<K>[S]>>
}[keyof Responses<K> & number]

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

type Parameters<K extends OperationId, In extends 'path' | 'query' | 'header'> = operations[K]['parameters'] extends {
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

type Json<T> = T extends { readonly content: { readonly 'application/json': infer B } } ? B : never

type Responses<K extends OperationId> = operations[K]['responses']

type Content<R> = R extends { content: { readonly 'application/json': infer B } } ? { body: B } : { body?: undefined }

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

type Exact<T, Shape> = T extends readonly (infer Item)[]
  ? readonly Exact<Item, Shape extends readonly (infer S)[] ? S : never>[]
  : T extends object
    ? { [P in keyof T]: P extends keyof Shape ? Exact<T[P], NonNullable<Shape[P]>> : never }
    : T

type Flatten<T> = { [P in keyof T]: T[P] }
