import fc from 'fast-check'
import { operations, type Operation } from './operations.ts'

/** A way to send the key, as a scheme of the contract has it. */
export interface Scheme {
  name: string
  declared: Record<string, unknown>
  /** The headers and the query of a request with the key. */
  send: (key: string) => { headers?: Record<string, string>; query?: string }
}

const schemes: Scheme[] = [
  {
    name: 'bearerAuth',
    declared: { type: 'http', scheme: 'bearer' },
    send: (key) => ({ headers: { authorization: `Bearer ${key}` } }),
  },
  {
    name: 'constructor',
    declared: { type: 'http', scheme: 'basic' },
    send: (key) => ({ headers: { authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}` } }),
  },
  {
    name: 'api.key',
    declared: { type: 'apiKey', in: 'header', name: 'X-Key' },
    send: (key) => ({ headers: { 'x-key': key } }),
  },
  {
    name: 'query-key',
    declared: { type: 'apiKey', in: 'query', name: 'key' },
    send: (key) => ({ query: `key=${key}` }),
  },
  {
    name: 'login',
    declared: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://example.test/token', scopes: { read: 'Reads.' } } },
    },
    send: (key) => ({ headers: { authorization: `bearer ${key}` } }),
  },
]

export interface Generated {
  /** The contract, as JSON. */
  text: string
  document: Record<string, unknown>
  operations: (Operation & { path: string; scheme: Scheme | undefined; at: string[] })[]
}

/** Contracts of the features that the service honours. */
export const contracts: fc.Arbitrary<Generated> = fc
  .record({
    all: operations,
    server: fc.constantFrom(undefined, '/', '/v1', 'https://example.test/api', 'http://localhost:3000'),
    whole: fc.constantFrom(...schemes),
    own: fc.constantFrom(...schemes),
    plans: fc.boolean(),
    version: fc.constantFrom('3.0.3', '3.1.1', '3.2.0'),
  })
  .map(({ all, server, whole, own, plans, version }): Generated => {
    const components = componentsOf()
    const paths: Record<string, unknown> = {}
    const placed = all.map((operation, index) => {
      const inPath = operation.parameters.find((one) => one.in === 'path')
      const path = `/things-${index}${inPath ? `/{${inPath.name}}` : ''}`
      paths[path] = { [operation.method]: declaredOperation(operation, own, components) }
      const scheme = operation.security === 'public' ? undefined : operation.security === 'own' ? own : whole
      return { ...operation, path, scheme, at: ['paths', path, operation.method] }
    })
    const known = {
      openapi: version,
      info: { title: 'Things', version: '1.0.0' },
      ...(server === undefined ? {} : { servers: [{ url: server }] }),
      security: [{ [whole.name]: [] }],
      ...(plans ? { 'x-plans': { free: { perMinute: 100_000, perDay: 1_000_000 }, enterprise: 'custom' } } : {}),
      'x-notes': { not: { $ref: 'http://127.0.0.1:1/never-fetched' } },
      paths,
      components: {
        securitySchemes: Object.fromEntries([whole, own].map(({ name, declared }) => [name, declared])),
        ...components.all(),
      },
    }
    const document = (version === '3.0.3' ? known : inJsonSchema(known)) as Node
    return { text: JSON.stringify(document, undefined, 2), document, operations: placed }
  })

type Node = Record<string, unknown>

/** A contract of OpenAPI 3.0 as it is written in OpenAPI 3.1, whose schemas are JSON Schema 2020-12. */
function inJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inJsonSchema)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, exclusiveMinimum, minimum, ...node } = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, inJsonSchema(child)]),
  )
  if (minimum !== undefined) node[exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum'] = minimum
  if (Array.isArray(node.enum) && node.enum.length === 1) {
    node.const = node.enum[0] as unknown
    delete node.enum
  }
  if (nullable !== true) return node
  return 'type' in node ? { ...node, type: [node.type, 'null'] } : { anyOf: [node, { type: 'null' }] }
}

interface Components {
  /** A schema of the grammar as it stands in the contract. */
  moved: (value: unknown) => unknown
  parameter: (parameter: { name: string; in: string; declared: object }) => unknown
  response: (response: unknown, how: Operation['answer']['how']) => unknown
  all: () => { schemas: Node; responses: Node }
}

function declaredOperation(operation: Operation, own: Scheme, components: Components): Node {
  const { operationId, parameters, body, answer, security } = operation
  const content = answer.content && { [answer.content.type]: { schema: components.moved(answer.content.model.schema) } }
  const headers = answer.counted ? { headers: { 'X-Count': { required: true, schema: { type: 'integer' } } } } : {}
  const response = { description: 'Done.', ...headers, ...(content ? { content } : {}) }
  return {
    ...(operationId === undefined ? {} : { operationId }),
    ...(security === undefined ? {} : { security: security === 'public' ? [] : [{ [own.name]: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map((one) => components.parameter(one)) }),
    ...(body
      ? { requestBody: { required: body.required, content: { [body.type]: components.moved(body.declared) } } }
      : {}),
    responses: { [answer.status]: components.response(response, answer.how) },
  }
}

/** Moves what is shared to the components, under names that objects have anyway among others. */
export function componentsOf(): Components {
  const schemas: Node = {}
  const responses: Node = {}
  const nameOf = (taken: Node): string => {
    const number = Object.keys(taken).length
    return ['constructor', 'a.b-c', 'toString'][number] ?? `Thing${number}`
  }
  const add = (into: Node, kind: string, value: unknown): string => {
    const name = nameOf(into)
    into[name] = null // before what it contains takes names
    into[name] =
      typeof value === 'function' ? (value as (own: string) => unknown)(`#/components/${kind}/${name}`) : value
    return `#/components/${kind}/${name}`
  }

  function moved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    const node = value as Node
    if ('$tree' in node) {
      const tree = (own: string): unknown => ({
        type: 'object',
        additionalProperties: false,
        properties: { leaf: moved(node.$tree), all: { type: 'array', items: { $ref: own } } },
      })
      return { $ref: add(schemas, 'schemas', tree) }
    }
    if ('$shared' in node) {
      const holder = (): unknown => ({ type: 'object', properties: { 'a/b': moved(node.$shared) } })
      if (node.how === 'path') return { $ref: `${add(schemas, 'schemas', holder)}/properties/a~1b` }
      const $ref = add(schemas, 'schemas', () => moved(node.$shared))
      return { $ref: node.how === 'alias' ? add(schemas, 'schemas', { $ref }) : $ref }
    }
    const result = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, moved(child)]))
    const { discriminator } = result
    if (typeof discriminator === 'object' && discriminator !== null && 'mapping' in discriminator) {
      const alternatives = (result.oneOf ?? result.anyOf) as { $ref: string }[]
      const mapping = discriminator.mapping as Record<string, { $mapped: number }>
      discriminator.mapping = Object.fromEntries(
        Object.entries(mapping).map(([name, { $mapped }]) => [name, alternatives[$mapped]?.$ref]),
      )
    }
    return result
  }

  return {
    moved,
    parameter: ({ name, in: place, declared }) => ({
      ...{ name, in: place, required: true },
      ...(moved(declared) as object),
    }),
    response: (response, how) => {
      if (how === 'inline') return response
      const $ref = add(responses, 'responses', response)
      return { $ref: how === 'shared' ? $ref : add(responses, 'responses', { $ref }) }
    },
    all: () => ({ schemas, responses }),
  }
}
