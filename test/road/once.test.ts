import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { parse, stringify } from 'yaml'
import { handlers } from '../../generated/handlers.ts'
import { testFolder } from '../support/process.ts'
import { onEachEngine } from '../support/servers/each-engine.ts'
import { expectError, type TestService } from '../support/service.ts'

const contractFile = fileURLToPath(new URL('../../openapi.yaml', import.meta.url))

/** The contract with a PUT and a DELETE of an animal, and a POST beside that of animals. */
function contractWithVerbs(folder: string): string {
  const contract = parse(readFileSync(contractFile, 'utf8')) as { paths: Record<string, Record<string, object>> }
  const { '/pets': list, '/pets/{petId}': item } = contract.paths
  const failures = { default: { $ref: '#/components/responses/Failure' } }
  const body = { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/NewPet' } } } }
  const done = { '204': { description: 'Done.' }, ...failures }
  const id = { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
  Object.assign(item ?? {}, {
    put: { operationId: 'putPet', parameters: [id], requestBody: body, responses: done },
    delete: { operationId: 'deletePet', parameters: [id], responses: done },
  })
  const notes = { name: 'note', in: 'query', schema: { type: 'string', default: '' } }
  const create = { ...list?.post, parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }, notes] }
  contract.paths['/shelters/{name}/pets'] = {
    post: {
      ...create,
      operationId: 'createInShelter',
      parameters: [...create.parameters, { name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
    },
  }
  const file = join(folder, 'verbs.yaml')
  writeFileSync(file, stringify(contract))
  return file
}

const folder = testFolder()

onEachEngine(({ newStore, startService, sql }) => {
  let url: string
  let one: TestService
  let other: TestService
  beforeAll(async () => {
    url = await newStore()
    // the table has no verbs but those of the service, so these change it as a person would
    const verbs = {
      ...handlers,
      createInShelter: handlers.createPet,
      putPet: async ({ path, body }: { path: { petId: bigint }; body: { name: string; categoryId: bigint } }) => {
        await sql(
          url,
          `UPDATE pets SET name = '${body.name}', category_id = ${body.categoryId} WHERE id = ${path.petId}`,
        )
        return { status: 204 }
      },
      deletePet: async ({ path }: { path: { petId: bigint } }) => {
        await sql(url, `DELETE FROM pets WHERE id = ${path.petId}`)
        return { status: 204 }
      },
    }
    const settings = { contractFile: contractWithVerbs(folder), handlers: verbs, now: () => 1_800_000_000_000 }
    one = await startService({ DATABASE_URL: url }, settings)
    other = await startService({ DATABASE_URL: url }, settings)
  })
  afterAll(() => Promise.all([one.stop(), other.stop()]))

  const rex = { name: 'Rex', categoryId: 7 }
  const create = async (key: string, body: object = rex, on = one, path = '/pets'): Promise<Response> =>
    on
      .call('post', path)
      .set({ Authorization: `Bearer ${one.key}`, 'Idempotency-Key': key })
      .send(body)
  const isReplay = ({ headers }: Response): boolean =>
    (headers as Record<string, string>)['idempotency-replayed'] === 'true'

  describe('a request with an Idempotency-Key', () => {
    test('gets its first answer on every process after the animal was changed, and after it was deleted', async () => {
      const first = await create('a1')
      expect(first.status).toBe(201)
      const { id } = first.body as { id: number }
      for (const change of [
        () => one.call('put', `/pets/${id}`).send({ name: 'Mia', categoryId: 8 }).expect(204),
        () => other.call('delete', `/pets/${id}`).expect(204),
      ]) {
        await change()
        for (const service of [one, other]) {
          const again = await create('a1', rex, service)
          expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true])
          // what the animal became is other content
          const changed = await create('a1', { name: 'Mia', categoryId: 8 }, service)
          expectError(changed.text, 409, 'idempotency_conflict')
        }
      }
      await one.call('get', `/pets/${id}`).expect(404)
    })

    test('is another one with another path or another query, and the same however its path is written', async () => {
      const first = await create('a2', rex, one, '/shelters/a%20b/pets?note=x')
      expect(first.status).toBe(201)
      const again = await create('a2', rex, one, '/shelters/%61%20b/pets?note=%78')
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true])
      for (const path of ['/pets', '/shelters/a/pets?note=x', '/shelters/a%20b/pets', '/shelters/a%20b/pets?note=y']) {
        expectError((await create('a2', rex, one, path)).text, 409, 'idempotency_conflict')
      }
    })

    test.each([
      ['8e03', '"8e03"'],
      ['"9f-1"', '9f-1'],
      [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ])('is the same with the key %s and %s', async (written, same) => {
      const first = await create(written)
      const again = await create(same, rex, other)
      expect([first.status, isReplay(first)]).toEqual([201, false])
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true])
      expectError((await create(same, { ...rex, name: 'Mia' })).text, 409, 'idempotency_conflict')
    })

    test.each([
      ['q', '"q'],
      ['r', 'r"'],
      ['""', '"'],
      [String.raw`"s\t"`, String.raw`s\t`],
      ['"u"u"', 'u"u'],
    ])('is another one with the key %s and %s, which is no string in quotes', async (one, two) => {
      expect([await create(one), await create(two)].map(isReplay)).toEqual([false, false])
    })

    test('adds one animal when 40 requests race, and other content never gets it', async () => {
      const bodies = Array.from({ length: 40 }, (_, index) => (index % 4 ? rex : { ...rex, name: 'Mia' }))
      const answers = await Promise.all(bodies.map((body, index) => create('race', body, index % 2 ? one : other)))
      const added = answers.filter(({ status }) => status === 201)
      expect(new Set(added.map(({ text }) => text)).size).toBe(1)
      expect(added.filter((answer) => !isReplay(answer))).toHaveLength(1)
      const { name } = added[0]?.body as { name: string }
      for (const [index, { status, text }] of answers.entries()) {
        if (bodies[index]?.name === name) expect(status).toBe(201)
        else expectError(text, 409, 'idempotency_conflict')
      }
    })
  })
})
