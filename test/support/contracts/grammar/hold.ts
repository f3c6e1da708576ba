import { writeFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import fc from 'fast-check'
import { parse, stringify } from 'lossless-json'
import { lintContract } from '../../../../scripts/workshop/lint/lint.ts'
import type { RawReply, ValidRequest } from '../../../../src/contract/compiled.ts'
import { parseContract } from '../../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../../src/contract/model/model.ts'
import type { Handlers } from '../../../../src/contract/operation.ts'
import { startService, type TestService } from '../../service.ts'
import type { Generated } from './contracts.ts'

type GeneratedOperation = Generated['operations'][number]

/** A request to an operation, with the values that it carries, and the reply of its handler. */
export interface Exchange {
  operation: GeneratedOperation
  parameters: { name: string; in: string; value: unknown; text: string }[]
  body: { value: unknown; sent: string | Buffer; valid: boolean } | undefined
  answered: unknown
}

/** An exchange for each operation of a contract. A body of JSON may be an invalid one. */
export function exchanges({ operations }: Generated): fc.Arbitrary<Exchange[]> {
  return fc.tuple(...operations.map(exchange))
}

function exchange(operation: GeneratedOperation): fc.Arbitrary<Exchange> {
  const parameters = operation.parameters.map((one) =>
    one.model.values.map((value) => ({ name: one.name, in: one.in, value, text: one.text(value as never) })),
  )
  const { body, answer } = operation
  const invented = fc.jsonValue({ maxDepth: 2 }).map((value) => exact(JSON.stringify(value)))
  const sent = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Exchange['body']> =>
    values.map((value) => body && { value, sent: body.bytes(value as never), valid: body.model.accepts(value) })
  const bodyValues = body && (body.type.endsWith('json') ? fc.oneof(body.model.values, invented) : body.model.values)
  const bodies = bodyValues ? sent(bodyValues) : fc.constant(undefined)
  return fc
    .tuple(
      fc.tuple(...parameters),
      body?.required === false ? fc.option(bodies, { nil: undefined }) : bodies,
      answer.content?.model.values ?? fc.constant(undefined),
    )
    .map(([all, made, answered]) => ({ operation, parameters: all, body: made, answered }))
}

/** Lint calls the contract sound; its service reads and answers what the exchanges say; its mock answers validly. */
export async function hold(file: string, { text, operations }: Generated, all: readonly Exchange[]): Promise<void> {
  writeFileSync(file, text)
  const findings = await lintContract(file, { today: '2026-11-28', house: false })
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  const model = modelOf(parseContract(text, 'contract.json'))
  const read: (ValidRequest & { keyId: string })[] = []
  const handlers = Object.fromEntries(
    model.operations.map(({ operationId, path }) => [
      operationId,
      async (request: ValidRequest & { keyId: string }): Promise<RawReply> => {
        read.push(request)
        const found = all.find(({ operation }) => operation.path === path)
        return Promise.resolve(replyTo(found))
      },
    ]),
  ) as unknown as Handlers
  await withService({ contractFile: file, handlers }, async (service) => {
    for (const one of all) await checkServed(service, one, read)
  })
  await withService({ contractFile: file, handlers: {}, mocks: true }, async (service) => {
    for (const one of all) if (one.body?.valid !== false) await checkMocked(service, one)
  })
  expect(operations.length).toBe(all.length)
}

async function withService(
  settings: Parameters<typeof startService>[1],
  body: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startService({}, settings)
  try {
    await body(service)
  } finally {
    await service.stop()
  }
}

function replyTo(exchange: Exchange | undefined): RawReply {
  const { code, counted } = exchange?.operation.answer ?? { code: 500, counted: false }
  return { status: code, headers: counted ? { 'X-Count': 7 } : {}, body: exchange?.answered }
}

async function ask(
  service: TestService,
  { operation, parameters, body }: Exchange,
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const of = (place: string): Exchange['parameters'] => parameters.filter((one) => one.in === place)
  const path = of('path').reduce((all, { name, text }) => all.replace(`{${name}}`, text), operation.path)
  const key = operation.scheme?.send(service.key) ?? {}
  const query = [...of('query').map(({ text }) => text), ...(key.query === undefined ? [] : [key.query])].join('&')
  const cookies = of('cookie').map(({ text }) => text)
  const headers = {
    ...key.headers,
    ...Object.fromEntries(of('header').map(({ name, text }) => [name, text])),
    ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}),
    ...(body ? { 'content-type': operation.body?.type ?? '' } : {}),
  }
  const url = `http://127.0.0.1:${service.port}${service.apiRoot}${path}${query === '' ? '' : `?${query}`}`
  const sent = body ? { body: body.sent } : {}
  const answer = await fetch(url, { method: operation.method.toUpperCase(), headers, ...sent })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

async function checkServed(
  service: TestService,
  exchange: Exchange,
  read: (ValidRequest & { keyId: string })[],
): Promise<void> {
  const { operation, parameters, body, answered } = exchange
  read.length = 0
  const { status, headers, bytes } = await ask(service, exchange)
  const told = bytes.toString()
  if (body?.valid === false) {
    expect({ status, told }).toMatchObject({ status: 400, told: expect.stringMatching(/"message":"body\b/) })
    return
  }
  expect({ status, told }).toEqual({ status: operation.answer.code, told: expect.anything() })
  const [request] = read
  const values = request as unknown as Record<string, Record<string, unknown>>
  for (const { in: place, name, value } of parameters) expect(same(values[place]?.[name])).toEqual(same(value))
  expect(same(request?.body)).toEqual(same(body?.value))
  if (operation.answer.counted) expect(headers.get('x-count')).toBe('7')
  checkBody(operation, bytes, headers, (value) => {
    expect(same(value)).toEqual(same(answered))
  })
}

async function checkMocked(service: TestService, exchange: Exchange): Promise<void> {
  const { operation } = exchange
  const { status, headers, bytes } = await ask(service, exchange)
  // of a range, a mock answers the first status
  const expected = operation.answer.status === '2XX' ? 200 : operation.answer.code
  expect({ status, told: bytes.toString() }).toEqual({ status: expected, told: expect.anything() })
  if (operation.answer.counted) expect(headers.get('x-count')).toMatch(/^-?\d+$/)
  checkBody(operation, bytes, headers, (value) => {
    expect([value, operation.answer.content?.model.accepts(value)]).toEqual([value, true])
  })
}

function checkBody(
  { answer }: GeneratedOperation,
  bytes: Buffer,
  headers: Headers,
  check: (value: unknown) => void,
): void {
  const { content } = answer
  if (!content) {
    expect(bytes).toHaveLength(0)
    return
  }
  expect(headers.get('content-type')?.split(';')[0]).toBe(content.type)
  check(content.kind === 'json' ? exact(bytes.toString()) : content.kind === 'text' ? bytes.toString() : bytes)
}

/** The value of a text of JSON, with every integer as `bigint`. */
function exact(text: string): unknown {
  return parse(text, undefined, { parseNumber: (digits) => numberOf(digits) })
}

function numberOf(digits: string): unknown {
  return /^-?\d+$/.test(digits)
    ? BigInt(digits)
    : Number.isInteger(Number(digits))
      ? BigInt(Number(digits))
      : Number(digits)
}

/** A value without the difference between a small integer and a `bigint`. */
function same(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (Buffer.isBuffer(value) || value === undefined) return value
  if (value instanceof Uint8Array) return Buffer.from(value)
  return exact(stringify(value) ?? '')
}
