/*
 * node bench/conformance.js [--only NAME,NAME]
 *
 * Starts each contestant, asks for what the comparison rests on, and prints what each lacks. Exits with 1 when one
 * lacks a thing that all must have.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Agent, request } from 'node:http'
import { chosen, doesTheJob } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { temporaryFolder } from './harness/processes.js'
import { startServer } from './harness/servers.js'

/**
 * Gives what a contestant lacks: `needed` are faults that make a comparison unfair, `more` are parts of the contract
 * that the comparison leaves out.
 */
export async function conformanceOf(contestant, database) {
  const server = await startServer(contestant, { database })
  const agent = new Agent({ keepAlive: true })
  const ask = (method, target, options) => exchange({ agent, port: server.port, method, target, ...options })
  try {
    return {
      needed: await lacks(neededChecks, ask, database.keys),
      more: await lacks(moreChecks, ask, database.keys),
    }
  } finally {
    agent.destroy()
    await server.stop()
  }
}

const animal = (id) => ({
  id,
  name: `Animal ${id}`,
  categoryId: (id % 50) + 1,
  status: id % 10 < 7 ? 'available' : id % 10 < 9 ? 'pending' : 'sold',
})
const animals = (ids) => JSON.stringify(ids.map(animal))
const range = (first, last) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

const neededChecks = {
  '200 for a list, with Link to the next page': async (ask, { load: [key] }) => {
    const first = await ask('GET', '/v1/pets', { key })
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.link ?? '')?.[1]
    if (!next) return 'no Link'
    const second = await ask('GET', next, { key })
    const last = await ask('GET', '/v1/pets?status=sold&limit=100', { key })
    return (
      answers(first, 200, animals(range(1, 20)), 999_999_999) ??
      answers(second, 200, animals(range(21, 40)), 999_999_999) ??
      answers(last, 200, animals(range(1, 1000).filter((id) => id % 10 === 9))) ??
      (last.headers.link === undefined ? undefined : 'Link on a last page')
    )
  },
  '200 for one animal': async (ask, { load: [key] }) =>
    answers(await ask('GET', '/v1/pets/7', { key }), 200, JSON.stringify(animal(7)), 999_999_999),
  '404 for an animal that is not there': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/pets/123456', { key }), 404, 999_999_999),
  '404 for another path': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/dogs', { key }), 404, 999_999_999),
  '400 for a wrong query': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/pets?limit=0', { key }), 400, 999_999_999) ??
    fails(await ask('GET', '/v1/pets?status=dead', { key }), 400, 999_999_999),
  '400 for a wrong id': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/pets/seven', { key }), 400, 999_999_999),
  '400 for a wrong body': async (ask, { load: [key] }) => {
    for (const body of [
      '{"name":"Rex"}',
      '{"name":"","categoryId":1}',
      '{"name":',
      '{"name":"Rex","categoryId":"x"}',
    ]) {
      const fault = fails(await ask('POST', '/v1/pets', { key, body }), 400, 999_999_999)
      if (fault) return `${body}: ${fault}`
    }
  },
  '401 with WWW-Authenticate': async (ask, { load: [key], unknown }) => {
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
    for (const wrong of [undefined, 'nonsense', mistyped, unknown]) {
      const answer = await ask('GET', '/v1/pets/7', { key: wrong })
      const fault = fails(answer, 401, 60)
      if (fault) return fault
      if (!/^bearer\b/i.test(answer.headers['www-authenticate'] ?? '')) return 'no WWW-Authenticate'
    }
  },
  '201 for a new animal, which is found again': async (ask, { load: [key] }) => {
    const made = await ask('POST', '/v1/pets', { key, body: '{"name":"Rex 🦖","categoryId":7}' })
    const expected = `{"id":1001,"name":"Rex 🦖","categoryId":7,"status":"available"}`
    return (
      answers(made, 201, expected, 999_999_999) ?? answers(await ask('GET', '/v1/pets/1001', { key }), 200, expected)
    )
  },
  '429 when the minute is used up': async (ask, { fivePerMinute: key }) => limited(ask, key, 5, 5),
  '429 when the day is used up': async (ask, { threePerDay: key }) => limited(ask, key, 3, 3),
}

const moreChecks = {
  'exact 64-bit integers': async (ask, { load: [key] }) => {
    const made = await ask('POST', '/v1/pets', { key, body: '{"name":"Rex","categoryId":9007199254740993}' })
    const found = await ask('GET', `/v1/pets/${JSON.parse(made.body).id}`, { key })
    return found.body.includes('9007199254740993') ? undefined : 'digits are lost'
  },
  'ids outside 64 bits refused': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/pets/9223372036854775808', { key }), 400),
  'integers in one spelling only': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/pets?limit=1e1', { key }), 400) ??
    fails(await ask('GET', '/v1/pets/0x7', { key }), 400),
  'unknown query parameters refused': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/pets?colour=red', { key }), 400),
  'repeated query parameters refused': async (ask, { load: [key] }) =>
    fails(await ask('GET', '/v1/pets?limit=1&limit=2', { key }), 400),
  'unknown body fields refused': async (ask, { load: [key] }) =>
    fails(await ask('POST', '/v1/pets', { key, body: '{"name":"Rex","categoryId":7,"colour":"red"}' }), 400),
  'body values of another type refused': async (ask, { load: [key] }) =>
    fails(await ask('POST', '/v1/pets', { key, body: '{"name":5,"categoryId":"7"}' }), 400),
  'other media types refused with 415': async (ask, { load: [key] }) =>
    fails(await ask('POST', '/v1/pets', { key, body: '{"name":"Rex","categoryId":7}', type: 'text/plain' }), 415),
  '405 with Allow': async (ask, { load: [key] }) => {
    const answer = await ask('DELETE', '/v1/pets/7', { key })
    return fails(answer, 405) ?? (answer.headers.allow ? undefined : 'no Allow')
  },
  'Deprecation and Sunset': async (ask, { load: [key] }) => {
    const { headers } = await ask('GET', '/v1/pets/7', { key })
    return headers.deprecation && headers.sunset ? undefined : 'none'
  },
  'RateLimit and X-Request-Id': async (ask, { load: [key] }) => {
    const { headers } = await ask('GET', '/v1/pets/7', { key })
    return headers.ratelimit && headers['ratelimit-policy'] && headers['x-request-id'] ? undefined : 'none'
  },
}

async function lacks(checks, ask, keys) {
  const found = []
  for (const [what, check] of Object.entries(checks)) {
    const fault = await check(ask, keys)
    if (fault !== undefined) found.push({ what, fault })
  }
  return found
}

async function limited(ask, key, times, limit) {
  for (let left = times - 1; left >= 0; left--) {
    const { status, headers } = await ask('GET', '/v1/pets/7', { key })
    if (status !== 200) return `${status} too early`
    if (headers['x-ratelimit-remaining'] !== String(left))
      return `${headers['x-ratelimit-remaining']} left, not ${left}`
  }
  const answer = await ask('GET', '/v1/pets/7', { key })
  const waitS = Number(answer.headers['retry-after'])
  const resetS = Number(answer.headers['x-ratelimit-reset'])
  return (
    fails(answer, 429, limit) ??
    (waitS >= 1 && Math.abs(Date.now() / 1000 + waitS - resetS) < 2
      ? undefined
      : `Retry-After ${waitS}, reset ${resetS}`)
  )
}

function answers({ status, headers, body }, expected, text, limit) {
  if (status !== expected) return `${status} instead of ${expected}`
  if (!headers['content-type']?.startsWith('application/json')) return `Content-Type ${headers['content-type']}`
  return (body === text ? undefined : `another body: ${body.slice(0, 200)}`) ?? (limit && shows(headers, limit))
}

function fails({ status, headers, body }, expected, limit) {
  if (status !== expected) return `${status} instead of ${expected}`
  try {
    const error = JSON.parse(body)
    const right = /^[a-z_]+$/.test(error.code) && error.message.length > 0 && error.status === expected
    return right ? limit && shows(headers, limit) : `no Error body: ${body.slice(0, 200)}`
  } catch {
    return `no JSON: ${body.slice(0, 200)}`
  }
}

function shows(headers, limit) {
  const [shown, remaining, resetS] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])
  if (shown !== String(limit)) return `X-RateLimit-Limit ${shown}`
  if (!(Number(remaining) >= 0 && Number(remaining) < limit)) return `X-RateLimit-Remaining ${remaining}`
  const inS = Number(resetS) - Date.now() / 1000
  return inS > -1 && inS <= 86_401 ? undefined : `X-RateLimit-Reset ${resetS}`
}

function exchange({ agent, port, method, target, key, body, type = 'application/json' }) {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
    }
    const asked = request({ agent, host: '127.0.0.1', port, method, path: target, headers })
    asked.once('error', reject)
    asked.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, body: text }))
    })
    asked.end(body)
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  const database = await seedDatabase(join(temporaryFolder(), 'template.db'), 1000)
  for (const contestant of chosen(values.only).filter(doesTheJob)) {
    const { needed, more } = await conformanceOf(contestant, database)
    console.log(`${contestant.title}: ${needed.length === 0 ? 'conforms' : 'does not conform'}`)
    for (const { what, fault } of needed) console.log(`  lacks: ${what} (${fault})`)
    for (const { what, fault } of more) console.log(`  leaves out: ${what} (${fault})`)
    if (needed.length > 0) process.exitCode = 1
  }
}
