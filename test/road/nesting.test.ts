import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { maxNesting } from '../../src/contract/model/nesting.ts'
import { startContract } from '../support/contracts/echo.ts'
import { expectError, type TestService } from '../support/service.ts'

const contract = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: /v1 }]
security: [{ Token: [] }]
paths:
  /things:
    post:
      operationId: addThing
      parameters:
        - { name: f, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Any' } }
        - { name: j, in: query, content: { application/json: { schema: {} } } }
        - { name: X-J, in: header, content: { application/json: { schema: {} } } }
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Tree' } }
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { f: { $ref: '#/components/schemas/Any' }, j: { type: object } } }
            encoding: { f: { style: deepObject } }
          multipart/form-data:
            schema: { type: object, properties: { j: { type: object } } }
      responses: { '204': { description: Done. } }
components:
  securitySchemes: { Token: { type: http, scheme: bearer } }
  schemas:
    Any: { type: object, additionalProperties: true }
    Tree:
      oneOf: [{ $ref: '#/components/schemas/Node' }, { $ref: '#/components/schemas/Leaf' }]
      discriminator:
        propertyName: kind
        mapping: { node: '#/components/schemas/Node', leaf: '#/components/schemas/Leaf' }
    Node:
      type: object
      required: [kind, child]
      properties: { kind: { type: string }, child: { $ref: '#/components/schemas/Tree' } }
    Leaf: { type: object, required: [kind], properties: { kind: { type: string }, rest: {} } }
`

let service: TestService
beforeAll(async () => {
  service = await startContract(contract, ['addThing'], async () => ({ status: 204 }))
})
afterAll(() => service.stop())

interface Sent {
  query?: string
  headers?: Record<string, string>
  body?: string
}

async function send({ query = '', headers = {}, body = '' }: Sent): Promise<{ status: number; body: string }> {
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1/things${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, ...headers },
    ...(body === '' ? {} : { body }),
  })
  return { status: answer.status, body: await answer.text() }
}

const typed = (type: string, body: string): Sent => ({ headers: { 'Content-Type': type }, body })
const json = (body: string): Sent => typed('application/json', body)
const form = (body: string): Sent => typed('application/x-www-form-urlencoded', body)
const part = (text: string): Sent =>
  typed(
    'multipart/form-data; boundary=b',
    `--b\r\nContent-Disposition: form-data; name="j"\r\n\r\n${text}\r\n--b--\r\n`,
  )
const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)
const tree = (levels: number): string =>
  '{"kind":"node","child":'.repeat(levels - 1) + '{"kind":"leaf"}' + '}'.repeat(levels - 1)

/** Requests with a value of so many levels, and how a refusal calls the value. */
const kinds: [kind: string, place: string, make: (levels: number) => Sent][] = [
  ['a recursive schema with a discriminator', 'The body', (levels) => json(tree(levels))],
  ['lists where anything may be', 'The body', (levels) => json(`{"kind":"leaf","rest":${lists(levels - 1)}}`)],
  ['objects where anything may be', 'The body', (levels) => json(`{"kind":"leaf","rest":${objects(levels - 1)}}`)],
  ['a deep object in a form', 'body.f', (levels) => form(`f${'[a]'.repeat(levels - 1)}=1`)],
  ['JSON in a form', 'body.j', (levels) => form(`j=${encodeURIComponent(objects(levels))}`)],
  ['JSON in a part', 'body.j', (levels) => part(objects(levels))],
  ['a deep object in the query', 'query.f', (levels) => ({ query: `?f${'[a]'.repeat(levels - 1)}=1` })],
  ['JSON in the query', 'query.j', (levels) => ({ query: `?j=${lists(levels)}` })],
  ['JSON in a header', 'header.x-j', (levels) => ({ headers: { 'X-J': lists(levels) } })],
]

describe.each(kinds)('%s', (_, place, make) => {
  test(`may have ${maxNesting} levels`, async () => {
    expect(await send(make(maxNesting))).toEqual({ status: 204, body: '' })
  })

  test.each([maxNesting + 1, 2000, 3000])('with %d levels is refused with its place', async (levels) => {
    const { status, body } = await send(make(levels))
    expect(status).toBe(400)
    expectError(body, 400)
    expect(JSON.parse(body)).toMatchObject({ message: `${place} is nested too deeply.` })
  })
})

test('brackets in texts are no levels, and a list may have any number of objects', async () => {
  const brackets = JSON.stringify('[{'.repeat(5000) + '\\"'.repeat(100))
  expect((await send(json(`{"kind":"leaf","rest":[${brackets},${brackets}]}`))).status).toBe(204)
  expect((await send(json(`{"kind":"leaf","rest":[${'{},'.repeat(9000)}[]]}`))).status).toBe(204)
})

test('no body of 100 kB is too deep for the service, whatever it is made of', async () => {
  const levels = 6000
  for (const text of [tree(4000), lists(49_000), '['.repeat(99_000), '{"kind":"node","child":'.repeat(4000)]) {
    const { status, body } = await send(json(text))
    expect(status).toBe(400)
    expect(body).toContain('The body is nested too deeply.')
  }
  expect((await send(form(`f${'[a]'.repeat(levels)}=1`))).body).toContain('body.f is nested too deeply.')
  expect((await send(part(lists(levels)))).body).toContain('body.j is nested too deeply.')
  expect(service.logged.filter(({ code }) => code === 'internal_error')).toEqual([])
})
