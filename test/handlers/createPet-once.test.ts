import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { onEachEngine } from '../support/servers/each-engine.ts'
import { serve } from '../support/process.ts'
import { close, rawRequests, rex } from '../support/raw.ts'
import { expectError, type TestService } from '../support/service.ts'

const day = 86_400_000

onEachEngine(({ newStore, startService }) => {
  let now = 1_800_000_000_000
  let service: TestService
  beforeAll(async () => {
    service = await startService({}, { now: () => now })
  })
  afterAll(() => service.stop())

  let keys = 0
  const { post, only } = rawRequests(() => service)

  /** A new Idempotency-Key. */
  function newName(): string {
    keys += 1
    return `name-${keys}`
  }

  async function create(name: string, body = rex, on = service): Promise<Response> {
    return on.call('post', '/pets').set({ 'Content-Type': 'application/json', 'Idempotency-Key': name }).send(body)
  }

  async function count(): Promise<number> {
    return (await service.stores.pets.list({ limit: 1_000_000 })).length
  }

  describe('createPet with an Idempotency-Key', () => {
    test('answers the first answer again, byte for byte, and adds nothing', async () => {
      const name = newName()
      const first = await create(name)
      expect(first.status).toBe(201)
      expect(first.headers).not.toHaveProperty('idempotency-replayed')
      const before = await count()
      for (let repetition = 0; repetition < 3; repetition += 1) {
        const again = await create(name)
        expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: first.text })
        expect(again.headers['idempotency-replayed']).toBe('true')
      }
      expect(await count()).toBe(before)
    })

    test('compares values, and not the text of the body', async () => {
      const name = newName()
      const { text } = await create(name)
      for (const body of [
        ' {"categoryId":7.0,"name":"\\u0052ex"}',
        '{"name":"Rex","categoryId":7,"status":"available"}',
      ]) {
        expect(await create(name, body)).toMatchObject({ status: 201, text })
      }
    })

    test.each([
      '{"name":"rex","categoryId":7}',
      '{"name":"Rex","categoryId":8}',
      '{"name":"Rex","categoryId":7,"status":"sold"}',
      '{"name":"Rex","categoryId":9223372036854775807}',
    ])('answers 409 to %s under a name that stands for another body', async (body) => {
      const name = newName()
      const { text } = await create(name)
      const before = await count()
      const refused = await create(name, body)
      expect(refused.status).toBe(409)
      expectError(refused.text, 409, 'idempotency_conflict')
      expect(refused.headers).not.toHaveProperty('idempotency-replayed')
      expect(await count()).toBe(before)
      expect((await create(name)).text).toBe(text)
    })

    test('remembers for 24 hours and then adds again', async () => {
      const name = newName()
      const first = await create(name)
      now += day - 1
      expect((await create(name)).text).toBe(first.text)
      now += 1
      const second = await create(name, '{"name":"Mia","categoryId":8}')
      expect(second.status).toBe(201)
      expect(second.headers).not.toHaveProperty('idempotency-replayed')
      expect((await create(name, '{"name":"Mia","categoryId":8}')).text).toBe(second.text)
      expect((await create(name)).status).toBe(409)
    })

    test('keeps the names of different API keys apart', async () => {
      const name = newName()
      const { text } = await create(name)
      const other = await service.addKey()
      const headers = { Authorization: `Bearer ${other.key}`, 'Idempotency-Key': name }
      const theirs = await service.call('post', '/pets').set(headers).type('json').send(rex)
      expect(theirs.status).toBe(201)
      expect(theirs.text).not.toBe(text)
      expect(theirs.headers).not.toHaveProperty('idempotency-replayed')
    })

    test('remembers nothing of a request that failed', async () => {
      const name = newName()
      expect((await create(name, '{"name":"Rex"}')).status).toBe(400)
      const first = await create(name)
      expect(first.status).toBe(201)
      expect(first.headers).not.toHaveProperty('idempotency-replayed')
    })

    test('accepts every visible ASCII character, up to 255 of them', async () => {
      const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))
      for (const name of ['x', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', visible, visible.repeat(3).slice(0, 255)]) {
        expect((await create(name)).status).toBe(201)
        expect((await create(name)).headers['idempotency-replayed']).toBe('true')
      }
    })

    const visible = 'must have visible ASCII characters alone, without spaces'
    test.each([
      ['an empty one', '', 'must not be empty'],
      ['a blank inside', 'a b', visible],
      ['a tab inside', 'a\tb', visible],
      ['a letter beyond ASCII', 'na\u00efve', visible],
      ['256 characters', 'x'.repeat(256), 'must have at most 255 characters'],
      ['two of them', 'a\r\nIdempotency-Key: b', visible],
    ])('refuses %s', async (_, name, rule) => {
      const before = await count()
      const request = post(rex, `Idempotency-Key: ${name}`, close)
      const { status, body } = await only(Buffer.from(request, 'latin1'))
      expect(status).toBe(400)
      expectError(body, 400, 'invalid_request')
      expect(body).toContain(`"header.idempotency-key ${rule}."`)
      expect(await count()).toBe(before)
    })

    test('makes one animal of 100 requests that race on two processes', async () => {
      const env = { DATABASE_URL: await newStore() }
      const one = await startService(env)
      const other = await serve(env)
      const addresses = [`http://127.0.0.1:${one.port}/v1`, other.address]
      const headers = {
        Authorization: `Bearer ${one.key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'one',
      }
      let unavailable = 0
      const send = async (address: string): Promise<{ answer: string; replayed: boolean }> => {
        const response = await fetch(`${address}/pets`, { method: 'POST', headers, body: rex })
        const text = await response.text()
        if (response.status !== 503) {
          return { answer: `${response.status} ${text}`, replayed: response.headers.has('Idempotency-Replayed') }
        }
        // on a busy machine PostgreSQL may miss its time limit; clients send again then
        unavailable += 1
        return send(address)
      }
      const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => send(addresses[index % 2] ?? '')))
      const text = '{"id":1,"name":"Rex","categoryId":7,"status":"available"}'
      expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set([`201 ${text}`]))
      // the animal may have been added by a request that was answered 503
      const added = answers.filter(({ replayed }) => !replayed).length
      expect(unavailable > 0 ? [0, 1] : [1]).toContain(added)
      other.child.kill('SIGKILL')
      await other.ended
      await one.stop()

      // a restart keeps the name
      const again = await startService(env)
      const replay = await again
        .call('post', '/pets')
        .set({ Authorization: `Bearer ${one.key}`, 'Idempotency-Key': 'one' })
        .type('json')
        .send(rex)
      expect({ text: replay.text, replayed: replay.headers['idempotency-replayed'] }).toEqual({
        text,
        replayed: 'true',
      })
      expect(await again.stores.pets.list({ limit: 100 })).toHaveLength(1)
      await again.stop()
    })
  })
})
