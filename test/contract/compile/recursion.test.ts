import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { CompiledOperation } from '../../../src/contract/compiled.ts'
import { counted, work } from '../../support/contracts/counted.ts'
import { componentsOf } from '../../support/contracts/grammar/contracts.ts'
import { models } from '../../support/contracts/grammar/schemas.ts'
import { operationOf } from '../../support/contracts/things.ts'

/** A contract whose one operation takes a body of one of these schemas, in a type of body. */
function contractOf(schemas: object, schema: object, { type = 'application/json', version = '3.1.0' } = {}): string {
  const responses = { 204: { description: 'Done.' } }
  const post = { operationId: 'addThing', requestBody: { content: { [type]: { schema } } }, responses }
  return JSON.stringify({
    openapi: version,
    info: { title: 'Things', version: '1' },
    paths: { '/things': { post } },
    components: { schemas },
  })
}

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const list = (items: object): object => ({ type: 'array', items })
const object = (required: string[], properties: object, more: object = {}): object => ({
  ...{ type: 'object', required, properties },
  ...more,
})

/** A schema that contains itself, as public contracts have them, and how its values contain one another. */
interface Recursive {
  schemas: { Thing: object } & Record<string, object>
  /** Values that contain none. */
  leaves: readonly unknown[]
  /** What puts a value into another one. */
  steps: readonly ((inner: unknown) => unknown)[]
}

const both = (values: object): object => ({ anyOf: [ref('And'), ref('Or'), ref('Not'), ref('Leaf')], ...values })
const filters = {
  And: object(['all'], { all: list(ref('Thing')), name: { type: 'string' } }),
  Or: object(['all'], { all: list(ref('Thing')), any: { type: 'boolean' } }),
  Not: object(['all', 'not'], { all: list(ref('Thing')), not: ref('Thing') }),
  Leaf: object(['field'], { field: { type: 'string' } }),
}
const ofFilters = {
  leaves: [{ field: 'a' }],
  steps: [
    (inner: unknown) => ({ all: [inner], name: 'n' }),
    (inner: unknown) => ({ all: [{ field: 'b' }, inner] }),
    (inner: unknown) => ({ all: [{ field: 'b' }], not: inner }),
  ],
}
const closed = { unevaluatedProperties: false }

const kinds: Record<string, Recursive> = {
  'a schema of schemas': {
    schemas: {
      Thing: {
        anyOf: [
          { type: 'boolean' },
          object([], {
            properties: { type: 'object', additionalProperties: ref('Thing') },
            items: { anyOf: [ref('Thing'), list(ref('Thing'))] },
            allOf: list(ref('Thing')),
            not: ref('Thing'),
            additionalProperties: { oneOf: [{ type: 'boolean' }, object([], {}, { allOf: [ref('Thing')] })] },
          }),
        ],
      },
    },
    leaves: [true, {}],
    steps: [
      (inner) => ({ properties: { a: inner } }),
      (inner) => ({ items: [inner] }),
      (inner) => ({ allOf: [true, inner], not: false }),
      (inner) => ({ not: inner }),
      (inner) => ({ additionalProperties: { items: inner } }),
    ],
  },
  'a tree of comments': {
    schemas: {
      Thing: object(['text'], {
        text: { type: 'string' },
        replies: list(ref('Thing')),
        parent: { anyOf: [{ type: 'null' }, ref('Thing')] },
      }),
    },
    leaves: [{ text: 'a' }],
    steps: [
      (inner) => ({ text: 'b', replies: [{ text: 'c' }, inner] }),
      (inner) => ({ text: 'b', parent: inner, replies: [] }),
    ],
  },
  'filters that no tag tells apart': { schemas: { Thing: both({}), ...filters }, ...ofFilters },
  'filters without other fields': { schemas: { Thing: both(closed), ...filters }, ...ofFilters },
  'filters without other fields, each written in place': {
    schemas: {
      Thing: both(closed),
      ...filters,
      And: object(['all'], { all: list(both(closed)), name: { type: 'string' } }),
      Or: object(['all'], { all: list(both(closed)), any: { type: 'boolean' } }),
      Not: object(['all', 'not'], { all: list(both(closed)), not: both(closed) }),
    },
    ...ofFilters,
  },
  'closed filters': {
    schemas: {
      Thing: both({}),
      ...Object.fromEntries(Object.entries(filters).map(([name, schema]) => [name, { ...schema, ...closed }])),
    },
    ...ofFilters,
  },
  'closed filters of a common part': {
    schemas: {
      Thing: { oneOf: [ref('And'), ref('Or'), ref('Leaf')] },
      Many: object(['all'], { all: list(ref('Thing')) }),
      And: { allOf: [ref('Many'), object(['name'], { name: { type: 'string' } })], ...closed },
      Or: { allOf: [ref('Many'), object([], { any: { type: 'boolean' } })], ...closed },
      Leaf: { type: 'integer' },
    },
    leaves: [1],
    steps: [(inner) => ({ all: [inner], name: 'n' }), (inner) => ({ all: [2, inner], any: true })],
  },
  'lists whose items are all evaluated': {
    schemas: {
      Thing: { anyOf: [{ type: 'integer' }, ref('Pair'), ref('Triple')] },
      Pair: { type: 'array', prefixItems: [ref('Thing'), ref('Thing')], minItems: 2, unevaluatedItems: false },
      Triple: {
        type: 'array',
        anyOf: [{ prefixItems: [ref('Thing'), ref('Thing'), ref('Thing')] }],
        minItems: 2,
        unevaluatedItems: false,
      },
    },
    leaves: [1],
    steps: [(inner) => [1, inner], (inner) => [inner, 2, 3]],
  },
  'a collection of geometries': {
    schemas: {
      Thing: { oneOf: [ref('Point'), ref('Line'), ref('Collection')] },
      Position: { type: 'array', items: { type: 'number' }, minItems: 2 },
      Point: object(['type', 'coordinates'], { type: { enum: ['Point'] }, coordinates: ref('Position') }),
      Line: object(['type', 'coordinates'], { type: { enum: ['LineString'] }, coordinates: list(ref('Position')) }),
      Collection: object(['type', 'geometries'], { type: { type: 'string' }, geometries: list(ref('Thing')) }),
    },
    leaves: [{ type: 'Point', coordinates: [1, 2] }],
    steps: [
      (inner) => ({ type: 'GeometryCollection', geometries: [inner] }),
      (inner) => ({ type: 'GeometryCollection', geometries: [{ type: 'LineString', coordinates: [[1, 2]] }, inner] }),
    ],
  },
  'an expression': {
    schemas: {
      Thing: { oneOf: [ref('Binary'), ref('Unary'), ref('Call'), { type: ['number', 'string'] }] },
      Binary: object(['op', 'left', 'right'], { op: { enum: ['+', '*'] }, left: ref('Thing'), right: ref('Thing') }),
      Unary: object(['op', 'left'], { op: { enum: ['-', '!'] }, left: ref('Thing') }),
      Call: object(['name', 'args'], { name: { type: 'string' }, args: list(ref('Thing')) }),
    },
    leaves: [1, 'x'],
    steps: [
      (inner) => ({ op: '+', left: inner, right: 1 }),
      (inner) => ({ op: '-', left: inner }),
      (inner) => ({ name: 'f', args: ['y', inner] }),
    ],
  },
}

/** A value of as many levels as there are steps. */
function grown({ steps }: Recursive, picks: readonly number[], leaf: unknown): unknown {
  return picks.reduce<unknown>((inner, pick) => steps[pick % steps.length]?.(inner), leaf)
}

const picks = fc.array(fc.nat(), { minLength: 10, maxLength: 40 })
const wrong = fc.constantFrom<unknown[]>(undefined, null, [], { other: 1 }, [[['x']]], { text: 1 }, { all: 7 })

describe('a value of twice the levels costs about twice as much, valid or not:', () => {
  test.each(Object.entries(kinds))('%s', async (_, kind) => {
    const operation = await operationOf(contractOf(kind.schemas, ref('Thing')))
    const leaf = fc.oneof(fc.constantFrom(...kind.leaves), wrong)
    for (const one of kind.leaves) expect(work(operation, grown(kind, [0, 1, 2, 3, 4], one)).fault).toBeUndefined()
    fc.assert(
      fc.property(picks, leaf, (picks, leaf) => {
        const [once, twice] = [picks, [...picks, ...picks]].map((all) => work(operation, grown(kind, all, leaf)).reads)
        expect((twice ?? Infinity) / (once ?? 0)).toBeLessThan(2.5)
      }),
      { numRuns: 40 },
    )
  })
})

test.each(['filters without other fields', 'filters without other fields, each written in place', 'closed filters'])(
  '%s have none at any level',
  async (name) => {
    const kind = kinds[name] as Recursive
    const operation = await operationOf(contractOf(kind.schemas, ref('Thing')))
    for (const picks of [[], [0], [1, 2], [2, 1, 0, 2]]) {
      expect(work(operation, grown(kind, picks, { field: 'a', other: 1 })).fault).toMatch(/^body/)
      expect(work(operation, grown(kind, picks, { field: 'a' })).fault).toBeUndefined()
    }
    expect(work(operation, { all: [], name: 'n', any: true, not: { field: 'a' } }).fault === undefined).toBe(
      name !== 'closed filters',
    )
  },
)

describe('so does a recursive value in a field of a form:', () => {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const
  test.each(types)('%s', async (type) => {
    const kind = kinds['filters that no tag tells apart'] as Recursive
    const operation = await operationOf(contractOf(kind.schemas, object(['a'], { a: ref('Thing') }), { type }))
    fc.assert(
      fc.property(picks, fc.oneof(fc.constantFrom(...kind.leaves), wrong), (picks, leaf) => {
        const [once, twice] = [picks, [...picks, ...picks]].map((all) =>
          readsOfForm(operation, type, grown(kind, all, leaf)),
        )
        expect((twice ?? Infinity) / (once ?? 0)).toBeLessThan(2.5)
      }),
      { numRuns: 40 },
    )
  })
})

/** What is read of a value that stands as JSON in the field `a`. */
function readsOfForm(operation: CompiledOperation, type: string, value: unknown): number {
  const text = JSON.stringify(value ?? null)
  const counts: (() => number)[] = []
  const parse = (bytes: Buffer): unknown => {
    const found = counted(JSON.parse(String(bytes)))
    counts.push(found.reads)
    return found.value
  }
  const reader = operation.bodies?.find(type)
  try {
    const part = { name: 'a', filename: undefined, type: 'application/json', bytes: Buffer.from(text) }
    const body =
      reader?.kind === 'form'
        ? reader.read(`a=${encodeURIComponent(text)}`, parse)
        : reader?.kind === 'multipart'
          ? reader.read([part], parse)
          : undefined
    operation.read({ values: [], query: '', headers: {}, body, type })
  } catch (error) {
    expect((error as Error).message).toMatch(/^body/)
  }
  return counts.reduce((sum, reads) => sum + reads(), 0)
}

test('twice as many values of any schema cost about twice as much', async () => {
  const cases = models.chain((model) => {
    const value = fc.oneof({ weight: 5, arbitrary: model.values }, fc.jsonValue())
    return fc.record({ model: fc.constant(model), values: fc.array(value, { minLength: 8, maxLength: 12 }) })
  })
  for (const { model, values } of fc.sample(cases, { numRuns: 60, seed: 20261128 })) {
    const components = componentsOf()
    const schema = list(components.moved(model.schema) as object)
    const text = contractOf(components.all().schemas, schema, { version: '3.0.3' })
    const operation = await operationOf(text)
    const [once, twice] = [1, 2].map((times) => {
      const body = Array.from({ length: times }, () => structuredClone(values)).flat()
      return work(operation, body).reads
    })
    const isLinear = Number(twice) <= 2.5 * Number(once)
    expect({ text, once, twice, isLinear }).toEqual({ text, once, twice, isLinear: true })
  }
})
