import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fetchPage } from '../support/page.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

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
      const { headers } = await fetchPage(service, path, { headers: { Origin: origin } })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
    const { headers } = await fetchPage(service, '/v1/pets', preflight)
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
      const answer = await fetchPage(open, path, { headers })
      expect(answer.status).toBe(status)
      const vary = path === '/openapi.json' ? 'Origin, Accept-Encoding' : 'Origin'
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary })
      // a wildcard stands for all headers in answers to requests without credentials, which these are
      expect(answer.headers['access-control-expose-headers']).toBe('*')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
    await open.stop()
  })

  test('are told before they ask what they may send', async () => {
    const open = await startService({ CORS_ORIGINS: origin })
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nothing', '/nothing']) {
      const { status, headers, text } = await fetchPage(open, path, preflight)
      expect({ status, text }).toEqual({ status: 204, text: '' })
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
      const methods = headers['access-control-allow-methods'] ?? ''
      expect(methods === '*' || methods.includes('POST')).toBe(true)
      // a wildcard stands for every header but Authorization (Fetch standard, section 3.3.2)
      expect(headers['access-control-allow-headers']).toBe('*, Authorization')
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
      const { headers } = await fetchPage(open, '/livez', { headers: { Origin: one } })
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers.vary).toBe('Origin')
    }
    expect((await fetchPage(open, '/livez')).headers.vary).toBe('Origin')
    await open.stop()
  })

  test('may all read when CORS_ORIGINS is *', async () => {
    const open = await startService({ CORS_ORIGINS: '*' })
    const { headers } = await fetchPage(open, '/livez', { headers: { Origin: 'https://any.example' } })
    expect(['*', 'https://any.example']).toContain(headers['access-control-allow-origin'])
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    await open.stop()
  })
})
