import { describe, expect, test } from '@jest/globals'
import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { referencesIn } from '../../../src/contract/model/found-references.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { pathOf, pointerOf, type Node } from '../../../src/contract/model/node.ts'
import { follow, locate, resolver } from '../../../src/contract/model/reference.ts'

describe('a reference', () => {
  const root = {
    alias: { $ref: '#/paths/~1pets~1%7Bid%7D/get' },
    paths: { '/pets/{id}': { get: { a: 1 } }, '100%': { b: 2 } },
    through: { $ref: '#/alias/a' },
    percent: { $ref: '#/paths/100%/b' },
    nowhere: { $ref: '#/paths/toString' },
    one: { $ref: '#/other' },
    other: { $ref: '#/one' },
  }
  const at = (key: keyof typeof root): { at: string[]; value: unknown } => ({ at: [key], value: root[key] })

  test('is followed to its end, decoded, and through other references', () => {
    expect(follow(root, at('alias'))).toEqual({ at: ['paths', '/pets/{id}', 'get'], value: { a: 1 } })
    expect(follow(root, at('through'))).toEqual({ at: ['paths', '/pets/{id}', 'get', 'a'], value: 1 })
    expect(follow(root, at('percent'))).toEqual({ at: ['paths', '100%', 'b'], value: 2 })
    expect(locate(root, ['alias', 'a'])).toEqual({ at: ['paths', '/pets/{id}', 'get', 'a'], value: 1 })
  })

  test('may lead to nothing, or round in a circle', () => {
    const resolve = resolver(root)
    expect(follow(root, at('nowhere')).value).toBeUndefined()
    expect(() => follow(root, at('one'))).toThrow(new Error('The $ref "#/other" leads round in a circle.'))
    expect(resolve('#/paths/toString')).toEqual({ why: 'nothing' })
    expect(resolve('#/one')).toEqual({ why: 'circle' })
    expect(resolve('#/alias/a')).toEqual({ at: ['paths', '/pets/{id}', 'get', 'a'], value: 1 })
  })
})

test('what looks like a reference in data and extensions, or stands beside one, is none', () => {
  const media = {
    example: { $ref: '#/a' },
    examples: { one: { $ref: '#/b' }, two: { value: { $ref: '#/c' } } },
    schema: { $ref: '#/d', items: { $ref: '#/e' } },
    'x-a': { $ref: '#/f' },
  }
  const properties = { default: { $ref: '#/g' }, example: { items: { $ref: '#/h' } } }
  const found = referencesIn({ content: { 'a/b': media }, default: { $ref: '#/i' }, properties })
  expect(found.map(({ reference, at, siblings }) => [reference, pointerOf(at), siblings])).toEqual([
    ['#/b', '/content/a~1b/examples/one', []],
    ['#/d', '/content/a~1b/schema', ['items']],
    ['#/g', '/properties/default', []],
    ['#/h', '/properties/example/items', []],
  ])
})

test('a pointer names a path, and a path a pointer', () => {
  const path = ['paths', '/a~b', '', '~1']
  expect(pointerOf(path)).toBe('/paths/~1a~0b//~01')
  expect(pathOf(pointerOf(path))).toEqual(path)
  expect(pathOf(`#${pointerOf(path)}`)).toEqual(path)
  expect([pathOf(''), pathOf('#'), pathOf('#/')]).toEqual([[], [], []])
})

describe('the model of a contract', () => {
  const modelFor = (root: object): ReturnType<typeof modelOf> =>
    modelOf({ root: { openapi: '3.0.3', ...root } } as unknown as ContractDocument)

  test('visits parts and not data, and takes names for names', () => {
    const properties = { content: { type: 'integer' }, example: { items: {} }, 'x-a': {} }
    const schema = { type: 'object', properties, default: { items: {} }, 'x-b': { items: {} } }
    const paths: string[] = []
    modelFor({ components: { schemas: { default: schema } } }).visit(({ at }) => paths.push(pointerOf(at)))
    expect(paths).toEqual([
      ...['', '/components', '/components/schemas/default', '/components/schemas/default/properties/content'],
      ...['example', 'example/items', 'x-a'].map((name) => `/components/schemas/default/properties/${name}`),
    ])
  })

  test('visits what a part reaches once, also where references lead round', () => {
    const schemas = {
      A: { items: { $ref: '#/components/schemas/A' }, properties: { b: { $ref: '#/components/schemas/B' } } },
      B: { allOf: [{ $ref: '#/components/schemas/None' }, { $ref: '#/components/schemas/Round' }] },
      Round: { $ref: '#/components/schemas/Round' },
    }
    const paths: string[] = []
    const seen = new Set<Node>()
    const model = modelFor({ components: { schemas } })
    for (const name of ['A', 'B'] as const) {
      const at = ['components', 'schemas', name]
      model.visitReached({ kind: 'schema', node: schemas[name], at }, seen, (part) => paths.push(pointerOf(part.at)))
    }
    expect(paths).toEqual(['/components/schemas/A', '/components/schemas/B'])
  })

  test('has the operations in the order of the contract, also those of a path that is a reference', () => {
    const paths = {
      '/a': { parameters: [], post: { x: 1 }, get: { x: 2 }, put: null },
      '/b': { $ref: '#/x-b' },
      '/c': null,
    }
    const { operations } = modelFor({ paths, 'x-b': { head: { x: 3 } } })
    expect(operations.map(({ name, at, node }) => [name, pointerOf(at), node.x])).toEqual([
      ['POST /a', '/paths/~1a/post', 1],
      ['GET /a', '/paths/~1a/get', 2],
      ['HEAD /b', '/x-b/head', 3],
    ])
    expect(modelFor({}).operations).toEqual([])
  })
})
