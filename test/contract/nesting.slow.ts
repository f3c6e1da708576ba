import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { run, start, testFolder } from '../support/process.ts'

const folder = testFolder()

type Schema = Record<string, unknown>

const deepest: Schema = { type: 'object', properties: { a: { type: 'string' } } }

/** A contract in one line whose body is a schema, with some more in its components. */
function contract(title: string, schema: Schema, schemas: Record<string, Schema> = {}): string {
  const content = { 'application/json': { schema } }
  const responses = { 201: { description: 'Added.', content } }
  const paths = { '/things': { post: { operationId: 'addThing', requestBody: { content }, responses } } }
  return JSON.stringify({ openapi: '3.0.3', info: { title, version: '1' }, paths, components: { schemas } })
}

/** So many components, each of which has the next one in it. */
function chain(length: number, around: (next: Schema) => Schema, last = deepest): Record<string, Schema> {
  const next = (index: number): Schema => ({ $ref: `#/components/schemas/S${index + 1}` })
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [`S${index}`, index + 1 < length ? around(next(index)) : last]),
  )
}

function nested(times: number, around: (inner: Schema) => Schema): Schema {
  return times === 0 ? deepest : around(nested(times - 1, around))
}

const first: Schema = { $ref: '#/components/schemas/S0' }
const inObject = (schema: Schema): Schema => ({ type: 'object', properties: { a: schema } })
const inList = (schema: Schema): Schema => ({ type: 'array', items: schema })
const inAll = (schema: Schema): Schema => ({ allOf: [schema] })
const inOne = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'integer' }] })

const ofSchemas = 'More than 100 schemas stand in each other here, those behind references among them.'
const fixOfSchemas = 'Put fewer of them into each other.'
const ofFile = 'The file has more than 500 levels of lists and mappings in each other.'
const fixOfFile = 'Move inner parts to the components, and refer to them.'

function written(name: string, title: string, schema: Schema, schemas?: Record<string, Schema>): string {
  const file = join(folder, name)
  writeFileSync(file, contract(title, schema, schemas))
  return file
}

test.each<[string, Schema, Record<string, Schema>, what: string, place: RegExp]>([
  [
    '1500 components, each a property of another',
    first,
    chain(1500, inObject),
    `${ofSchemas} ${fixOfSchemas}`,
    /:1:353/,
  ],
  [
    '1500 components, each in the allOf of another',
    first,
    chain(1500, inAll),
    `${ofSchemas} ${fixOfSchemas}`,
    /:1:353/,
  ],
  ['150 schemas in one component', first, { S0: nested(150, inObject) }, `${ofSchemas} ${fixOfSchemas}`, /:1:353/],
  ['1500 schemas in one component', first, { S0: nested(1500, inOne) }, `${ofFile} ${fixOfFile}`, /:1:\d+/],
])('%s are one finding with its place for each command', async (_, schema, schemas, what, place) => {
  const file = written('deep.json', 'One', schema, schemas)
  const other = written('other.json', 'Other', schema, schemas)
  const linted = await run(['scripts/contract-lint.ts', file])
  expect(linted).toMatchObject({ code: 1 })
  expect(linted.stdout).toMatch(place)
  expect(linted.stdout.split(what)).toHaveLength(2)
  expect(linted.stdout).toContain('1 error, 0 warnings.')
  for (const [args, code] of [
    [['scripts/contract-diff.ts', file, '--head', other], 2],
    [['scripts/generate.ts', file, '--out', folder], 2],
    [['scripts/mock.ts', file, '--strict'], 2],
  ] as const) {
    const ended = await run(args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(place)
    expect(ended.stderr.trim().replace(/^.*?:1:\d+ /, '')).toBe(what)
  }
})

test.each<[string, Schema, Record<string, Schema>]>([
  ['98 components, each a property of another', first, chain(98, inObject)],
  ['98 components, each the items of another', first, chain(98, inList)],
  ['98 components, each in the allOf of another', first, chain(98, inAll)],
  ['98 schemas, each a property of another', nested(98, inObject), {}],
  ['1500 components in a ring', first, chain(1500, inObject, inObject(first))],
])('%s are served', async (_, schema, schemas) => {
  const file = written('served.json', 'One', schema, schemas)
  expect(await run(['scripts/contract-lint.ts', file])).toMatchObject({ code: 0, stdout: 'The contract is sound.\n' })
  const mock = start(['scripts/mock.ts', file, '--strict'], { PORT: '0' })
  const [, address = ''] = await mock.until(/ is mocked at (\S+):/)
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: 'true' }
  expect((await fetch(`${address}/things`, sent)).status).toBe(400)
  mock.child.kill('SIGTERM')
  expect(await mock.ended).toBe(0)
})
