import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { roomForStrangers } from '../support/raw.ts'
import { expectError, startService, type TestService } from '../support/service.ts'

/* The tests are made from the contract's text, so that a new operation cannot be forgotten. */

interface Schema {
  example?: unknown
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema & { type?: string; format?: string }
}
interface Media {
  schema: Schema
  example?: unknown
}
interface Response {
  headers?: Record<string, { required?: boolean; schema: Schema }>
  content?: Record<string, Media>
}
interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
}
type Json = Record<string, unknown>

const root = new URL('../../', import.meta.url)
const contract = parse(readFileSync(new URL('openapi.yaml', root), 'utf8')) as Json
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

const operations = Object.entries(contract.paths as Record<string, Json>).flatMap(([path, item]) =>
  methods
    .filter((method) => method in item)
    .map((method) => {
      const shared = (item.parameters ?? []) as Parameter[]
      const operation = followed(item[method]) as Operation
      return { ...operation, method, path, parameters: [...shared, ...(operation.parameters ?? [])] }
    }),
)
const each = operations.map((one) => [one.operationId, one] as const)

/** A copy with every `$ref` replaced by its target. */
function followed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(followed)
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { $ref?: unknown }
  if (typeof $ref !== 'string') {
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, followed(child)]))
  }
  const keys = $ref.replace(/^#\//, '').split('/')
  return followed(keys.reduce<unknown>((node, key) => (node as Json)[key.replaceAll('~1', '/')], contract))
}

/** The address of an operation, its path parameters filled with their examples. */
function addressOf({ path, parameters }: (typeof operations)[number]): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const example = parameters.find((one) => one.in === 'path' && one.name === name)?.schema.example
    if (example === undefined) throw new Error(`The path parameter ${name} of ${path} needs an example.`)
    return encodeURIComponent(example as string | number)
  })
}

const ajv = new Ajv({ strict: false, allErrors: true, formats: { int64: true, int32: true } })

function expectValid(schema: Schema, value: unknown, what: string): void {
  expect({ what, valid: ajv.validate(schema, value), errors: ajv.errors }).toEqual({ what, valid: true, errors: null })
}

let service: TestService
beforeAll(async () => {
  service = await startService(roomForStrangers)
  // the animal of the examples
  await service.stores.pets.add({ name: 'Rex', categoryId: 7n, status: 'available' })
})
afterAll(() => service.stop())

interface Answer {
  status: number
  headers: Record<string, string>
  text: string
}

async function send(
  { method, path }: { method: string; path: string },
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  const address = `http://127.0.0.1:${service.port}${service.apiRoot}${path}`
  const init = { method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body }) }
  const response = await fetch(address, init)
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

describe.each(each)('%s', (operationId, operation) => {
  const { method, parameters, requestBody, responses } = operation
  const example = requestBody?.content['application/json']
  const body = example && JSON.stringify(example.example ?? example.schema.example)
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const authorized = (): Record<string, string> => ({ ...json, Authorization: `Bearer ${service.key}` })

  test('has a handler and a test file, both named after it', () => {
    for (const file of [`test/handlers/${operationId}.test.ts`, `src/handlers/${operationId}.ts`]) {
      expect({ file, exists: existsSync(fileURLToPath(new URL(file, root))) }).toEqual({ file, exists: true })
    }
    const text = readFileSync(new URL(`test/handlers/${operationId}.test.ts`, root), 'utf8')
    expect(text).toContain(`describe('${operationId}'`)
  })

  test('declares a success, the refusals that every operation has, and an Error for all others', () => {
    const declared = Object.keys(responses)
    expect(declared.filter((status) => status.startsWith('2')).length).toBeGreaterThan(0)
    const refusals = ['400', '401', '429', '503', 'default']
    if (requestBody) refusals.push('413', '415')
    if (parameters.some((one) => one.in === 'path')) refusals.push('404')
    expect(declared).toEqual(expect.arrayContaining(refusals))
    const error = followed((contract.components as { schemas: Json }).schemas.Error)
    for (const status of declared.filter((one) => !/^[23]/.test(one))) {
      expect(responses[status]?.content?.['application/json']?.schema).toEqual(error)
    }
  })

  test('declares the headers that every answer has', () => {
    const { headers: common } = followed(contract['x-every-response']) as Required<Response>
    for (const [status, response] of Object.entries(responses)) {
      const headers = { ...common, ...response.headers }
      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id']) {
        expect({ status, name, required: headers[name]?.required }).toEqual({ status, name, required: true })
      }
    }
    for (const status of ['429', '503']) expect(responses[status]?.headers).toHaveProperty('Retry-After')
    expect(responses['401']?.headers).toHaveProperty('WWW-Authenticate')
  })

  test('has examples, and they are valid', () => {
    for (const { name, schema } of parameters) {
      if (schema.example !== undefined) expectValid(schema, schema.example, `parameter ${name}`)
    }
    if (example) {
      expect(body).toBeDefined()
      for (const one of [example.example, example.schema.example]) {
        if (one !== undefined) expectValid(example.schema, one, 'body')
      }
    }
    for (const [status, { content = {}, headers = {} }] of Object.entries(responses)) {
      for (const [type, media] of Object.entries(content)) {
        expect({ status, type, hasExample: media.example !== undefined }).toEqual({ status, type, hasExample: true })
        expectValid(media.schema, media.example, status)
        if (media.schema.example !== undefined) expectValid(media.schema, media.schema.example, status)
        const told = (media.example as { status?: unknown }).status
        if (/^[45]/.test(status)) expect(told).toBe(Number(status))
      }
      for (const [name, { schema }] of Object.entries(headers)) {
        if (schema.example !== undefined) expectValid(schema, schema.example, `${status} ${name}`)
      }
    }
  })

  test('answers 401 without a key', async () => {
    const { status, headers, text } = await send({ method, path: addressOf(operation) }, json, body)
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toBe('Bearer')
    expectError(text, 401, 'unauthorized')
  })

  test('answers a request made of its examples with a declared success', async () => {
    const { status, headers, text } = await send({ method, path: addressOf(operation) }, authorized(), body)
    expect(status).toBeGreaterThanOrEqual(200)
    expect(status).toBeLessThan(300)
    expectDeclared({ status, headers, text })
  })

  test('answers only statuses, bodies and headers that it declares', async () => {
    const path = addressOf(operation)
    const asked: [path: string, headers: Record<string, string>, body: string | undefined][] = [
      [path, json, body],
      [path, authorized(), body],
      [`${path}?no-such-parameter=1`, authorized(), body],
      [`${path}?%=1`, authorized(), body],
    ]
    for (const parameter of parameters) {
      for (const value of ['', 'x', '-1', '0', '1e1', '9223372036854775807', '9223372036854775808', '%00', '%FF']) {
        if (parameter.in === 'query') asked.push([`${path}?${parameter.name}=${value}`, authorized(), body])
        if (parameter.in === 'path' && value !== '') {
          const odd = operation.path.replace(`{${parameter.name}}`, value)
          asked.push([addressOf({ ...operation, path: odd }), authorized(), body])
        }
      }
    }
    if (requestBody) {
      const bodies = [undefined, '', '{', '{}', '[]', 'null', `"${'x'.repeat(100_000)}"`]
      for (const odd of bodies) asked.push([path, authorized(), odd])
      for (const type of ['text/plain', 'application/json; charset=utf-16']) {
        asked.push([path, { ...authorized(), 'Content-Type': type }, body])
      }
    }
    const statuses = new Set<number>()
    for (const [target, headers, sent] of asked) {
      const answer = await send({ method, path: target }, headers, sent)
      expectDeclared(answer)
      statuses.add(answer.status)
    }
    expect([...statuses]).toEqual(expect.arrayContaining([400, 401, ...(requestBody ? [413, 415] : [])]))
  })

  /** Checks an answer against the contract, with a validator that uses none of the project's code. */
  function expectDeclared({ status, headers, text }: Answer): void {
    const declared = responses[String(status)]
    expect({ status, declared: declared !== undefined }).toEqual({ status, declared: true })
    const media = declared?.content?.['application/json']
    if (media) {
      expect(headers['content-type']).toBe('application/json')
      expectValid(media.schema, JSON.parse(text), `body of ${status}`)
    } else expect(text).toBe('')
    for (const [name, { required, schema }] of Object.entries(declared?.headers ?? {})) {
      const value = headers[name.toLowerCase()]
      if (required) expect({ status, name, given: value !== undefined }).toEqual({ status, name, given: true })
      if (value === undefined) continue
      const numeric = (schema as { type?: string }).type === 'integer'
      expectValid(schema, numeric ? Number(value) : value, `${name} of ${status}`)
    }
  }
})

test('every operationId is unique, letter case ignored', () => {
  const ids = operations.map(({ operationId }) => operationId.toLowerCase())
  expect(ids.length).toBeGreaterThan(0)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the examples of the shared schemas are valid', () => {
  const schemas = (followed(contract.components) as { schemas: Record<string, Schema> }).schemas
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.example !== undefined) expectValid(schema, schema.example, name)
  }
})
