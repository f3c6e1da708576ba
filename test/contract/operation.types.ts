/* Every `@ts-expect-error` here is a mistake that the compiler must refuse; tsc fails when one is accepted. */
import { handlers } from '../../generated/handlers.ts'
import { operation, type Exact, type Handlers } from '../../src/contract/operation.ts'

const { getPet, ...withoutGetPet } = handlers
const pet = { id: 1n, name: 'Rex', categoryId: 7n }

// correct code compiles
export const complete: Handlers = { ...withoutGetPet, getPet }
operation('getPet', async () => ({ status: 200, body: pet }))
operation('getPet', async () => ({ status: 404, body: { code: 'not_found', message: 'None.', status: 404 } }))
operation('getPet', async ({ path }) =>
  path.petId > 0n
    ? { status: 200, body: pet }
    : { status: 404, body: { code: 'not_found', message: 'None.', status: 404 } },
)
operation('listPets', async () => ({ status: 200, body: [pet], headers: { Link: '</v1/pets>; rel="next"' } }))

// @ts-expect-error a missing handler
export const missing: Handlers = withoutGetPet
// @ts-expect-error an unknown handler
export const unknown: Handlers = { ...handlers, dropPets: getPet }
// @ts-expect-error a handler of another operation
export const swapped: Handlers = { ...handlers, getPet: handlers.listPets }
// @ts-expect-error an operation that the contract does not have
operation('dropPets', async () => ({ status: 200, body: pet }))
// @ts-expect-error an undeclared status
operation('getPet', async () => ({ status: 418, body: { code: 'teapot', message: 'Short.', status: 418 } }))
// @ts-expect-error a wrong type
operation('getPet', async () => ({ status: 200, body: { ...pet, name: 5 } }))
// @ts-expect-error a value outside the enumeration
operation('getPet', async () => ({ status: 200, body: { ...pet, status: 'lost' } }))
// @ts-expect-error a missing field
operation('getPet', async () => ({ status: 200, body: { id: 1n, name: 'Rex' } }))
// @ts-expect-error a missing body
operation('getPet', async () => ({ status: 200 }))
// @ts-expect-error an extra field
operation('getPet', async () => ({ status: 200, body: { ...pet, secret: 'x' } }))
operation('getPet', async ({ path }) =>
  // @ts-expect-error an extra field on one of two ways out
  path.petId > 0n
    ? { status: 200, body: pet }
    : { status: 404, body: { code: 'not_found', message: 'None.', status: 404, stack: 'x' } },
)
// @ts-expect-error an extra field in an item of a list
operation('listPets', async () => ({ status: 200, body: [{ ...pet, secret: 'x' }] }))
// @ts-expect-error a number where int64 is declared
operation('getPet', async () => ({ status: 200, body: { ...pet, id: 1 } }))
// @ts-expect-error a header that this status does not declare
operation('getPet', async () => ({ status: 200, body: pet, headers: { 'X-Total': '3' } }))
// @ts-expect-error a parameter that the operation does not have
operation('getPet', async ({ path }) => ({ status: 200, body: { ...pet, name: path.name } }))
// @ts-expect-error an int64 parameter is no number
operation('getPet', async ({ path }) => ({ status: 200, body: { ...pet, name: 'x'.repeat(path.petId) } }))
// @ts-expect-error a body where the operation takes none
operation('getPet', async ({ body }) => ({ status: 200, body: { ...pet, name: body.name } }))
// @ts-expect-error a parameter without a default may be absent
operation('listPets', async ({ query }) => ({ status: 200, body: [{ ...pet, status: query.status }] }))
// a parameter with a default is never absent
operation('listPets', async ({ query }) => ({ status: 200, body: [pet].slice(0, query.limit.valueOf()) }))

// a choice of schemas, as `oneOf` gives it, and a value without a type
type Note =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'list'; readonly items: readonly string[] }
const exactly = <T extends Shape, Shape>(shape: Shape, value: T & Exact<T, Shape>): unknown => [shape, value]
declare const note: { readonly note: Note }
declare const anything: { readonly data?: unknown }
exactly(note, { note: { kind: 'text', text: 'Buy milk.' } })
exactly(note, { note: { kind: 'list', items: ['milk'] } })
exactly(note, note)
exactly(anything, { data: { a: [1] } })
// @ts-expect-error a field that no alternative has
exactly(note, { note: { kind: 'text', text: 'Buy milk.', secret: 'x' } })
// @ts-expect-error a field of the other alternative instead of its own
exactly(note, { note: { kind: 'text', items: ['milk'] } })
