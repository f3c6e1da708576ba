import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import express from 'express'
import { fetchFrom } from '../support/page.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

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
