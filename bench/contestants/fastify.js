/* PORT=8081 DATABASE_URL=sqlite:FILE node bench/contestants/fastify.js */
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import openapiGlue from 'fastify-openapi-glue'
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

const contract = readContract()
const db = openDatabase()
const pets = petStore(db)
const findKey = keyStore(db, contract['x-plans'])

// unknown fields are refused and not taken away, as the contract says; OpenAPI's own keywords are not JSON Schema's
const app = Fastify({ ajv: { customOptions: { removeAdditional: false, strict: false } } })

// its parser of text would let other media types through
app.removeContentTypeParser('text/plain')

app.setErrorHandler((error, _request, reply) => {
  const { statusCode = 500, message } = error
  reply.code(statusCode).send(statusCode < 500 ? failures.invalid(message, statusCode) : failures.internal)
})
app.setNotFoundHandler((_request, reply) => {
  reply.code(404).send(failures.noSuchPath)
})

await app.register(rateLimit, { global: false })
const keyGenerator = (request) => request.apiKey?.id ?? request.ip
const minuteLimit = app.createRateLimit({
  keyGenerator,
  timeWindow: 60_000,
  max: (request) => (request.apiKey ?? anonymous).perMinute,
})
const dayLimit = app.createRateLimit({
  keyGenerator,
  timeWindow: 86_400_000,
  max: (request) => (request.apiKey ?? anonymous).perDay,
})

app.decorateRequest('apiKey', undefined)
app.addHook('onRequest', async (request, reply) => {
  request.apiKey = findKey(request.headers.authorization)
  const minute = await minuteLimit(request)
  if (minute.isExceeded) return refuse(reply, minute, 'minute')
  const day = await dayLimit(request)
  if (day.isExceeded) return refuse(reply, day, 'day')
  showWindow(reply, minute.remaining < day.remaining ? minute : day)
  if (!request.apiKey) return reply.code(401).header('WWW-Authenticate', 'Bearer').send(failures.unauthorized)
})

function refuse(reply, window, name) {
  showWindow(reply, window)
  return reply
    .code(429)
    .header('Retry-After', Math.max(1, window.ttlInSeconds))
    .send(failures.limited(window.max, name))
}

function showWindow(reply, { max, remaining, ttl }) {
  reply.header('X-RateLimit-Limit', max)
  reply.header('X-RateLimit-Remaining', remaining)
  reply.header('X-RateLimit-Reset', Math.ceil((Date.now() + ttl) / 1000))
}

await app.register(openapiGlue, {
  specification: contract,
  prefix: apiRoot.slice(1),
  serviceHandlers: {
    listPets: async (request, reply) => {
      const page = pets.list(request.query)
      if (!page) return reply.code(400).send(failures.badCursor)
      if (page.next) reply.header('Link', nextLink(request.query, page.next))
      return page.pets
    },
    createPet: async (request, reply) => {
      reply.code(201)
      return pets.add(request.body)
    },
    getPet: async (request, reply) => {
      const { petId } = request.params
      return pets.find(petId) ?? reply.code(404).send(failures.noSuchPet(petId))
    },
  },
})

await app.listen({ port, host })
