/* PORT=8081 DATABASE_URL=sqlite:FILE node bench/contestants/hono.js */
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { rateLimiter } from 'hono-rate-limiter'
import { HTTPException } from 'hono/http-exception'
import {
  anonymous,
  apiRoot,
  failures,
  host,
  keyStore,
  nextLink,
  openDatabase,
  petStore,
  port,
  readContract,
} from './store.js'

const db = openDatabase()
const pets = petStore(db)
const findKey = keyStore(db, readContract()['x-plans'])

const Status = z.enum(['available', 'pending', 'sold'])
const Int64 = z.number().int()
const NewPet = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(/^\s*[^\s\x00][^\x00]*$/),
    categoryId: Int64,
    status: Status.default('available'),
  })
  .openapi('NewPet')
const Pet = z.object({ id: Int64, name: z.string(), categoryId: Int64, status: Status }).openapi('Pet')
const Failure = z.object({ code: z.string(), message: z.string(), status: z.number().int() }).openapi('Error')

const json = (schema, description) => ({ description, content: { 'application/json': { schema } } })
const failed = { 400: json(Failure, 'Bad request.'), 401: json(Failure, 'No key.'), 429: json(Failure, 'Limited.') }

const listPets = createRoute({
  method: 'get',
  path: '/pets',
  request: {
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      status: Status.optional(),
      cursor: z
        .string()
        .regex(/^[A-Za-z0-9_-]{11}$/)
        .optional(),
    }),
  },
  responses: { 200: json(z.array(Pet), 'A page of animals.'), ...failed },
})
const createPet = createRoute({
  method: 'post',
  path: '/pets',
  request: { body: { required: true, content: { 'application/json': { schema: NewPet } } } },
  responses: { 201: json(Pet, 'The animal was added.'), ...failed },
})
const getPet = createRoute({
  method: 'get',
  path: '/pets/{petId}',
  request: { params: z.object({ petId: z.coerce.number().int() }) },
  responses: { 200: json(Pet, 'The animal.'), 404: json(Failure, 'No such animal.'), ...failed },
})

const app = new OpenAPIHono({
  defaultHook: (result, c) => {
    if (result.success) return
    const message = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    return c.json(failures.invalid(message), 400)
  },
}).basePath(apiRoot)

app.use(async (c, next) => {
  c.set('key', findKey(c.req.header('Authorization')))
  await next()
})
app.use(limiter('minute', 60_000, 'perMinute'), limiter('day', 86_400_000, 'perDay'))
app.use(async (c, next) => {
  const minute = c.get('minute')
  const day = c.get('day')
  showWindow(c, minute.remaining < day.remaining ? minute : day)
  if (c.get('key')) return next()
  return c.json(failures.unauthorized, 401, { 'WWW-Authenticate': 'Bearer' })
})

function limiter(name, windowMs, limit) {
  return rateLimiter({
    windowMs,
    limit: (c) => (c.get('key') ?? anonymous)[limit],
    keyGenerator: (c) => c.get('key')?.id ?? getConnInfo(c).remote.address ?? 'unknown',
    requestPropertyName: name,
    standardHeaders: false,
    handler: (c) => {
      const window = c.get(name)
      showWindow(c, window)
      const waitS = Math.max(1, Math.ceil((window.resetTime.getTime() - Date.now()) / 1000))
      return c.json(failures.limited(window.limit, name), 429, { 'Retry-After': String(waitS) })
    },
  })
}

function showWindow(c, { limit, remaining, resetTime }) {
  c.header('X-RateLimit-Limit', String(limit))
  c.header('X-RateLimit-Remaining', String(remaining))
  c.header('X-RateLimit-Reset', String(Math.ceil(resetTime.getTime() / 1000)))
}

app.openapi(listPets, (c) => {
  const query = c.req.valid('query')
  const page = pets.list(query)
  if (!page) return c.json(failures.badCursor, 400)
  if (page.next) c.header('Link', nextLink(query, page.next))
  return c.json(page.pets, 200)
})
app.openapi(createPet, (c) => c.json(pets.add(c.req.valid('json')), 201))
app.openapi(getPet, (c) => {
  const { petId } = c.req.valid('param')
  const pet = pets.find(petId)
  return pet ? c.json(pet, 200) : c.json(failures.noSuchPet(petId), 404)
})

app.notFound((c) => c.json(failures.noSuchPath, 404))
app.onError((error, c) =>
  error instanceof HTTPException
    ? c.json(failures.invalid(error.message, error.status), error.status)
    : c.json(failures.internal, 500),
)

serve({ fetch: app.fetch, port, hostname: host })
