import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { onEachEngine } from '../support/servers/each-engine.ts'
import { expectError, type TestService } from '../support/service.ts'

onEachEngine(({ startService }) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  describe('getPet', () => {
    test('answers the animal with the id', async () => {
      const { id } = await service.stores.pets.add({ name: 'Rex', categoryId: 7n, status: 'sold' })
      const { text } = await service.call('get', `/pets/${id}`).expect(200)
      expect(text).toBe(`{"id":${id},"name":"Rex","categoryId":7,"status":"sold"}`)
    })

    test('answers 404 when no animal has the id', async () => {
      for (const id of ['404', '0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808']) {
        const { text } = await service.call('get', `/pets/${id}`).expect(404)
        expectError(text, 404, 'not_found')
        expect(text).toContain(`No animal has the id ${id}.`)
      }
    })

    test.each([
      '01',
      '1.0',
      '1e0',
      '+1',
      '%201',
      '1%20',
      '0x1',
      '1_0',
      '%EF%BC%91',
      '1%00',
      '-0',
      '-',
      'abc',
      '%2e%2e',
      '1%2f2',
      '9223372036854775808',
      '-9223372036854775809',
      '99999999999999999999',
      'NaN',
      'null',
      '1,2',
    ])('answers 400 to the id %s, which is no int64 in its one spelling', async (id) => {
      const { text } = await service.call('get', `/pets/${id}`).expect(400)
      expectError(text, 400, 'invalid_request')
      expect(text).toContain('path.petId must ')
    })

    test('decodes an escaped digit', async () => {
      const { id } = await service.stores.pets.add({ name: 'Rex', categoryId: 7n, status: 'sold' })
      const escaped = Array.from(String(id), (digit) => `%3${digit}`).join('')
      await service.call('get', `/pets/${escaped}`).expect(200)
    })

    test('carries its deprecation, its sunset, its successor and a link to the docs', async () => {
      const { headers } = await service.call('get', '/pets/1')
      expect(headers).toMatchObject({
        deprecation: `@${Date.UTC(2026, 10, 27) / 1000}`,
        sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
        link: '</docs>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
      })
    })

    test('carries them on failures too, once the operation is known', async () => {
      for (const [path, status] of [
        ['/pets/x', 400],
        ['/pets/999999', 404],
      ] as const) {
        const { headers } = await service.call('get', path).expect(status)
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(['deprecation', 'sunset', 'link']))
      }
      const { status, headers } = await fetch(`http://127.0.0.1:${service.port}/v1/pets/999999`)
      expect([status, headers.has('deprecation'), headers.has('link')]).toEqual([401, false, false])
    })

    test('works after its sunset, with a warning in the log, unless SUNSET_POLICY is gone', async () => {
      const sunset = Date.UTC(2030, 11, 5)
      const going = await startService({}, { now: () => sunset })
      await going.call('get', '/pets/1').expect(404)
      // PostgreSQL without Redis warns of counts that are not shared
      const warnings = going.logged.filter(({ level, msg }) => Number(level) >= 40 && !/REDIS_URL/.test(String(msg)))
      expect(warnings).toMatchObject([{ level: 40, operationId: 'getPet', msg: expect.stringContaining('sunset') }])
      await going.stop()
      let now = sunset - 1
      const removing = await startService({ SUNSET_POLICY: 'gone' }, { now: () => now })
      await removing.call('get', '/pets/1').expect(404)
      now = sunset
      const { text, headers } = await removing.call('get', '/pets/1').expect(410)
      expectError(text, 410, 'gone')
      expect(headers.sunset).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
      await removing.call('get', '/pets').expect(200)
      await removing.stop()
    })

    test('refuses query parameters that it does not have', async () => {
      const { text } = await service.call('get', '/pets/1?verbose=1').expect(400)
      expect(text).toContain('query.verbose is not a parameter of this operation')
    })
  })
})
