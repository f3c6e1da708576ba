import { describe, expect, test } from '@jest/globals'
import {
  follow,
  locate,
  operationsOf,
  pathOf,
  pointerOf,
  targetOf,
  walk,
  walkThrough,
  type Node,
} from '../../../src/contract/model/tree.ts'

/** The paths of the nodes that are visited. */
function walked(value: unknown): string[] {
  const paths: string[] = []
  walk({ at: [], value }, (_, at) => paths.push(pointerOf(at)))
  return paths
}

describe('a walk through a contract', () => {
  test('visits what is a node, and takes names for names', () => {
    const schema = { type: 'object', properties: { content: { type: 'integer' }, example: { items: {} }, 'x-a': {} } }
    expect(walked({ components: { schemas: { default: schema } } })).toEqual([
      ...['', '/components', '/components/schemas/default', '/components/schemas/default/properties/content'],
      ...['example', 'example/items', 'x-a'].map((name) => `/components/schemas/default/properties/${name}`),
    ])
  })

  test('leaves out data, extensions and what stands beside a reference', () => {
    const media = { example: { a: {} }, examples: { a: {} }, schema: { $ref: '#/a', items: {} }, 'x-a': { b: {} } }
    expect(walked({ content: { 'a/b': media }, default: {}, enum: [{}] })).toEqual([
      '',
      '/content/a~1b',
      '/content/a~1b/schema',
    ])
  })

  test('through references visits each node once, also where they lead round', () => {
    const root = {
      a: [{ $ref: '#/b' }, { $ref: '#/b' }, { $ref: '#/none' }, { $ref: '#/round' }],
      b: { items: { $ref: '#/b' }, properties: { c: { $ref: '#/c' } } },
      c: {},
      round: { $ref: '#/round' },
    }
    const paths: string[] = []
    const seen = new Set<Node>()
    const visit = (_: Node, at: readonly string[]): void => {
      paths.push(pointerOf(at))
    }
    walkThrough(root, { at: ['a'], value: root.a }, visit, seen)
    walkThrough(root, { at: ['b'], value: root.b }, visit, seen)
    expect(paths).toEqual(['/b', '/c'])
  })
})

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

  test('may lead nowhere, or round in a circle', () => {
    expect(follow(root, at('nowhere')).value).toBeUndefined()
    expect(() => follow(root, at('one'))).toThrow(new Error('The $ref "#/other" leads round in a circle.'))
    expect([at('nowhere'), at('one'), at('through')].map((spot) => targetOf(root, spot.value, spot.at))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

test('a pointer names a path, and a path a pointer', () => {
  const path = ['paths', '/a~b', '', '~1']
  expect(pointerOf(path)).toBe('/paths/~1a~0b//~01')
  expect(pathOf(pointerOf(path))).toEqual(path)
  expect(pathOf(`#${pointerOf(path)}`)).toEqual(path)
  expect([pathOf(''), pathOf('#'), pathOf('#/')]).toEqual([[], [], []])
})

test('operations are told in the order of the contract, also those of a path that is a reference', () => {
  const root = {
    paths: { '/a': { parameters: [], post: { x: 1 }, get: { x: 2 }, put: null }, '/b': { $ref: '#/x-b' }, '/c': null },
    'x-b': { head: { x: 3 } },
  }
  expect(operationsOf(root).map(({ name, at, operation }) => [name, pointerOf(at), operation.x])).toEqual([
    ['POST /a', '/paths/~1a/post', 1],
    ['GET /a', '/paths/~1a/get', 2],
    ['HEAD /b', '/x-b/head', 3],
  ])
  expect(operationsOf(undefined)).toEqual([])
})
