/* PORT=8081 DATABASE_URL=sqlite:FILE node bench/contestants/node-http.js */
import { createServer } from 'node:http'
import { readCursor } from './cursor.js'
import { animals } from './node-http-animals.js'
import { admit, windowHeaders } from './node-http-quota.js'
import { anonymous, apiRoot, failures, host, keyStore, openDatabase, port, readContract } from './store.js'

/**
 * The limit: the same job with nothing but Node and the database, written by hand for this one contract. Integers are
 * exact, creations that arrive together share a commit, and answers carry the same headers as the service's.
 */
const contract = readContract()
const findKey = keyStore(openDatabase(), contract['x-plans'])
const pets = animals(openDatabase({ exact: true }))

const petsPath = `${apiRoot}/pets`
const maxBodyBytes = 100_000
const { 'x-deprecated-since': since, 'x-sunset': sunset } = contract.paths['/pets/{petId}'].get
const getPetLifecycle = [
  ...['Deprecation', `@${Date.parse(since) / 1000}`, 'Sunset', new Date(sunset).toUTCString()],
  ...['Link', `<${petsPath}>; rel="successor-version", </openapi.yaml>; rel="deprecation"; type="application/yaml"`],
]
const idPrefix = Math.random().toString(16).slice(2, 10)
let lastId = 0

const server = createServer((request, response) => {
  const headers = ['X-Request-Id', request.headers['x-request-id'] ?? `${idPrefix}-${++lastId}`]
  try {
    const key = findKey(request.headers.authorization)
    const now = Date.now()
    const outcome = admit(key?.id ?? request.socket.remoteAddress, key ?? anonymous, now)
    windowHeaders(outcome, now, headers)
    if (outcome.refusedBy) {
      headers.push('Retry-After', String(outcome.waitS))
      return fail(response, failures.limited(outcome.limit, outcome.refusedBy), headers)
    }
    if (!key) {
      headers.push('WWW-Authenticate', 'Bearer')
      return fail(response, failures.unauthorized, headers)
    }
    route(request, response, headers)
  } catch (error) {
    fail(response, error.failure ?? failures.internal, headers)
  }
})

function route(request, response, headers) {
  const { url } = request
  // Node leaves the body away
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  if (path === petsPath) {
    if (method === 'GET') return list(response, mark < 0 ? '' : url.slice(mark + 1), headers)
    if (method === 'POST') return create(request, response, headers)
    return notAllowed(response, request.method, 'GET, HEAD, POST', headers)
  }
  const id = path.startsWith(`${petsPath}/`) ? path.slice(petsPath.length + 1) : ''
  if (id === '' || id.includes('/')) return fail(response, failures.noSuchPath, headers)
  if (method !== 'GET') return notAllowed(response, request.method, 'GET, HEAD', headers)
  get(response, id, headers)
}

function get(response, text, headers) {
  const id = integer(text)
  if (id === undefined) return fail(response, failures.invalid('path.petId must be an integer.'), headers)
  headers.push(...getPetLifecycle)
  const body = pets.find(id)
  if (body === undefined) return fail(response, failures.noSuchPet(id), headers)
  send(response, 200, body, headers)
}

function list(response, query, headers) {
  const { limit = 20, status, cursor } = listQuery(query)
  const after = cursor === undefined ? 0n : readCursor(cursor)
  if (after === undefined) return fail(response, failures.badCursor, headers)
  const { body, next } = pets.list(limit, status, after)
  if (next !== undefined) {
    const filter = status === undefined ? '' : `&status=${status}`
    headers.push('Link', `<${petsPath}?limit=${limit}${filter}&cursor=${next}>; rel="next"`)
  }
  send(response, 200, body, headers)
}

function create(request, response, headers) {
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
    const message = 'The body must be sent as "Content-Type: application/json".'
    return fail(response, { code: 'unsupported_media_type', message, status: 415 }, headers)
  }
  const chunks = []
  let bytes = 0
  request.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes <= maxBodyBytes) chunks.push(chunk)
  })
  request.on('end', () => {
    if (bytes > maxBodyBytes) {
      const message = `The body must not be larger than ${maxBodyBytes} bytes.`
      return fail(response, { code: 'payload_too_large', message, status: 413 }, headers)
    }
    try {
      const pet = newPet(Buffer.concat(chunks).toString('utf8'))
      pets.add(pet, (error, body) => {
        if (error) fail(response, failures.internal, headers)
        else send(response, 201, body, headers)
      })
    } catch (error) {
      fail(response, error.failure ?? failures.internal, headers)
    }
  })
}

const statuses = new Set(['available', 'pending', 'sold'])

function listQuery(text) {
  const query = {}
  if (text === '') return query
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    const name = equals < 0 ? pair : pair.slice(0, equals)
    const value = equals < 0 ? '' : pair.slice(equals + 1)
    if (name in query) throw refusal(`query.${name} must not be repeated.`)
    if (name === 'limit') {
      query.limit = /^[1-9]\d{0,2}$/.test(value) ? Number(value) : NaN
      if (!(query.limit <= 100)) throw refusal('query.limit must be an integer from 1 to 100.')
    } else if (name === 'status') {
      query.status = value
      if (!statuses.has(value)) throw refusal('query.status must be one of available, pending, sold.')
    } else if (name === 'cursor') {
      query.cursor = value
      if (!/^[A-Za-z0-9_-]{11}$/.test(value)) throw refusal('query.cursor must be taken from a Link header.')
    } else throw refusal(`query.${name} is not a parameter of this operation.`)
  }
  return query
}

function newPet(text) {
  const { name, categoryId, status = 'available', ...rest } = json(text)
  if (typeof name !== 'string' || name.length > 510 || !/^\s*[^\s\x00][^\x00]*$/.test(name) || [...name].length > 255) {
    throw refusal('body.name must be a text of 1 to 255 characters.')
  }
  if (!Number.isInteger(categoryId)) throw refusal('body.categoryId must be an integer.')
  if (!statuses.has(status)) throw refusal('body.status must be one of available, pending, sold.')
  for (const field in rest) throw refusal(`body.${field} is not a known field.`)
  return { name, categoryId: exactly(categoryId, text), status }
}

function json(text) {
  let value
  try {
    value = JSON.parse(text)
  } catch {
    throw refusal('The body is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal('body must be an object.')
  return value
}

/** The digits that JSON.parse rounded away, from the text. */
function exactly(number, text) {
  if (Number.isSafeInteger(number)) return number
  const digits = /"categoryId"\s*:\s*(-?\d+)\s*[,}]/.exec(text)?.[1]
  const value = digits === undefined ? undefined : integer(digits)
  if (value === undefined) throw refusal('body.categoryId must be a 64-bit integer.')
  return value
}

function integer(text) {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function refusal(message) {
  return Object.assign(new Error(message), { failure: failures.invalid(message) })
}

function notAllowed(response, method, allow, headers) {
  headers.push('Allow', allow)
  const message = `This path has no ${method}; it has ${allow}.`
  fail(response, { code: 'method_not_allowed', message, status: 405 }, headers)
}

function fail(response, failure, headers) {
  send(response, failure.status, JSON.stringify(failure), headers)
}

function send(response, status, body, headers) {
  headers.push('Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)))
  response.writeHead(status, headers)
  response.end(body)
}

server.listen(port, host)
