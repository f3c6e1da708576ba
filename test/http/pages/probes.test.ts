import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fetchPage } from '../../support/page.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('probes', () => {
  test.each([
    ['/livez', '{"status":"live"}'],
    ['/readyz', '{"status":"ready"}'],
  ])('%s answers 200 without a key', async (path, text) => {
    const answer = await fetchPage(service, path)
    expect(answer).toMatchObject({ status: 200, text, headers: { 'content-type': 'application/json' } })
    expect(await fetchPage(service, `${path}?probe=1`)).toMatchObject({ status: 200, text })
  })

  test('/readyz answers 503 when the store cannot answer, while /livez stays 200', async () => {
    const broken = await startService()
    await broken.stores.close()
    const { status, text, headers } = await fetchPage(broken, '/readyz')
    expect(status).toBe(503)
    expectError(text, 503, 'unavailable')
    // HAProxy asks by OPTIONS
    expect((await fetchPage(broken, '/readyz', { method: 'OPTIONS' })).status).toBe(503)
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(text).not.toMatch(/database|sqlite/i)
    expect((await fetchPage(broken, '/livez')).status).toBe(200)
    await broken.stop()
  })

  test('/readyz answers 503 as soon as the service begins to close, /livez stays 200, and neither is logged', async () => {
    const closing = await startService()
    closing.logged.length = 0
    const closed = closing.close(300)
    const { status, text, headers } = await fetchPage(closing, '/readyz')
    expect({ status, connection: headers.connection }).toEqual({ status: 503, connection: 'close' })
    expectError(text, 503, 'unavailable')
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect((await fetchPage(closing, '/livez')).status).toBe(200)
    expect(closing.logged).toEqual([])
    await closed
    rmSync(closing.folder, { recursive: true })
  })
})
