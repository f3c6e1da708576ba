import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { endAll, start } from '../support/process.ts'
import { copyProject, type ProjectCopy } from '../support/project.ts'

// the compiler, on a machine that may be busy
jest.setTimeout(300_000)

const files = {
  'paths/thing.yaml': `parameters:
  - { name: thingId, in: path, required: true, schema: { $ref: ../schemas/thing.yaml#/Id } }
put:
  operationId: putThing
  summary: Put a thing
  tags: [pets]
  requestBody:
    required: true
    content:
      application/json:
        schema: { $ref: ../schemas/thing.yaml#/Thing, description: What is put., minProperties: 2 }
  responses:
    '200':
      description: The thing.
      content:
        application/json:
          schema: { $ref: ../schemas/thing.yaml#/Thing }
    default: { $ref: ../openapi.yaml#/components/responses/Failure }
`,
  'schemas/thing.yaml': `Id: { type: integer, format: int64, exclusiveMinimum: 0 }
Thing:
  type: object
  required: [kind]
  properties:
    kind: { const: thing }
    size: { type: [integer, 'null'], format: int64, exclusiveMinimum: 0, maximum: 9007199254740993 }
    status: { $ref: status.yaml, description: Whether it can be had. }
    pair: { type: array, prefixItems: [{ type: string }, { type: [integer, boolean] }], items: false }
    inner: { $ref: '#/Thing' }
    pet: { anyOf: [{ $ref: ../openapi.yaml#/components/schemas/NewPet }, { type: 'null' }] }
`,
  'schemas/status.yaml': `type: string
description: The animal's availability.
enum: [available, pending, sold]
`,
}
const webhooks = `webhooks:
  thingPut:
    post:
      requestBody: { content: { application/json: { schema: { $ref: schemas/thing.yaml#/Thing } } } }
      responses: { '204': { description: Known. } }
`

let project: ProjectCopy
beforeAll(() => {
  project = copyProject()
  for (const folder of ['paths', 'schemas']) mkdirSync(join(project.folder, folder))
  for (const [name, text] of Object.entries(files)) project.write(name, text)
  project.edit('openapi.yaml', 'openapi: 3.0.3\n', `openapi: 3.1.1\n${webhooks}`)
  project.edit('openapi.yaml', '\npaths:\n', '\npaths:\n  /things/{thingId}: { $ref: paths/thing.yaml }\n')
  project.edit(
    'openapi.yaml',
    `    PetStatus:\n      ${files['schemas/status.yaml'].trimEnd().replaceAll('\n', '\n      ')}\n`,
    '    PetStatus: { $ref: schemas/status.yaml }\n',
  )
})
afterAll(async () => {
  await endAll()
  project.remove()
})

describe('a contract of OpenAPI 3.1 in several files', () => {
  test('is sound, and its types, stubs and handlers compile', async () => {
    const lint = await project.run('--import', 'tsx', 'scripts/contract-lint.ts')
    expect(lint).toEqual({ code: 0, output: 'The contract is sound.\n' })
    mkdirSync(join(project.folder, 'test/handlers'), { recursive: true })
    expect(await project.generate('--stub')).toMatchObject({ code: 0 })
    expect(await project.generate('--check')).toMatchObject({ code: 0 })
    // what the test of the stub needs is checked where the tests of the project are
    rmSync(join(project.folder, 'test'), { recursive: true })
    project.write(
      'src/handlers/putThing.ts',
      `import { operation } from '../contract/operation.ts'

export const putThing = operation('putThing', async ({ body, path }) => {
  const kind: 'thing' = body.kind
  const status: 'available' | 'pending' | 'sold' = body.inner?.inner?.status ?? 'sold'
  const pair: readonly [string, number | boolean] = body.pair ?? [status, true]
  return { status: 200, body: { ...body, kind, pair, size: (body.size ?? 0n) + path.thingId } }
})
`,
    )
    expect(await project.compile()).toEqual({ code: 0, output: '' })
  })

  test('is served as it says, and published as one file', async () => {
    const service = start([join(project.folder, 'src/main.ts')], {
      PORT: '0',
      DATABASE_URL: `sqlite:${project.folder}/data/things.db`,
    })
    const [, address = ''] = await service.until(/"address":"(http:\/\/[^"]+\/v1)"[^\n]*"listening"/)
    const [key = ''] = await service.until(/ak_[0-9A-Za-z]{49}/)
    const put = async (body: string): Promise<[number, string]> => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const answer = await fetch(`${address}/things/2`, { method: 'PUT', headers, body })
      const text = await answer.text()
      return [answer.status, answer.ok ? text : (JSON.parse(text) as { message: string }).message]
    }
    const thing = '{"kind":"thing","size":9007199254740991,"pair":["a",true],"inner":{"kind":"thing","status":"sold"}}'
    expect(await put(thing)).toEqual([200, thing.replace('9007199254740991', '9007199254740993')])
    expect(await put('{"kind":"thing","size":null,"pet":null}')).toEqual([
      200,
      '{"kind":"thing","size":2,"pet":null,"pair":["sold",true]}',
    ])
    expect(await put('{"kind":"thing"}')).toEqual([400, 'body must have at least 2 fields.'])
    expect(await put('{"kind":"none","size":0,"pair":["a",1,2],"inner":{},"pet":{"name":1,"categoryId":1}}')).toEqual([
      400,
      'body.kind must be thing; body.size must be > 0; body.pair.2 must not be given; body.inner.kind is required; body.pet.name must be a string.',
    ])
    const published = (await (await fetch(new URL('/openapi.json', address))).json()) as Record<string, unknown>
    expect(JSON.stringify(published)).not.toMatch(/\.yaml[#"]/)
    expect(published).toMatchObject({
      openapi: '3.1.1',
      webhooks: { thingPut: { post: {} } },
      components: { schemas: { Thing: { properties: { kind: { const: 'thing' } } } } },
    })
    service.child.kill('SIGTERM')
    expect(await service.ended).toBe(0)
  })
})
