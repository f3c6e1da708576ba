import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import express from 'express'
import { parse as parseExactly } from 'lossless-json'
import supertest from 'supertest'
import { parse as parseYaml } from 'yaml'
import { handlers } from '../../../generated/handlers.ts'
import {
  checkEveryAnswer,
  checkSafeHeaders,
  expectError,
  startService,
  type TestService,
} from '../../support/service.ts'

const contractFile = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

interface Answer {
  status: number
  headers: Record<string, string>
  text: string
}

async function fetchFrom(port: number, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

/** Asks without a key, and checks what every answer must have; pages are not counted, so they show no limit. */
async function page(path: string, init: RequestInit = {}, from = service): Promise<Answer> {
  const answer = await fetchFrom(from.port, path, init)
  if (path.startsWith('/v1/')) checkEveryAnswer(answer)
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
  checkSafeHeaders(answer.status, answer.headers)
  if (!path.startsWith('/assets/')) expect(answer.headers.etag).toBeUndefined()
  return answer
}

describe('pages', () => {
  test.each([
    ['/livez', '{"status":"live"}'],
    ['/readyz', '{"status":"ready"}'],
  ])('%s answers 200 without a key', async (path, text) => {
    const answer = await page(path)
    expect(answer).toMatchObject({ status: 200, text, headers: { 'content-type': 'application/json' } })
    expect(await page(`${path}?probe=1`)).toMatchObject({ status: 200, text })
  })

  test.each(['/', '/docs', '/assets/docs.js', '/livez', '/readyz', '/openapi.yaml', '/openapi.json'])(
    '%s answers HEAD like GET, OPTIONS with 204, and other methods with 405',
    async (path) => {
      const get = await page(path)
      const head = await page(path, { method: 'HEAD' })
      expect(head).toMatchObject({ status: 200, text: '' })
      for (const name of ['content-type', 'content-length']) expect(head.headers[name]).toBe(get.headers[name])
      const options = await page(path, { method: 'OPTIONS' })
      expect(options).toMatchObject({ status: 204, text: '', headers: { allow: 'GET, HEAD, OPTIONS' } })
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status, text, headers } = await page(path, { method })
        expect(status).toBe(405)
        expectError(text, 405, 'method_not_allowed')
        expect(headers.allow).toBe('GET, HEAD, OPTIONS')
      }
    },
  )

  test('a page that is sent a body refuses it and goes on to answer', async () => {
    const { status, text } = await page('/livez', { method: 'POST', body: 'x'.repeat(200_000) })
    expect(status).toBe(405)
    expectError(text, 405)
    expect((await page('/livez')).status).toBe(200)
  })

  test.each([
    '/nothing',
    '/docs/',
    '/Docs',
    '/docs/index.html',
    '/index.html',
    '/assets',
    '/assets/',
    '/assets/docs',
    '/assets/docs.ts',
    '/assets/swagger-ui.css.map',
    '/assets/package.json',
    '/assets/../package.json',
    '/assets/%2e%2e/pages.ts',
    '/assets/..%2fpages.ts',
    '/assets/constructor',
    '/livez/',
    '/LIVEZ',
    '/livez/x',
    '//livez',
    '/%6civez/',
    '/openapi',
    '/openapi.yml',
    '/openapi.yaml/',
    '/favicon.ico',
    '/package.json',
    '/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/%',
    '/%FF',
    '/%c0%ae',
    '/v2/pets',
    '/store/orders',
    '/nothing?x=%',
    '/__proto__',
    '/constructor',
  ])('%s is no page: 404', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, text } = await page(path, { method })
      expect(status).toBe(404)
      expectError(text, 404, 'not_found')
    }
  })

  test('do not say what they are made with, and never quote the request', async () => {
    for (const path of ['/nothing', '/livez', '/<script>alert(1)</script>', '/v1/pets']) {
      const { headers, text } = await page(path)
      expect(headers['x-powered-by']).toBeUndefined()
      expect(headers.server).toBeUndefined()
      expect(text).not.toMatch(/script|express|node_modules|\bat /i)
    }
  })

  test('/readyz answers 503 when the store cannot answer, while /livez stays 200', async () => {
    const broken = await startService()
    await broken.stores.close()
    const { status, text, headers } = await page('/readyz', {}, broken)
    expect(status).toBe(503)
    expectError(text, 503, 'unavailable')
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(text).not.toMatch(/database|sqlite/i)
    expect((await page('/livez', {}, broken)).status).toBe(200)
    await broken.stop()
  })

  test('/readyz answers 503 as soon as the service begins to close, /livez stays 200, and neither is logged', async () => {
    const closing = await startService()
    closing.logged.length = 0
    const closed = closing.close(300)
    const { status, text, headers } = await page('/readyz', {}, closing)
    expect({ status, connection: headers.connection }).toEqual({ status: 503, connection: 'close' })
    expectError(text, 503, 'unavailable')
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect((await page('/livez', {}, closing)).status).toBe(200)
    expect(closing.logged).toEqual([])
    await closed
    rmSync(closing.folder, { recursive: true })
  })
})

describe('pages for people', () => {
  const nothingElse = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  test.each([
    ['/', `${nothingElse}; style-src 'self'; img-src 'self'`],
    ['/docs', `${nothingElse}; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'`],
  ])('%s allows nothing but what it is made of', async (path, policy) => {
    const { status, headers } = await page(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
  })

  test.each(['/', '/docs'])('%s has only files of this server, which are there with their types', async (path) => {
    const types: Record<string, string> = {
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      svg: 'image/svg+xml',
    }
    const { text } = await page(path)
    const sources = (of: string): string[] =>
      [...of.matchAll(/(?:<link [^>]*href=|<script [^>]*src=|url\()["']([^"']*)["']/g)].map(([, name]) => name ?? '')
    const files = sources(text)
    if (path === '/docs') files.push(...sources((await page('/assets/docs.css')).text))
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[a-z-]+\.(css|js|svg)$/)
      const type = types[file.replace(/^.*\./, '')]
      expect(await page(file)).toMatchObject({ status: 200, headers: { 'content-type': type } })
    }
  })

  test('files are sent again only when they are others', async () => {
    const { headers, text } = await page('/assets/swagger-ui-bundle.js')
    expect(text).toContain('SwaggerUIBundle')
    expect(headers['cache-control']).toBe('no-cache')
    const { etag = '' } = headers
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    // fetch would ask for it anew, whatever is known
    const knowing = (known: string): supertest.Test =>
      supertest(service.server).get('/assets/swagger-ui-bundle.js').set('If-None-Match', known)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      expect(await knowing(known)).toMatchObject({ status: 304, text: '', headers: { etag } })
    }
    for (const known of ['"other"', etag.slice(1)]) {
      expect(await knowing(known)).toMatchObject({ status: 200, headers: { etag } })
    }
  })

  test('the home page tells what the contract does, and leads on', async () => {
    const { text } = await page('/')
    expect(text).toMatch(/<h1>Animal Store Service <small>\d+\.\d+\.\d+<\/small><\/h1>/)
    expect(text).toContain('<p>Manages the animals of a store: list them, add one, fetch one.</p>')
    expect(text).toContain('Up: requests are answered.')
    expect(text).toContain('<tr><th scope="row">Pro</th><td>300</td><td>10000</td></tr>')
    expect(text).toContain('<tr><th scope="row">Enterprise</th><td>set per key</td><td>set per key</td></tr>')
    expect(text).toMatch(/^npm run -s keys -- create --plan free +# in a folder with its sources/m)
    expect(text).toMatch(/>animal-store keys create --plan free +# installed as a package$/m)
    const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, to = '']) => to)
    expect(new Set(links)).toEqual(new Set(['/docs', '/openapi.yaml', '/openapi.json', '/readyz', '/metrics']))
    for (const to of links) expect((await page(to)).status).toBe(200)
  })

  test('the home page quotes the contract as text', async () => {
    const file = `${service.folder}/quoted.yaml`
    const title = `'<i>"A & B"</i>'`
    writeFileSync(file, readFileSync(contractFile, 'utf8').replace('title: Animal Store Service', `title: ${title}`))
    const quoted = await startService({}, { contractFile: file, handlers })
    const { text } = await page('/', {}, quoted)
    expect(text).toContain('<title>&#60;i&#62;&#34;A &#38; B&#34;&#60;/i&#62;</title>')
    expect(text).not.toContain('<i>')
    await quoted.stop()
  })

  test('the home page says when requests cannot be answered', async () => {
    const broken = await startService()
    await broken.stores.close()
    const { status, text } = await page('/', {}, broken)
    expect(status).toBe(200)
    expect(text).toContain('Down: requests cannot be answered now.')
    await broken.stop()
  })

  test('the docs page follows the contract only when it is told to', async () => {
    expect((await page('/docs')).text).toContain('<html lang="en">')
    const following = await startService({}, { followContract: true })
    expect((await page('/docs', {}, following)).text).toContain('<html data-follow lang="en">')
    await following.stop()
  })
})

describe('the served contract', () => {
  interface Served {
    servers: { url: string; description: string }[]
    openapi: string
    paths: Record<string, unknown>
  }

  test('is the contract, with the running server before the others', async () => {
    const [yaml, json] = [await page('/openapi.yaml'), await page('/openapi.json')]
    expect(yaml).toMatchObject({ status: 200, headers: { 'content-type': 'application/yaml' } })
    expect(json).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    const written = parseYaml(readFileSync(contractFile, 'utf8')) as Served
    const expected = { ...written, servers: [{ url: '/v1', description: 'This server' }, ...written.servers] }
    expect(parseYaml(yaml.text)).toEqual(expected)
    expect(JSON.parse(json.text)).toEqual(expected)
  })

  test('names the address that clients use when it is known', async () => {
    const known = await startService({ PUBLIC_URL: 'https://api.example.com/store' })
    for (const path of ['/openapi.yaml', '/openapi.json']) {
      const served = parseYaml((await page(path, {}, known)).text) as Served
      expect(served.servers[0]?.url).toBe('https://api.example.com/store/v1')
    }
    await known.stop()
  })

  test('keeps every digit of an int64 and every comment', async () => {
    const written = readFileSync(contractFile, 'utf8')
    const file = `${service.folder}/openapi.yaml`
    writeFileSync(
      file,
      `# before everything\n${written.replace('tags:\n', '# before the tags\ntags: # behind the tags\n')}`,
    )
    const commented = await startService({}, { contractFile: file })
    const yaml = (await page('/openapi.yaml', {}, commented)).text
    for (const comment of ['# before everything\n', '# before the tags\n', '# behind the tags\n']) {
      expect(yaml).toContain(comment)
    }
    expect(written).toContain('9007199254740993')
    expect(yaml).toContain('categoryId: 9007199254740993')
    const json = (await page('/openapi.json', {}, commented)).text
    expect(json).toContain('"categoryId":9007199254740993')
    expect(JSON.stringify(parseExactly(json))).not.toContain('9007199254740992')
    await commented.stop()
  })
})

describe('pages of other origins', () => {
  const origin = 'https://app.example.com'
  const preflight = {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  }

  test('may read nothing unless CORS_ORIGINS allows it', async () => {
    for (const path of ['/livez', '/v1/pets']) {
      const { headers } = await page(path, { headers: { Origin: origin } })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
    const { headers } = await page('/v1/pets', preflight)
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test('may read every answer, refusals too, when their origin is allowed', async () => {
    const open = await startService({ CORS_ORIGINS: `https://other.example, ${origin}` })
    const authorized = { Origin: origin, Authorization: `Bearer ${open.key}` }
    const asked: [status: number, path: string, headers: Record<string, string>][] = [
      [200, '/livez', { Origin: origin }],
      [200, '/openapi.json', { Origin: origin }],
      [401, '/v1/pets', { Origin: origin }],
      [200, '/v1/pets', authorized],
      [400, '/v1/pets?limit=0', authorized],
      [404, '/v1/nothing', authorized],
      [404, '/nothing', { Origin: origin }],
    ]
    for (const [status, path, headers] of asked) {
      const answer = await page(path, { headers }, open)
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
      // a wildcard stands for all headers in answers to requests without credentials, which these are
      expect(answer.headers['access-control-expose-headers']).toBe('*')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
    await open.stop()
  })

  test('are told before they ask what they may send', async () => {
    const open = await startService({ CORS_ORIGINS: origin })
    for (const path of ['/v1/pets', '/v1/pets/1']) {
      const { status, headers, text } = await page(path, preflight, open)
      expect({ status, text }).toEqual({ status: 204, text: '' })
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
      const methods = headers['access-control-allow-methods'] ?? ''
      expect(methods === '*' || methods.includes('POST')).toBe(true)
      const allowed = (headers['access-control-allow-headers'] ?? '').toLowerCase().split(/,\s*/)
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']))
      expect(Number(headers['access-control-max-age'])).toBeGreaterThan(0)
    }
    await open.stop()
  })

  test('may not read when their origin only looks like an allowed one', async () => {
    const open = await startService({ CORS_ORIGINS: origin })
    const strange = [
      'https://app.example.com.evil',
      'http://app.example.com',
      `${origin}:8443`,
      'null',
      'https://evil.example',
    ]
    for (const one of strange) {
      const { headers } = await page('/livez', { headers: { Origin: one } }, open)
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers.vary).toBe('Origin')
    }
    expect((await page('/livez', {}, open)).headers.vary).toBe('Origin')
    await open.stop()
  })

  test('may all read when CORS_ORIGINS is *', async () => {
    const open = await startService({ CORS_ORIGINS: '*' })
    const { headers } = await page('/livez', { headers: { Origin: 'https://any.example' } }, open)
    expect(['*', 'https://any.example']).toContain(headers['access-control-allow-origin'])
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    await open.stop()
  })
})

describe('in an Express application', () => {
  let outer: Server
  let port: number
  beforeAll(async () => {
    const app = express()
    app.get('/mine', (_request, response) => {
      response.send('mine')
    })
    // the whole service behind the application's own routes
    app.use((request, response) => {
      service.server.emit('request', request, response)
    })
    outer = createServer(app)
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve))
    port = (outer.address() as AddressInfo).port
  })
  afterAll(() => new Promise((resolve) => outer.close(resolve)))

  test('the operations answer as they do by themselves, beside routes of the application', async () => {
    const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' }
    expect((await fetchFrom(port, '/mine')).text).toBe('mine')
    const body = '{"name":"Rex","categoryId":9007199254740993}'
    const created = await fetchFrom(port, '/v1/pets', { method: 'POST', headers, body })
    expect(created.status).toBe(201)
    expect(created.text).toMatch(/^\{"id":\d+,"name":"Rex","categoryId":9007199254740993,"status":"available"\}$/)
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/pets?limit=0', '/v1/nothing', '/livez', '/nothing']) {
      const [inside, alone] = [
        await fetchFrom(port, path, { headers }),
        await fetchFrom(service.port, path, { headers }),
      ]
      expect({ status: inside.status, text: inside.text }).toEqual({ status: alone.status, text: alone.text })
      expect(inside.headers['content-type']).toBe(alone.headers['content-type'])
      expect(inside.headers.link).toBe(alone.headers.link)
      expect(inside.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
    }
    expectError((await fetchFrom(port, '/v1/pets')).text, 401, 'unauthorized')
    const large = { method: 'POST', headers, body: 'x'.repeat(200_000) }
    expectError((await fetchFrom(port, '/v1/pets', large)).text, 413, 'payload_too_large')
  })
})
