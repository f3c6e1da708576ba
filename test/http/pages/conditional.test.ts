import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import supertest from 'supertest'
import { assetPath } from '../../support/page.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const paths = ['/', '/docs', '/openapi.yaml', '/openapi.json', '/assets/x/home.css', 'its own address']

describe.each(paths)('a client that holds %s', (name) => {
  let path: string
  let tag: string
  const ask = (method: 'get' | 'head', headers: Record<string, string>): supertest.Test =>
    supertest(service.server)[method](path).set('Accept-Encoding', 'identity').set(headers)
  beforeAll(async () => {
    path = name.startsWith('/') ? name : await assetPath(service.port, 'home.css')
    tag = String((await ask('get', {})).headers.etag)
    expect(tag).toMatch(/^"[\w-]{43}"$/)
  })

  test.each([
    ['no-cache', {}],
    ['max-age=0', {}],
    ['no-cache, no-store, max-age=0', { Pragma: 'no-cache' }],
    ['no-cache', { 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
  ])('gets 304 to its If-None-Match, also beside Cache-Control: %s and %j', async (directives, others) => {
    const { 'cache-control': kept } = (await ask('get', {})).headers as Record<string, string>
    for (const method of ['get', 'head'] as const) {
      for (const held of [tag, `W/${tag}`, `"a, b", W/${tag}`, `"other",${tag}`, ' * ']) {
        const answer = await ask(method, { 'If-None-Match': held, 'Cache-Control': directives, ...others })
        expect({ held, status: answer.status }).toEqual({ held, status: 304 })
        expect(answer.headers).toMatchObject({ etag: tag, 'cache-control': kept, vary: 'Accept-Encoding' })
        expect(answer.headers['content-length']).toBeUndefined()
      }
    }
  })

  test.each(['"other"', 'W/"other"', '"*"', '', '"', '"a, b"'])(
    'gets it again when its If-None-Match is %j, whatever If-Modified-Since says',
    async (held) => {
      const { status, headers } = await ask('get', {
        'If-None-Match': held,
        'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT',
      })
      expect({ status, etag: headers.etag }).toEqual({ status: 200, etag: tag })
    },
  )
})
