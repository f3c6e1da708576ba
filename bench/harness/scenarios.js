import { writeCursor } from '../contestants/cursor.js'

/**
 * What the load sends. Each gives a function that makes the n-th request, a Buffer; `keys` are API keys, and `animals`
 * says how many there are. `accepts` are the statuses that count as right.
 */
export const scenarios = {
  /** One animal of all. */
  getPet: {
    accepts: [200],
    requests: ({ keys, animals = 1000 }) => inTurn(finds(keys, animals)),
  },
  /** The same, with the header of a caller that traces, so that each request is traced. */
  tracedPet: {
    accepts: [200],
    requests: ({ keys, animals = 1000 }) =>
      inTurn(finds(keys, animals, `traceparent: 00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01\r\n`)),
  },
  /** One page, always the same. */
  listPets: {
    accepts: [200],
    requests: ({ keys, query = '' }) => inTurn(keys.map((key) => get(`/v1/pets${query}`, key))),
  },
  createPet: {
    accepts: [201],
    requests: ({ keys }) => inTurn(creations(keys)),
  },
  /** Replaces one animal of the second half after another. */
  putPet: {
    accepts: [200],
    requests: ({ keys, animals }) => inTurn(replacements(keys, neighbours(animals / 2), animals / 2)),
  },
  /** Replaces animals from anywhere in the second half. */
  putAnyPet: {
    accepts: [200],
    requests: ({ keys, animals }) => inTurn(replacements(keys, spread(animals / 2), animals / 2)),
  },
  /** Removes one animal after another, from `first` on. */
  deletePet: {
    accepts: [200],
    requests: ({ keys, first }) => {
      return (n) => request('DELETE', `/v1/pets/${first + n}`, keys[n % keys.length])
    },
  },
  /** Of ten requests six for one animal of all, three for a page from anywhere, and one creation. */
  mixed: {
    accepts: [200, 201],
    requests: ({ keys, animals }) => {
      const [find, list, create] = [finds(keys, animals), pages(keys, animals), creations(keys)].map(inTurn)
      const kinds = [find, list, find, find, list, find, create, find, list, find]
      return (n) => kinds[n % kinds.length](n)
    },
  },
  /** Callers behind a proxy, most without a key: half of them from 400 addresses, half from 100 000. */
  strangers: {
    accepts: [200, 401, 429],
    requests: ({ keys, first = 0 }) => {
      const [key] = keys
      return (index) => {
        const n = first + index
        const caller = n % 2 === 0 ? (n / 2) % 400 : (n >> 1) % 100_000
        const address = `10.${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}`
        return get(`/v1/pets/${(n % 1000) + 1}`, n % 10 === 0 ? key : undefined, `X-Forwarded-For: ${address}\r\n`)
      }
    },
  },
}

/** As many as are made before the load begins. */
const most = 20_000

function inTurn(requests) {
  return (n) => requests[n % requests.length]
}

function finds(keys, animals, headers = '') {
  return spread(animals).map((id, index) => get(`/v1/pets/${id}`, keys[index % keys.length], headers))
}

function pages(keys, animals) {
  const last = animals - 20
  return spread(last).map((id, index) => get(`/v1/pets?cursor=${writeCursor(id)}`, keys[index % keys.length]))
}

function creations(keys) {
  return keys.map((key) => sent('POST', '/v1/pets', key))
}

function replacements(keys, ids, behind) {
  return ids.map((id, index) => sent('PUT', `/v1/pets/${behind + id}`, keys[index % keys.length]))
}

/** A request with an animal. */
function sent(method, target, key) {
  const body = '{"name":"Rex","categoryId":7}'
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return request(method, target, key, headers, body)
}

/** Ids from 1 on, at most `last` of them. */
function neighbours(last) {
  return Array.from({ length: Math.min(last, most) }, (_, index) => index + 1)
}

/** Ids from 1 to `last` in no order, spread evenly by the golden ratio. */
function spread(last) {
  return Array.from(
    { length: Math.min(last, most) },
    (_, index) => 1 + Math.floor(((index * 0.618033988749895) % 1) * last),
  )
}

function get(target, key, headers) {
  return request('GET', target, key, headers)
}

function request(method, target, key, headers = '', body = '') {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`
  return Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${headers}\r\n${body}`)
}
