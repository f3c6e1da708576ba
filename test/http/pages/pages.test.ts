import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import supertest from 'supertest'
import { handlers } from '../../../generated/handlers.ts'
import { startContract } from '../../support/contracts/echo.ts'
import { done } from '../../support/contracts/things.ts'
import { assetPath, fetchPage } from '../../support/page.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'

const contractFile = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('pages', () => {
  test.each(['/', '/docs', '/assets/x/docs.js', '/livez', '/readyz', '/openapi.yaml', '/openapi.json'])(
    '%s answers HEAD like GET, OPTIONS with 204, and other methods with 405',
    async (path) => {
      const get = await fetchPage(service, path)
      const head = await fetchPage(service, path, { method: 'HEAD' })
      expect(head).toMatchObject({ status: 200, text: '' })
      for (const name of ['content-type', 'content-length']) expect(head.headers[name]).toBe(get.headers[name])
      const options = await fetchPage(service, path, { method: 'OPTIONS' })
      expect(options).toMatchObject({ status: 204, text: '', headers: { allow: 'GET, HEAD, OPTIONS' } })
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status, text, headers } = await fetchPage(service, path, { method })
        expect(status).toBe(405)
        expectError(text, 405, 'method_not_allowed')
        expect(headers.allow).toBe('GET, HEAD, OPTIONS')
      }
    },
  )

  test('a page that is sent a body refuses it and goes on to answer', async () => {
    const { status, text } = await fetchPage(service, '/livez', { method: 'POST', body: 'x'.repeat(200_000) })
    expect(status).toBe(405)
    expectError(text, 405)
    expect((await fetchPage(service, '/livez')).status).toBe(200)
  })

  test.each([
    '/nothing',
    '/Docs',
    '/docs/index.html',
    '/index.html',
    '/assets',
    '/assets/',
    '/assets/docs.js',
    '/assets/../package.json',
    '/assets/x/../docs.js',
    '/assets/x%2fdocs.js',
    '/assets/%FF/docs.js',
    '/assets/x/y/docs.js',
    '/assets/%2e%2e/pages.ts',
    '/assets/..%2fpages.ts',
    '/assets//docs.js',
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
      const { status, text } = await fetchPage(service, path, { method })
      expect(status).toBe(404)
      expectError(text, 404, 'not_found')
    }
  })

  test('are found with a slash at the end as well', async () => {
    for (const query of ['', '?a=b&c']) {
      const answer = await fetch(`http://127.0.0.1:${service.port}/docs/${query}`, { redirect: 'manual' })
      const { location, 'content-length': length } = Object.fromEntries(answer.headers)
      expect({ status: answer.status, location, length }).toEqual({
        status: 308,
        location: `../docs${query}`,
        length: '0',
      })
    }
  })

  test('do not say what they are made with, and never quote the request', async () => {
    for (const path of ['/nothing', '/livez', '/<script>alert(1)</script>', '/v1/pets']) {
      const { headers, text } = await fetchPage(service, path)
      expect(headers['x-powered-by']).toBeUndefined()
      expect(headers.server).toBeUndefined()
      expect(text).not.toMatch(/script|express|node_modules|\bat /i)
    }
  })
})

describe('pages for people', () => {
  const nothingElse = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  test.each([
    ['/', `${nothingElse}; script-src 'self'; style-src 'self'; img-src 'self'`],
    ['/docs', `${nothingElse}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`],
  ])('%s allows nothing but what it is made of', async (path, policy) => {
    const { status, headers } = await fetchPage(service, path)
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
    const { text } = await fetchPage(service, path)
    // relative addresses alone, and those that the files name in turn
    const sources = (of: string, at: string): string[] =>
      [...of.matchAll(/(?:<link [^>]*href=|<script [^>]*src=|url\(|^import .* from )["']([^"'#/][^"']*)["']/gm)].map(
        ([, name = '']) => new URL(name, `http://host${at}`).pathname,
      )
    const named = sources(text, path).filter((file) => file !== '/openapi.json')
    const files = new Set(named)
    for (const file of files) {
      for (const one of sources((await fetchPage(service, file)).text, file)) files.add(one)
    }
    // so that a browser asks for all of them at once
    if (path === '/docs') expect(new Set(named)).toEqual(files)
    expect(files.size).toBeGreaterThan(path === '/docs' ? 10 : 1)
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[\da-f]{16}\/[a-z-]+\.(css|js|svg)$/)
      const type = types[file.replace(/^.*\./, '')]
      expect(await fetchPage(service, file)).toMatchObject({ status: 200, headers: { 'content-type': type } })
    }
  })

  test('static files have an address of their content, which browsers keep for ever', async () => {
    const path = await assetPath(service.port, 'docs.js')
    const { headers, text } = await fetchPage(service, path)
    expect(text).toContain('addEventListener')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    // as a process of another version names it
    const other = await fetchPage(service, '/assets/0123456789abcdef/docs.js')
    expect(other).toMatchObject({ status: 200, text, headers: { 'cache-control': 'no-cache' } })
    for (const name of ['docs.ts', 'docs.html', 'package.json', 'request.d.ts', 'constructor', '__proto__']) {
      const { status, text: error } = await fetchPage(service, path.replace('docs.js', name))
      expect(status).toBe(404)
      expectError(error, 404, 'not_found')
    }
  })

  // fetch would ask anew, whatever is known, and hide the coding
  const ask = (path: string, headers: Record<string, string>): supertest.Test =>
    supertest(service.server)
      .get(path)
      .set(headers)
      .buffer(true)
      .parse((response, done) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () => {
          done(null, Buffer.concat(pieces))
        })
      })

  test.each(['/', '/docs', '/openapi.yaml', '/openapi.json', '/assets/x/docs.js', '/assets/x/docs.css'])(
    '%s is sent again only when it is another, and compressed where the client accepts it',
    async (path) => {
      const seen = new Set<string>()
      for (const [accepted, coding] of [
        ['identity', undefined],
        ['gzip', 'gzip'],
        ['gzip, deflate, br', 'br'],
        ['br;q=0, gzip', 'gzip'],
        ['deflate', undefined],
      ] as const) {
        const { status, headers } = await ask(path, { 'Accept-Encoding': accepted })
        expect(status).toBe(200)
        const { etag = '', vary, 'content-encoding': used } = headers as Record<string, string | undefined>
        expect({ used, vary }).toEqual({ used: coding, vary: 'Accept-Encoding' })
        expect(etag).toMatch(/^"[\w-]{43}(-br|-gzip)?"$/)
        seen.add(etag)
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await ask(path, { 'Accept-Encoding': accepted, 'If-None-Match': known })
          expect(again).toMatchObject({ status: 304, headers: { etag } })
          expect(again.headers['content-length']).toBeUndefined()
        }
        for (const known of ['"other"', etag.slice(1)]) {
          const again = await ask(path, { 'Accept-Encoding': accepted, 'If-None-Match': known })
          expect(again).toMatchObject({ status: 200, headers: { etag } })
        }
      }
      expect(seen.size).toBe(3)
      const plain = ((await ask(path, { 'Accept-Encoding': 'identity' })).body as Buffer).toString()
      for (const coding of ['br', 'gzip']) {
        // supertest has decompressed the body
        const answer = await ask(path, { 'Accept-Encoding': coding })
        expect((answer.body as Buffer).toString()).toBe(plain)
        expect(Number(answer.headers['content-length'])).toBeLessThan(plain.length * 0.6)
      }
    },
  )

  test.each([
    ['gzip;q=1.0, br;q=0.1', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['*', 'br'],
    ['BR ; q=0, *;q=0.5', 'gzip'],
    ['*;q=0', undefined],
    ['identity;q=0, gzip', 'gzip'],
    [';q=1,,br=1;q=x', undefined],
  ])('a client that accepts %j gets the coding that it prefers', async (accepted, coding) => {
    const { status, headers } = await ask('/openapi.json', { 'Accept-Encoding': accepted })
    expect({ status, coding: headers['content-encoding'] }).toEqual({ status: 200, coding })
  })

  test('the home page tells what the contract does, and leads on', async () => {
    const { text } = await fetchPage(service, '/')
    expect(text).toMatch(/<h1>Animal Store Service <small>\d+\.\d+\.\d+<\/small><\/h1>/)
    expect(text).toContain('<p>Manages the animals of a store: list them, add one, fetch one.</p>')
    expect(text).toContain('Up: requests are answered.')
    expect(text).toContain('<tr><th scope="row">Pro</th><td>300</td><td>10000</td></tr>')
    expect(text).toContain('<tr><th scope="row">Enterprise</th><td>set per key</td><td>set per key</td></tr>')
    expect(text).toMatch(/^npm run -s keys -- create --plan free +# in a folder with its sources/m)
    expect(text).toMatch(/>animal-store keys create --plan free +# installed as a package$/m)
    const links = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, to = '']) => to)
    expect(new Set(links)).toEqual(
      new Set(['docs', 'docs#guide-errors', 'openapi.yaml', 'openapi.json', 'readyz', 'metrics']),
    )
    for (const to of links) expect((await fetchPage(service, `/${to.replace(/#.*/, '')}`)).status).toBe(200)
    // what concerns operators comes last
    for (const one of ['animal-store keys', 'readyz', 'metrics']) {
      expect(text.indexOf(one)).toBeGreaterThan(text.indexOf('For operators'))
    }
  })

  test('the home page tells how a key is sent', async () => {
    const { text } = await fetchPage(service, '/')
    expect(text).toContain(
      'Every operation needs an API key, sent as &#34;Authorization: Bearer &#60;API_KEY&#62;&#34;. ' +
        'You get it from whoever runs the service. Put it in the place of &#60;API_KEY&#62;:',
    )
  })

  const header = '{ type: apiKey, in: header, name: X-Api-Key }'
  test.each([
    [
      '[{ Key: [] }]',
      header,
      '[{ Key: [] }]',
      'Every operation needs an API key, sent as &#34;X-Api-Key: &#60;API_KEY',
      'X-Api-Key: &#60;',
    ],
    [
      '[{ Key: [] }]',
      '{ type: http, scheme: basic }',
      '[{ Key: [] }]',
      'sent as the password of &#34;Authorization: Basic&#34;.',
      "-u ':&#60;",
    ],
    ['[]', header, '[{ Key: [] }]', 'Some operations need an API key, sent as &#34;X-Api-Key: ', '/things'],
    ['[{ Key: [] }]', header, '[{}]', 'Put it in the place of &#60;API_KEY&#62;:', 'X-Api-Key: &#60;'],
    ['[]', header, '[{}, { Key: [] }]', 'No operation needs an API key:', '/things'],
  ])(
    'the home page of a contract with the security %s, of %s, and %s tells of its keys',
    async (first, scheme, second, told, command) => {
      const contract = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: /v1 }]
paths:
  /things: { get: { operationId: getThings, security: ${first}, ${done} } }
  /others: { get: { operationId: getOthers, security: ${second}, ${done} } }
components: { securitySchemes: { Key: ${scheme} } }
`
      const other = await startContract(contract, ['getThings', 'getOthers'], () => Promise.resolve({ status: 204 }))
      const { text } = await fetchPage(other, '/')
      expect(text).toContain(told)
      const [, shown = ''] = /id="first-request".*?>([^]*?)<\/code>/.exec(text) ?? []
      expect(shown).toContain(command)
      expect(shown.includes('API_KEY')).toBe(first !== '[]')
      expect(text.includes('in the place of')).toBe(first !== '[]')
      expect(text.includes('Bearer')).toBe(false)
      await other.stop()
    },
  )

  test('the home page quotes the contract as text', async () => {
    const file = `${service.folder}/quoted.yaml`
    const title = `'<i>"A & B"</i>'`
    writeFileSync(file, readFileSync(contractFile, 'utf8').replace('title: Animal Store Service', `title: ${title}`))
    const quoted = await startService({}, { contractFile: file, handlers })
    const { text } = await fetchPage(quoted, '/')
    expect(text).toContain('<title>&#60;i&#62;&#34;A &#38; B&#34;&#60;/i&#62;</title>')
    expect(text).not.toContain('<i>')
    await quoted.stop()
  })

  test('the home page says when requests cannot be answered', async () => {
    const broken = await startService()
    await broken.stores.close()
    const { status, text } = await fetchPage(broken, '/')
    expect(status).toBe(200)
    expect(text).toContain('Down: requests cannot be answered now.')
    await broken.stop()
  })

  test('the docs page follows the contract only when it is told to', async () => {
    expect((await fetchPage(service, '/docs')).text).toContain('<html lang="en">')
    const following = await startService({}, { followContract: true })
    expect((await fetchPage(following, '/docs')).text).toContain('<html data-follow lang="en">')
    await following.stop()
  })
})
