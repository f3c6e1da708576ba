import { writeFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { LineCounter, isMap, isScalar, isSeq, parseDocument, type Node as YamlNode } from 'yaml'
import { lintContract } from '../../../../scripts/workshop/lint/lint.ts'
import type { Generated } from './contracts.ts'

type Node = Record<string, unknown>

/** Breaks an operation, or the components, and returns the keys from the root to what is wrong. */
type Fault = (operation: Node, at: string[], root: Node) => string[]

function parameter(declared: Node): Fault {
  return (operation, at) => {
    const all = [...((operation.parameters as unknown[] | undefined) ?? []), declared]
    operation.parameters = all
    return [...at, 'parameters', String(all.length - 1)]
  }
}

const query = (schema: Node): Fault => parameter({ name: 'added', in: 'query', schema })

function answer(declared: unknown): Fault {
  return (operation, at) => {
    operation.responses = { ...(operation.responses as Node), '400': declared }
    return [...at, 'responses', '400']
  }
}

const json = (media: unknown, type = 'application/json'): Fault =>
  answer({ description: 'Wrong.', content: { [type]: media } })

function component(kind: string, name: string, declared: unknown): Fault {
  return (_, __, { components }) => {
    const all = components as Record<string, Node>
    all[kind] = { ...all[kind], [name]: declared }
    return ['components', kind, name]
  }
}

/** Faults of a contract, each at one place. */
export const faults: Record<string, Fault> = {
  'a reference to nothing': answer({ $ref: '#/components/responses/Missing' }),
  'a reference to itself': component('schemas', 'Self', { $ref: '#/components/schemas/Self' }),
  'a type that there is none of': query({ type: 'int' }),
  'a type in a property of an answer': json({ schema: { type: 'object', properties: { a: { type: 'text' } } } }),
  'limits that cross': query({ type: 'integer', minimum: 5, maximum: 4 }),
  'lengths that cross': json({ schema: { type: 'string', minLength: 5, maxLength: 4 } }),
  'a place that there is none of': parameter({ name: 'added', in: 'querry', schema: {} }),
  'a path parameter that is optional': parameter({ name: 'added', in: 'path', schema: { type: 'string' } }),
  'a parameter twice': (operation, at, root) => {
    query({})(operation, at, root)
    return query({})(operation, at, root)
  },
  'a default of another type': query({ type: 'integer', default: 'a' }),
  'a default outside the enum': query({ type: 'string', enum: ['a'], default: 'b' }),
  'an example of another type': json({ schema: { type: 'integer' }, example: 'a' }),
  'a pattern that is none': query({ type: 'string', pattern: '([' }),
  'a list without items': json({ schema: { type: 'array' } }),
  'an enum without values': query({ type: 'string', enum: [] }),
  'a multiple of 0': query({ type: 'number', multipleOf: 0 }),
  'a required that is no list': json({ schema: { type: 'object', required: true } }),
  'a property named __proto__': json({ schema: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as Node }),
  'parts of an allOf that refuse each other': json({
    schema: { allOf: [{ properties: { a: {} }, additionalProperties: false }, { properties: { b: {} } }] },
  }),
  'a discriminator without its property': json({
    schema: { oneOf: [{ type: 'object', properties: { a: {} } }], discriminator: { propertyName: 'kind' } },
  }),
  'a structure in XML': json({ schema: { type: 'object', properties: { a: { type: 'string' } } } }, 'application/xml'),
  'a response without a description': answer({ content: {} }),
  'a security scheme that there is none of': (operation, at) => {
    operation.security = [{ missing: [] }]
    return [...at, 'security', '0']
  },
  'a security scheme that is not honoured': (operation, at, root) => {
    operation.security = [{ digest: [] }]
    return component('securitySchemes', 'digest', { type: 'http', scheme: 'digest' })(operation, at, root)
  },
  'a key that OpenAPI does not have': (operation, at) => {
    operation.parametrs = []
    return [...at, 'parametrs']
  },
  'an operationId twice': (operation, _, root) => {
    operation.operationId = 'sameName'
    const paths = root.paths as Node
    paths['/added'] = { get: { operationId: 'sameName', responses: { '204': { description: 'Done.' } } } }
    return ['paths']
  },
  'two paths of one shape': (_, __, root) => {
    const paths = root.paths as Node
    for (const name of ['a', 'b']) {
      const parameters = [{ name, in: 'path', required: true, schema: { type: 'string' } }]
      paths[`/added/{${name}}`] = { get: { parameters, responses: { '204': { description: 'Done.' } } } }
    }
    return ['paths', '/added/{b}']
  },
}

/** What OpenAPI allows and the service does not serve, which is a warning without the house rules. */
const limits = ['a structure in XML', 'a security scheme that is not honoured']

/** Lint finds the fault that is added to an operation, within the lines of its place. */
export async function holdFault(file: string, contract: Generated, name: string, index: number): Promise<void> {
  const root = structuredClone(contract.document)
  const { at = [] } = contract.operations[index % contract.operations.length] ?? {}
  const operation = at.reduce<Node>((node, key) => node[key] as Node, root)
  const path = faults[name]?.(operation, at, root) ?? []
  const text = JSON.stringify(root, undefined, 2)
  writeFileSync(file, text)
  const findings = await lintContract(file, { today: '2026-11-28', house: false })
  const lines = linesOf(text, path)
  const told = findings
    .filter(({ severity }) => severity === (limits.includes(name) ? 'warning' : 'error'))
    .map(({ place, message, fix }) => ({ within: isWithin(place.line, lines), message, fix }))
  expect({ name, lines, told }).toMatchObject({
    told: expect.arrayContaining([expect.objectContaining({ within: true })]),
  })
  for (const { message, fix } of told) {
    expect(message).toMatch(/^\S[^]*[.?]$/)
    expect(fix).toMatch(/^\S[^]*[.?]$/)
  }
}

function isWithin(line: number, [first, last]: [number, number]): boolean {
  return line >= first && line <= last
}

/** The first and the last line of a value with its key. */
function linesOf(text: string, path: readonly string[]): [number, number] {
  const counter = new LineCounter()
  let node: unknown = parseDocument(text, { lineCounter: counter }).contents
  let range: [number, number] = [0, text.length]
  for (const key of path) {
    const pair = isMap(node) ? node.items.find((one) => isScalar(one.key) && one.key.value === key) : undefined
    const value = isSeq(node) ? node.items[Number(key)] : pair?.value
    const [start = 0] = ((pair?.key ?? value) as YamlNode).range ?? []
    range = [start, ((value as YamlNode).range ?? [])[1] ?? start]
    node = value
  }
  return [counter.linePos(range[0]).line, counter.linePos(range[1] - 1).line]
}
