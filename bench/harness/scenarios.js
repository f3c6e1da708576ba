/**
 * What the load sends. Each gives a function that makes the text of the n-th request; `keys` are API keys, one for each
 * connection. `accepts` are the statuses that count as right.
 */
export const scenarios = {
  /** One animal of a thousand, in no order. */
  getPet: {
    accepts: [200],
    requests: ({ keys }) => {
      const texts = Array.from({ length: 1000 }, (_, index) => get(`/v1/pets/${index + 1}`, keys[index % keys.length]))
      return (n) => texts[(n * 379) % texts.length]
    },
  },
  /** One page, always the same. */
  listPets: {
    accepts: [200],
    requests: ({ keys, query = '' }) => {
      const texts = keys.map((key) => get(`/v1/pets${query}`, key))
      return (n) => texts[n % texts.length]
    },
  },
  createPet: {
    accepts: [201],
    requests: ({ keys }) => {
      const body = '{"name":"Rex","categoryId":7}'
      const texts = keys.map(
        (key) =>
          head('POST', '/v1/pets', key, `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) + body,
      )
      return (n) => texts[n % texts.length]
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

function get(target, key, more) {
  return head('GET', target, key, more)
}

function head(method, target, key, more = '') {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`
  return `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${more}\r\n`
}
