/* PORT=8081 DATABASE_URL=sqlite:FILE node bench/contestants/express-openapi-backend.js */
import express from 'express'
import { OpenAPIBackend } from 'openapi-backend'
import { quota, unauthorized } from './express-quota.js'
import { apiRoot, failures, host, keyStore, nextLink, openDatabase, petStore, port, readContract } from './store.js'

const contract = readContract()
const db = openDatabase()
const pets = petStore(db)

const api = new OpenAPIBackend({
  definition: contract,
  apiRoot,
  strict: true,
  coerceTypes: true,
  ajvOpts: { useDefaults: true },
  handlers: {
    listPets: ({ request: { query } }, _request, response) => {
      const page = pets.list(query)
      if (!page) return response.status(400).json(failures.badCursor)
      if (page.next) response.set('Link', nextLink(query, page.next))
      response.json(page.pets)
    },
    createPet: ({ request: { requestBody } }, _request, response) => {
      response.status(201).json(pets.add(requestBody))
    },
    getPet: ({ request: { params } }, _request, response) => {
      // path parameters are checked, but not coerced
      const pet = pets.find(Number(params.petId))
      if (pet) response.json(pet)
      else response.status(404).json(failures.noSuchPet(params.petId))
    },
    validationFail: ({ validation }, _request, response) => {
      const message = validation.errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
      response.status(400).json(failures.invalid(message))
    },
    unauthorizedHandler: (_context, _request, response) => unauthorized(response),
    notFound: (_context, _request, response) => response.status(404).json(failures.noSuchPath),
  },
  securityHandlers: {
    bearerAuth: (_context, request) => request.key !== undefined,
  },
})
await api.init()

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use(quota(keyStore(db, contract['x-plans'])))
app.use(express.json())
app.use((request, response) =>
  api.handleRequest(
    {
      method: request.method,
      path: request.path,
      body: request.body,
      query: request.query,
      headers: request.headers,
    },
    request,
    response,
  ),
)
app.use((error, _request, response, _next) => {
  const { status = 500, message } = error
  response.status(status).json(status < 500 ? failures.invalid(message, status) : failures.internal)
})

app.listen(port, host)
