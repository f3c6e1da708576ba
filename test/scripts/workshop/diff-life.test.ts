import { expect, test } from '@jest/globals'
import { compare, contract, listed } from '../../support/contracts/diff.ts'

const answer = "responses: { '204': { description: Done. } }"
/** Paths with one operation each, from what is said of it before and after; null where it is not there. */
function contracts(cases: Record<string, [string | null, string | null]>): [string, string] {
  const side = (index: 0 | 1): string =>
    contract(
      Object.fromEntries(
        Object.entries(cases).flatMap(([path, said]) =>
          said[index] === null ? [] : [[`/${path}`, `{ get: { ${said[index]}${answer} } }`]],
        ),
      ),
    )
  return [side(0), side(1)]
}

test('an operation may be removed only when it was deprecated, and its sunset has come', async () => {
  const [base, head] = contracts({
    alpha: ['', ''],
    bravo: ['', null],
    charlie: ['deprecated: true, ', null],
    delta: ["deprecated: true, x-sunset: '2026-11-29', ", null],
    echo: ["deprecated: true, x-sunset: '2026-11-28', ", null],
    foxtrot: ["deprecated: true, x-sunset: '2020-01-01T10:00:00Z', ", null],
    golf: ["deprecated: true, x-sunset: 'soon', ", null],
    hotel: ["x-sunset: '2020-01-01', ", null],
    india: [null, ''],
  })
  const report = await compare(base, head)
  expect(listed(report)).toEqual([
    'breaking: GET /bravo: removed, though it was never deprecated.',
    'breaking: GET /charlie: removed, though its deprecation names no x-sunset.',
    'breaking: GET /delta: removed before its sunset 2026-11-29.',
    'breaking: GET /golf: removed, though its deprecation names no x-sunset.',
    'breaking: GET /hotel: removed, though it was never deprecated.',
    'compatible: GET /echo: removed after its sunset 2026-11-28.',
    'compatible: GET /foxtrot: removed after its sunset 2020-01-01.',
    'compatible: GET /india: added.',
  ])
  expect(report.changes[0]?.place).toEqual({ file: 'head.yaml', line: 3, column: 1, pointer: '/paths' })
})

test('a sunset may come later, but not earlier and not in the past; stability may only rise', async () => {
  const [base, head] = contracts({
    a1: ['', "deprecated: true, x-sunset: '2030-01-01', "],
    b2: ['', "deprecated: true, x-sunset: '2026-11-28', "],
    c3: ["deprecated: true, x-sunset: '2030-01-01', ", ''],
    d4: ["deprecated: true, x-sunset: '2030-01-01', ", "deprecated: true, x-sunset: '2029-12-31', "],
    e5: ["deprecated: true, x-sunset: '2030-01-01', ", "deprecated: true, x-sunset: '2030-01-02', "],
    f6: ["deprecated: true, x-sunset: '2030-01-01', ", 'deprecated: true, '],
    g7: ['deprecated: true, ', "deprecated: true, x-sunset: '2030-01-01', "],
    h8: ['deprecated: true, ', "deprecated: true, x-sunset: '2020-01-01', "],
    i9: ['', 'deprecated: false, x-stability: stable, '],
    j1: ['', 'x-stability: beta, '],
    k2: ['x-stability: beta, ', 'x-stability: experimental, '],
    l3: ['x-stability: experimental, ', 'x-stability: beta, '],
    m4: ['x-stability: beta, ', ''],
    n5: ["deprecated: true, x-sunset: '2020-01-01', ", "deprecated: true, x-sunset: '2020-01-01', "],
  })
  expect(listed(await compare(base, head))).toEqual([
    'breaking: GET /b2: deprecated with the sunset 2026-11-28, which has come already.',
    'breaking: GET /d4: the sunset moved from 2030-01-01 to 2029-12-31.',
    'breaking: GET /f6: deprecated still, but without its sunset 2030-01-01.',
    'breaking: GET /h8: deprecated already, and given the sunset 2020-01-01, which has come already.',
    'breaking: GET /j1: the stability changed from stable to beta.',
    'breaking: GET /k2: the stability changed from beta to experimental.',
    'compatible: GET /a1: deprecated, with the sunset 2030-01-01.',
    'compatible: GET /c3: the deprecation was taken back.',
    'compatible: GET /e5: the sunset moved from 2030-01-01 to 2030-01-02.',
    'compatible: GET /g7: deprecated already, and given the sunset 2030-01-01.',
    'compatible: GET /l3: the stability changed from experimental to beta.',
    'compatible: GET /m4: the stability changed from beta to stable.',
  ])
})

test('parameters, properties and response headers have sunsets too', async () => {
  const over = "deprecated: true, x-sunset: '2026-01-01'"
  const coming = "deprecated: true, x-sunset: '2030-01-01'"
  const things = (parameters: string[], headers: string[], properties: string[], required: string[]): string =>
    contract(
      {
        '/a': `{ get: { parameters: [${parameters.join(', ')}], responses: { '200': { description: Fine., headers: {${headers.join(', ')}}, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } } } } }`,
      },
      `{ schemas: { Thing: { type: object, required: [${required.join(', ')}], properties: {${properties.join(', ')}} } } }`,
    )
  const report = await compare(
    things(
      [
        `{ name: over, in: query, schema: { type: string }, ${over} }`,
        `{ name: coming, in: query, schema: { type: string }, ${coming} }`,
        '{ name: kept, in: query, schema: { type: string } }',
      ],
      [`X-Over: { schema: { type: string }, ${over} }`, `X-Coming: { schema: { type: string }, ${coming} }`],
      [
        `over: { type: string, ${over} }`,
        `coming: { type: string, ${coming} }`,
        `kept: { type: string, ${coming} }`,
        'newly: { type: string }',
      ],
      ['over', 'coming', 'kept'],
    ),
    things(
      ["{ name: kept, in: query, schema: { type: string }, deprecated: true, x-sunset: '2030-01-01' }"],
      [],
      ["kept: { type: string, deprecated: true, x-sunset: '2028-01-01' }", 'newly: { type: string, deprecated: true }'],
      ['kept'],
    ),
  )
  expect(listed(report).sort()).toEqual([
    'breaking: GET /a, query parameter coming: removed before its sunset 2030-01-01.',
    'breaking: GET /a, response 200, header X-Coming: removed before its sunset 2030-01-01.',
    'breaking: schema Thing in responses, property coming: removed before its sunset 2030-01-01.',
    'breaking: schema Thing in responses, property kept: the sunset moved from 2030-01-01 to 2028-01-01.',
    'compatible: GET /a, query parameter kept: deprecated, with the sunset 2030-01-01.',
    'compatible: GET /a, query parameter over: removed after its sunset 2026-01-01.',
    'compatible: GET /a, response 200, header X-Over: removed after its sunset 2026-01-01.',
    'compatible: schema Thing in responses, property newly: deprecated.',
    'compatible: schema Thing in responses, property over: removed after its sunset 2026-01-01.',
  ])
})

test('breaking changes are excused where every operation that they reach is experimental or beta', async () => {
  const operation = (id: string, schema: string, mark: string): string =>
    `{ get: { operationId: ${id}, ${mark}responses: { '200': { description: Fine., content: { application/json: { schema: { $ref: '#/components/schemas/${schema}' } } } } } } }`
  const paths = {
    '/young': operation('young', 'Own', 'x-stability: experimental, '),
    '/both': operation('both', 'Shared', 'x-stability: beta, '),
    '/old': operation('old', 'Shared', ''),
    '/gone': operation('gone', 'Own', 'x-stability: beta, '),
  }
  const schemas = (type: string): string =>
    `{ schemas: { Own: { type: ${type} }, Shared: { type: array, items: { $ref: '#/components/schemas/Inner' } }, Inner: { type: ${type} }, Unused: { type: ${type} } } }`
  const { '/gone': _, ...left } = paths
  const report = await compare(contract(paths, schemas('string')), contract(left, schemas('object')))
  expect(listed(report)).toEqual([
    'breaking (beta): GET /gone: removed, though it was never deprecated.',
    'breaking (experimental): schema Own in responses: type changed from string to object.',
    'breaking: schema Inner in responses: type changed from string to object.',
  ])
  expect(report.changes.map(({ operations, bump }) => [operations, bump])).toEqual([
    [['GET /gone'], 'minor'],
    [['GET /young'], 'minor'],
    [['GET /both', 'GET /old'], 'major'],
  ])
  expect(report.passed).toBe(false)
})

test('a limit of a plan may only rise', async () => {
  const plans = (text: string): string => contract({ '/a': `{ get: { ${answer} } }` }, '{}', `x-plans: ${text}\n`)
  const report = await compare(
    plans(
      '{ free: { perMinute: 60, perDay: 1000 }, pro: { perMinute: 300, perDay: 9 }, gone: custom, big: custom, same: custom }',
    ),
    plans(
      '{ free: { perMinute: 30, perDay: 1000 }, pro: { perMinute: 400, perDay: 9 }, big: { perMinute: 1, perDay: 2 }, same: custom, fresh: custom }',
    ),
  )
  expect(listed(report).sort()).toEqual([
    'breaking: plan free: perMinute changed from 60 to 30.',
    'breaking: plan gone: removed.',
    'compatible: plan fresh: added.',
    'compatible: plan pro: perMinute changed from 300 to 400.',
    'risky: plan big: changed from custom to perMinute 1, perDay 2.',
  ])
})
