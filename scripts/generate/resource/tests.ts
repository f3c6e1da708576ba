import type { Contract } from '../../../src/contract/compiled.ts'
import type { Operation } from '../../../src/contract/model/operation.ts'
import type { WrittenFile } from './handlers.ts'
import { successOf, type Left } from './message.ts'
import type { ResourcePlan, Verb } from './plan.ts'
import { sample } from './sample.ts'
import { quoted } from '../stubs.ts'

/** What the tests of a resource share. */
interface Story {
  plan: ResourcePlan
  contract: Contract
  /** How a row is added: the operation that does, its body, and the path of the row behind it. */
  adding: { verb: 'create' | 'put'; operation: Operation; sent: string }
}

/** The tests of the handlers of a resource. Without a way to add a row there are none. */
export function testFiles(plan: ResourcePlan, contract: Contract, made: readonly Verb[]): WrittenFile[] {
  const verb = made.includes('create') ? 'create' : 'put'
  const operation = made.includes(verb) ? plan.verbs[verb] : undefined
  const sent = operation && sample(contract, operation)
  const adding = operation && sent !== undefined ? ({ verb, operation, sent } as const) : undefined
  return made.flatMap((one) => {
    const tested = plan.verbs[one]
    if (!tested) return []
    if (!adding) return [withoutRow(tested)]
    return [testFile({ plan, contract, adding }, one, tested)]
  })
}

function withoutRow({ operationId }: Operation): WrittenFile {
  const text = `import { test } from '@jest/globals'

test.todo('${operationId} answers what is stored')
`
  return {
    name: testName(operationId),
    text,
    left: [
      { marker: 'test.todo', text: 'a row to test with: no example of the contract is valid, or nothing adds one' },
    ],
  }
}

const testName = (operationId: string): string => `test/handlers/${operationId}.test.ts`

function testFile(story: Story, verb: Verb, operation: Operation): WrittenFile {
  const { adding } = story
  const { operationId } = operation
  const { lines, left = [], constants = [] } = testsOf(story, verb, operation)
  const uses = (name: string): boolean => lines.some((line) => line.includes(name))
  const needsItem = uses('itemOf(')
  const text = `import { afterAll, beforeAll, describe, ${lines.some((line) => /(?<!\.)expect\(/.test(line)) ? 'expect, ' : ''}test } from '@jest/globals'
import type { Test } from 'supertest'
import { onEachEngine } from '../support/servers/each-engine.ts'
import ${uses('expectError') ? '{ expectError, type TestService }' : 'type { TestService }'} from '../support/service.ts'

const sent = ${quoted(adding.sent)}
${constants.map((line) => `${line}\n`).join('')}
onEachEngine(({ startService }) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  const ask = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string): Test => service.call(method, path)${keyText(adding.operation)}
${uses('add()') ? `  const add = (): Test => ask('${adding.verb === 'create' ? 'post' : 'put'}', ${addPath(story)}).type('json').send(sent)\n` : ''}${needsItem ? itemText(story) : ''}
  describe('${operationId}', () => {
${lines.map((line) => `    ${line}\n`).join('')}  })
})
`
  return { name: testName(operationId), text, left: [...left] }
}

/** Where the key is sent, if it is not as the tests of this project send it. */
function keyText({ security }: Operation): string {
  const header = security[0]?.find((place) => place.in === 'header')
  return header && 'name' in header ? `.set('${header.name}', service.key)` : ''
}

/** The value of the key in what is sent. */
function sentKey({ plan: { key }, adding }: Story): string {
  const value = (JSON.parse(adding.sent) as Record<string, unknown>)[key.property]
  // of a JSON number every digit counts
  const digits =
    key.kind === 'text' || key.kind === 'oneOf'
      ? undefined
      : new RegExp(`"${key.property}":\\s*(-?\\d+)`).exec(adding.sent)?.[1]
  return encodeURIComponent(digits ?? (typeof value === 'string' ? value : '1'))
}

function addPath(story: Story): string {
  const { plan, adding } = story
  return adding.verb === 'create' ? `'${plan.collection}'` : `'${plan.collection}/${sentKey(story)}'`
}

/** How a test knows the path of the row that it added. */
function itemText(story: Story): string {
  const { plan, adding } = story
  const success = successOf(plan, adding.operation, { row: 'row', status: /^20[01]$/ })
  const told = plan.keyBy !== 'client' && success?.body === 'row'
  const key = told ? `String((JSON.parse(text) as Record<string, string | number>)['${plan.key.property}'])` : undefined
  return key === undefined
    ? `  const itemOf = (_: { text: string }): string => '${plan.collection}/${plan.keyBy === 'client' ? sentKey(story) : '1'}'\n`
    : `  const itemOf = ({ text }: { text: string }): string => \`${plan.collection}/\${encodeURIComponent(${key})}\`\n`
}

interface Tests {
  lines: readonly string[]
  constants?: readonly string[]
  left?: readonly Left[]
}

function testsOf(story: Story, verb: Verb, operation: Operation): Tests {
  switch (verb) {
    case 'create':
      return createTests(story, operation)
    case 'list':
      return listTests(story, operation)
    case 'find':
      return findTests(story, operation)
    case 'remove':
      return removeTests(story, operation)
    default:
      return changeTests(story, verb, operation)
  }
}

const status = (plan: ResourcePlan, operation: Operation, wanted?: RegExp): string =>
  successOf(plan, operation, { row: 'row', ...(wanted && { status: wanted }) })?.status ?? '200'

function createTests({ plan }: Story, operation: Operation): Tests {
  const code = status(plan, operation)
  const named = operation.takesHeader('idempotency-key')
  return {
    lines: [
      `test('answers ${code}${plan.keyBy === 'client' ? ', and 409 for a key that is taken' : ''}', async () => {`,
      `  await add().expect(${code})`,
      ...(plan.keyBy === 'client'
        ? [`  const { text } = await add().expect(409)`, `  expectError(text, 409, 'conflict')`]
        : []),
      '})',
      ...(named && plan.keyBy !== 'client'
        ? [
            '',
            `test('gives a repeated request its first answer', async () => {`,
            `  const { text } = await add().set('Idempotency-Key', 'a').expect(${code})`,
            `  const again = await add().set('Idempotency-Key', 'a').expect(${code})`,
            '  expect(again.text).toBe(text)',
            '})',
          ]
        : []),
      '',
      `test('answers 400 for a body that is no object', async () => {`,
      `  const { text } = await ask('post', '${plan.collection}').type('json').send('[[]]').expect(400)`,
      `  expectError(text, 400, 'invalid_request')`,
      '})',
    ],
  }
}

function findTests({ plan, adding }: Story, operation: Operation): Tests {
  const adds = successOf(plan, adding.operation, { row: 'row', status: /^20[01]$/ })?.body === 'row'
  const isSame = adds && successOf(plan, operation, { row: 'row' })?.body === 'row'
  return {
    lines: [
      `test('answers what was added, and 404 for what is not there', async () => {`,
      `  const path = itemOf(await add())`,
      `  const { text } = await ask('get', path).expect(${status(plan, operation)})`,
      ...(isSame
        ? [`  const again = await ask('get', path)`, '  expect(again.text).toBe(text)']
        : ["  expect(text).not.toBe('')"]),
      ...absentLines(plan, 'get'),
      '})',
      ...(operation.responses.has('304')
        ? [
            '',
            `test('answers 304 for what the client has', async () => {`,
            '  const path = itemOf(await add())',
            `  await ask('get', path).set('If-None-Match', '*').expect(304)`,
            '})',
          ]
        : []),
    ],
  }
}

const isNewKey = ({ keyBy }: ResourcePlan): boolean => keyBy !== 'client'

/** A request for a key that is not there, where the contract tells one that is valid. */
function absentLines(plan: ResourcePlan, method: string, rest = ''): string[] {
  const key = plan.key.kind === 'int64' || plan.key.kind === 'integer' ? '999999' : undefined
  if (key === undefined || plan.keyBy === 'client') return []
  return [
    `  const missing = await ask('${method}', '${plan.collection}/${key}')${rest}.expect(404)`,
    `  expectError(missing.text, 404, 'not_found')`,
  ]
}

function listTests({ plan, adding }: Story, operation: Operation): Tests {
  const body = JSON.parse(adding.sent) as Record<string, unknown>
  const filter = plan.filters.find((name) => ['string', 'number', 'boolean'].includes(typeof body[name]))
  const code = status(plan, operation)
  return {
    lines: [
      `test('answers what was added', async () => {`,
      `  await add()`,
      `  const { text } = await ask('get', '${plan.collection}').expect(${code})`,
      `  expect(text).toContain('"${plan.key.property}":')`,
      ...(filter === undefined
        ? []
        : [
            `  const filtered = await ask('get', ${quoted(`${plan.collection}?${filter}=${encodeURIComponent(String(body[filter]))}`)}).expect(${code})`,
            '  expect(filtered.text).toBe(text)',
          ]),
      '})',
      ...(operation.parameters.some(({ name }) => name === 'cursor')
        ? [
            '',
            `test('answers 400 for a cursor that no page gave', async () => {`,
            `  await ask('get', '${plan.collection}?cursor=').expect(400)`,
            '})',
          ]
        : []),
    ],
  }
}

function changeTests(story: Story, verb: 'put' | 'patch', operation: Operation): Tests {
  const { plan, contract, adding } = story
  const body = verb === adding.verb ? adding.sent : sample(contract, operation)
  if (body === undefined) {
    return {
      lines: [`test.todo('changes what is stored')`],
      left: [{ marker: 'test.todo', text: 'a body to test with: no example of the contract is valid' }],
    }
  }
  const media = operation.body?.content.find(({ kind }) => kind === 'json')?.type ?? 'application/json'
  const code = status(plan, operation, verb === 'put' && adding.verb !== 'put' ? /^20[024-9]$/ : undefined)
  const adds = verb === 'put' && operation.responses.has('201') && plan.keyBy !== 'engine'
  const change = withKey(story, body)
  const send = `.type('${media}').send(${change.text})`
  const isSelf = adding.operation === operation
  return {
    constants: change.constants,
    lines: [
      `test('changes what is stored${isNewKey(plan) ? ', and answers 404 for what is not there' : ''}', async () => {`,
      `  const path = itemOf(await add()${isSelf ? '.expect(201)' : ''})`,
      `  const { text } = await ask('${verb}', path)${send.replace('KEY', 'path')}.expect(${isSelf ? status(plan, operation, /^20[024-9]$/) : code})`,
      ...(plan.verbs.find &&
      successOf(plan, operation, { row: 'row' })?.body === 'row' &&
      successOf(plan, plan.verbs.find, { row: 'row' })?.body === 'row'
        ? [`  const found = await ask('get', path).expect(200)`, '  expect(found.text).toBe(text)']
        : [`  expect(text).toBeDefined()`]),
      ...(adds ? [] : absentLines(plan, verb, send.replace('KEY', `'/999999'`))),
      '})',
      ...conditionLines(operation, `ask('${verb}', path)${send.replace('KEY', 'path')}`),
    ],
  }
}

/** A body whose key, if it has one that the engine gave, is that of the path. */
function withKey({ plan }: Story, body: string): { text: string; constants: string[] } {
  const value = JSON.parse(body) as Record<string, unknown>
  const constants = [`const changed = ${quoted(body)}`]
  if (plan.keyBy === 'client' || !Object.hasOwn(value, plan.key.property)) return { text: 'changed', constants }
  const number = plan.key.kind === 'int64' || plan.key.kind === 'integer'
  const key = number ? 'Number(KEY.split("/").at(-1))' : 'KEY.split("/").at(-1)'
  return { text: `{ ...(JSON.parse(changed) as object), ${plan.key.property}: ${key} }`, constants }
}

function conditionLines(operation: Operation, change: string): string[] {
  if (!operation.isConditional) return []
  return [
    '',
    `test('answers 412 when what is stored is not as expected', async () => {`,
    '  const path = itemOf(await add())',
    `  const { text } = await ${change}.set('If-Match', '"other"').expect(412)`,
    `  expectError(text, 412, 'precondition_failed')`,
    '})',
  ]
}

function removeTests({ plan }: Story, operation: Operation): Tests {
  return {
    lines: [
      `test('removes what is stored, and answers 404 afterwards', async () => {`,
      '  const path = itemOf(await add())',
      `  await ask('delete', path).expect(${status(plan, operation)})`,
      `  const { text } = await ask('delete', path).expect(404)`,
      `  expectError(text, 404, 'not_found')`,
      '})',
      ...conditionLines(operation, `ask('delete', path)`),
    ],
  }
}
