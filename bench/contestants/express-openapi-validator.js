/* PORT=8081 DATABASE_URL=sqlite:FILE node bench/contestants/express-openapi-validator.js */
import express from 'express'
import { middleware as openApiValidator } from 'express-openapi-validator'
import { quota, requireKey } from './express-quota.js'
import { apiRoot, failures, host, keyStore, nextLink, openDatabase, petStore, port, readContract } from './store.js'

const contract = readContract()
const db = openDatabase()
const pets = petStore(db)

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use(quota(keyStore(db, contract['x-plans'])), requireKey)
app.use(express.json())
// the key was checked above, because the quota depends on it
app.use(
  openApiValidator({ apiSpec: contract, validateRequests: true, validateResponses: false, validateSecurity: false }),
)

app.get(`${apiRoot}/pets`, (request, response) => {
  const page = pets.list(request.query)
  if (!page) return response.status(400).json(failures.badCursor)
  if (page.next) response.set('Link', nextLink(request.query, page.next))
  response.json(page.pets)
})

app.post(`${apiRoot}/pets`, (request, response) => {
  response.status(201).json(pets.add(request.body))
})

app.get(`${apiRoot}/pets/:petId`, (request, response) => {
  const pet = pets.find(request.params.petId)
  if (pet) response.json(pet)
  else response.status(404).json(failures.noSuchPet(request.params.petId))
})

app.use((_request, response) => {
  response.status(404).json(failures.noSuchPath)
})
app.use((error, _request, response, _next) => {
  const { status = 500, message } = error
  if (status === 404) response.status(404).json(failures.noSuchPath)
  else if (status < 500) response.status(status).json(failures.invalid(message, status))
  else response.status(500).json(failures.internal)
})

app.listen(port, host)
