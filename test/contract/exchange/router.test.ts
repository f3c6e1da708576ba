import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { OpenAPIRouter, type Document, type Operation } from 'openapi-backend'
import { decodeSegment } from '../../../src/contract/exchange/query.ts'
import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { ContractRouter } from '../../../src/contract/exchange/router.ts'

const methods = ['get', 'put', 'post', 'delete', 'patch', 'trace'] as const
type Method = (typeof methods)[number]

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: { type: 'string' | 'integer' | 'boolean' }
}

/** The operations of one path, and the parameters that all of them have. */
interface PathItem {
  path: string
  parameters: Parameter[]
  operations: { method: Method; parameters: Parameter[] }[]
}

function documentOf(items: readonly PathItem[]): Document {
  const paths = items.map(({ path, parameters, operations }) => [
    path,
    {
      parameters,
      ...Object.fromEntries(
        operations.map(({ method, parameters: own }) => [
          method,
          { operationId: `${method} ${path}`, parameters: own, responses: {} },
        ]),
      ),
    },
  ])
  return {
    openapi: '3.0.3',
    info: { title: 'Generated', version: '1' },
    paths: Object.fromEntries(paths) as Document['paths'],
  } as Document
}

/** Our router of the operations that openapi-backend lists. */
function routerOf(items: readonly PathItem[]): ContractRouter<Operation> {
  const table = new OpenAPIRouter({ definition: documentOf(items) })
  return new ContractRouter(table.getOperations().map((operation) => ({ ...operation, operation })))
}

function simple(paths: Record<string, Method[]>): ContractRouter<Operation> {
  const items = Object.entries(paths).map(([path, all]) => ({
    path,
    parameters: [],
    operations: all.map((method) => ({ method, parameters: [] })),
  }))
  return routerOf(items)
}

const literal = fc.constantFrom('a', 'b', 'A', 'pets', 'files', 'a.json', 'a+b', '(a)', 'x$', '%2F', '~', 'é')
/** A segment of a template; `#` stands for a parameter. */
const segment = fc.oneof(
  { weight: 4, arbitrary: literal },
  { weight: 3, arbitrary: fc.constant('#') },
  { weight: 2, arbitrary: fc.constantFrom('#.json', 'v#', '#-#', 'a#b', '#a', '#.#.json', '(#)') },
)
const shape = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`)

function templateOf(text: string): string {
  let count = 0
  return text.replaceAll('#', () => `{p${count++}}`)
}

const parameter: fc.Arbitrary<Parameter> = fc.record({
  name: fc.constantFrom('x', 'y', 'X'),
  in: fc.constantFrom('query', 'header', 'path'),
  schema: fc.record({ type: fc.constantFrom('string', 'integer', 'boolean') }),
})
const parameters = fc.uniqueArray(parameter, { maxLength: 3, selector: (one) => `${one.in} ${one.name}` })

const contract: fc.Arbitrary<PathItem[]> = fc.uniqueArray(
  fc.record({
    path: shape.map(templateOf),
    parameters,
    operations: fc.uniqueArray(fc.record({ method: fc.constantFrom(...methods), parameters }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ method }) => method,
    }),
  }),
  { minLength: 1, maxLength: 8, selector: ({ path }) => path },
)

const filling = fc.constantFrom(
  '1',
  'a',
  'b',
  'pets',
  'a.json',
  'x-y-z',
  '%2F',
  'b%20c',
  '.',
  '{p0}',
  'vv',
  'aab',
  '$&',
)
const change = fc.oneof(
  { weight: 6, arbitrary: fc.constant((path: string) => path) },
  fc.constant((path: string) => path.toUpperCase()),
  fc.constant((path: string) => `${path}/a`),
  fc.constant((path: string) => path.slice(0, path.lastIndexOf('/'))),
  fc.constant((path: string) => path.replace('.', 'x')),
  fc.constant((path: string) => `/${path}`),
  fc.constant((path: string) => `${path}x`),
)

/** A contract with a path that is mostly one of its own, with or without a small change. */
const contractAndPath = contract.chain((items) =>
  fc.record({
    items: fc.constant(items),
    path: fc.oneof(
      {
        weight: 5,
        arbitrary: fc
          .tuple(fc.constantFrom(...items), fc.array(filling, { minLength: 8, maxLength: 8 }), change)
          .map(([{ path }, texts, changed]) => {
            let count = 0
            return changed(path.replace(/\{p\d\}/g, () => texts[count++] ?? ''))
          }),
      },
      { weight: 1, arbitrary: fc.constantFrom(...items.map(({ path }) => path)) },
      { weight: 1, arbitrary: fc.array(filling, { maxLength: 4 }).map((texts) => `/${texts.join('/')}`) },
    ),
    apiRoot: fc.constantFrom('/v1', '/', '/api/v1'),
  }),
)

/** What the stock router makes of a request: an operationId, or the status of the refusal. */
function verdict(router: OpenAPIRouter, method: string, path: string): string {
  try {
    return router.matchOperation({ method, path, headers: {} }, true).operationId ?? 'no operationId'
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 3) : String(error)
  }
}

/** The same of our router. */
function found(router: ContractRouter<Operation>, method: string, path: string): string {
  const match = router.match(method, path)
  if (match.found === 'operation') return match.operation.operationId ?? 'no operationId'
  return match.found === 'path' ? '405' : '404'
}

function below(apiRoot: string, path: string): string {
  return apiRoot === '/' ? path : apiRoot + path
}

describe('ContractRouter, on generated contracts', () => {
  test('finds the operation, the 404 or the 405 that the stock router finds', () => {
    const seen = { operation: 0, 404: 0, 405: 0 }
    fc.assert(
      fc.property(contractAndPath, ({ items, path, apiRoot }) => {
        fc.pre(!path.endsWith('/'))
        const stock = new OpenAPIRouter({ definition: documentOf(items), apiRoot })
        const ours = routerOf(items)
        const asked = [...methods, 'head', 'propfind']
        const expected = asked.map((method) => verdict(stock, method, below(apiRoot, path)))
        expect(asked.map((method) => found(ours, method, path))).toEqual(expected)
        for (const one of expected) seen[one === '404' || one === '405' ? one : 'operation'] += 1
      }),
      { numRuns: 500, seed: 20261127 },
    )
    // the generator must not drift away from what it is for
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(300)
  })

  test('gives values that put into the template make up the path, none of them empty or with a slash', () => {
    fc.assert(
      fc.property(contractAndPath, fc.constantFrom(...methods), ({ items, path }, method) => {
        const match = routerOf(items).match(method, path)
        fc.pre(match.found === 'operation')
        let count = 0
        expect(match.operation.path.replace(/\{p\d\}/g, () => match.values[count++] ?? '')).toBe(path)
        expect(match.values).toHaveLength(count)
        expect(match.values.filter((value) => value === '' || value.includes('/'))).toEqual([])
      }),
      { numRuns: 300, seed: 20261127 },
    )
  })

  test('gives the values that the stock router gives, when each parameter is a whole segment', () => {
    fc.assert(
      fc.property(contractAndPath, fc.constantFrom(...methods), ({ items, path, apiRoot }, method) => {
        const match = routerOf(items).match(method, path)
        // within a segment, and beside these characters, the stock router reads the template's text as a pattern
        fc.pre(match.found === 'operation' && /^(?:\/(?:\{\w+\}|[^{}+()$.]+))+$/.test(match.operation.path))
        const stock = new OpenAPIRouter({ definition: documentOf(items), apiRoot })
        const request = { method, path: below(apiRoot, path), headers: {} }
        const parsed = stock.parseRequest(request, stock.matchOperation(request, true))
        const names = Array.from(match.operation.path.matchAll(/\{([^}]+)\}/g), ([, name]) => name ?? '')
        const values = names.map((name, index) => [name, decodeSegment(match.values[index] ?? '')])
        expect(Object.fromEntries(values)).toEqual(parsed.params)
      }),
      { numRuns: 300, seed: 20261127 },
    )
  })

  test('finds nothing where a slash is added at the end, which the stock router ignores', () => {
    fc.assert(
      fc.property(contractAndPath, fc.constantFrom('/', '//'), ({ items, path }, slashes) => {
        fc.pre(!path.endsWith('/'))
        const ours = routerOf(items)
        const refusals = methods.map(() => '404')
        expect(methods.map((method) => found(ours, method, path + slashes))).toEqual(refusals)
      }),
      { numRuns: 500, seed: 20261127 },
    )
  })

  test('lists in Allow exactly the methods that lead to an operation, with HEAD and OPTIONS', () => {
    fc.assert(
      fc.property(contractAndPath, ({ items, path, apiRoot }) => {
        fc.pre(!path.endsWith('/'))
        const match = routerOf(items).match('propfind', path)
        const stock = new OpenAPIRouter({ definition: documentOf(items), apiRoot })
        const leading = methods.filter((method) => !/^40[45]$/.test(verdict(stock, method, below(apiRoot, path))))
        if (leading.length === 0) {
          expect(match).toEqual({ found: 'nothing' })
          return
        }
        const expected = [...leading, 'options', ...(leading.includes('get') ? ['head'] : [])]
        expect(match.found).toBe('path')
        const listed = match.found === 'path' ? match.allow.split(', ') : []
        expect(listed.toSorted()).toEqual(expected.map((method) => method.toUpperCase()).sort())
      }),
      { numRuns: 500, seed: 20261127 },
    )
  })
})

test('an operation has its own parameters, and those of its path that it does not declare itself', () => {
  fc.assert(
    fc.property(contract, (items) => {
      const { operations } = modelOf({ root: documentOf(items) } as ContractDocument)
      const found = operations.map(({ method, path, parameters }): [string, unknown] => [
        `${method} ${path}`,
        parameters.map(({ at, node }) => (at.length > 0 ? node : undefined)),
      ])
      const expected = items.flatMap(({ path, parameters: shared, operations }) =>
        operations.map(({ method, parameters: own }): [string, unknown] => {
          // names of headers have no letter case
          const nameOf = ({ name, in: place }: Parameter): string =>
            `${place} ${place === 'header' ? name.toLowerCase() : name}`
          const all = [...own, ...shared]
          const first = all.filter((one, index) => all.findIndex((other) => nameOf(other) === nameOf(one)) === index)
          return [`${method} ${path}`, first]
        }),
      )
      expect(new Map(found)).toEqual(new Map(expected))
    }),
    { numRuns: 500, seed: 20261127 },
  )
})

describe('ContractRouter', () => {
  test.each<[string, string, string, string]>([
    ['a path without parameters before a template', 'get', '/pets/mine', 'get /pets/mine'],
    ['a template where the path without parameters lacks the method', 'post', '/pets/mine', 'post /pets/{id}'],
    ['the template with more text', 'get', '/files/a.json', 'get /files/{name}.json'],
    ['the template with less text for other names', 'get', '/files/a.yaml', 'get /files/{name}'],
    ['the longer text at the second segment as well', 'get', '/files/a/raw', 'get /files/{name}/raw'],
    ['a template in the first segment', 'get', '/elsewhere/raw', 'get /{kind}/raw'],
    ['a template in the first segment where the other has no such method', 'put', '/files/a', 'put /{kind}/{id}'],
    ['several parameters of a segment', 'get', '/ranges/1-2', 'get /ranges/{from}-{to}'],
    ['an escaped slash as part of a segment', 'get', '/files/a%2Fb', 'get /files/{name}'],
    ['the name of a parameter as its value', 'get', '/files/{name}', 'get /files/{name}'],
    ['a name that every object has', 'get', '/files/constructor', 'get /files/{name}'],
  ])('finds %s', (_, method, path, operationId) => {
    const router = simple({
      '/{kind}/raw': ['get'],
      '/{kind}/{id}': ['put'],
      '/pets/{id}': ['get', 'post'],
      '/pets/mine': ['get'],
      '/files/{name}': ['get'],
      '/files/{name}.json': ['get'],
      '/files/{name}/raw': ['get'],
      '/files/{name}/{part}': ['get'],
      '/ranges/{from}-{to}': ['get'],
    })
    const match = router.match(method, path)
    expect(match.found === 'operation' && match.operation.operationId).toBe(operationId)
  })

  test.each([
    ['/Pets', 'another letter case'],
    ['/pets/1', 'one segment more'],
    ['', 'no segment'],
    ['/', 'an empty segment'],
    ['//pets', 'an empty segment before'],
    ['/files/', 'an empty parameter'],
    ['/files/a/b', 'a slash within a parameter'],
    ['/v1xjson', 'a letter where the contract has a dot'],
    ['/constructor', 'a name that every object has'],
    ['/__proto__', 'the name of the prototype'],
  ])('finds nothing at %p: %s', (path) => {
    const router = simple({ '/pets': ['get'], '/files/{name}': ['get'], '/v1.json': ['get'] })
    expect(router.match('get', path)).toEqual({ found: 'nothing' })
  })

  test('adds the methods of every template that matches to Allow', () => {
    const router = simple({ '/pets/mine': ['post'], '/pets/{id}': ['get', 'delete'], '/{kind}/{id}': ['patch', 'get'] })
    expect(router.match('put', '/pets/mine')).toEqual({
      found: 'path',
      allow: 'POST, GET, HEAD, DELETE, PATCH, OPTIONS',
    })
    expect(router.match('put', '/pets/7')).toEqual({ found: 'path', allow: 'GET, HEAD, DELETE, PATCH, OPTIONS' })
    expect(router.match('delete', '/orders/7')).toEqual({ found: 'path', allow: 'GET, HEAD, PATCH, OPTIONS' })
  })

  test.each([
    ['/c++/docs', '/c%2B%2B/docs'],
    ['/c++/docs', '/c%2b+/docs'],
    ['/c%2B%2B/docs', '/c++/docs'],
    ['/@me', '/%40me'],
    ["/Pets('1')", '/Pets(%271%27)'],
    ["/Pets('1')", '/Pets%28%271%27%29'],
    ['/pets', '/p%65ts'],
    ['/caf%C3%A9', '/caf%c3%a9'],
    ['/list[1]|all', '/list[1]|all'],
    ['/list[1]|all', '/list%5B1%5d%7Call'],
    ['/a%2fb', '/a%2Fb'],
    ['/50%', '/50%25'],
  ])('finds %s at %s', (path, sent) => {
    expect(simple({ [path]: ['get'] }).match('get', sent)).toMatchObject({ found: 'operation', values: [] })
  })

  test.each([
    ['/a%2Fb', '/a/b'],
    ['/a/b', '/a%2Fb'],
    ['/c++', '/c%252B%252B'],
    ['/a%20b', '/a+b'],
    ['/a+b', '/a%20b'],
    ['/caf%C3%A9', '/caf\u00e9'],
  ])('finds nothing of %s at %s', (path, sent) => {
    expect(simple({ [path]: ['get'] }).match('get', sent)).toEqual({ found: 'nothing' })
  })

  test.each([
    ['/@me/{part}', '/%40me/a%2Bb', ['a%2Bb']],
    ['/c++/{a}/{b}', '/c%2B+/%27/2', ['%27', '2']],
    ["/Pets('{id}')", '/Pets(%27a%2Fb%27)', ['a%2Fb']],
    ["/Pets({id})/Owner('{name}')", '/Pets%281%29/Owner(%27x%27)', ['1', 'x']],
    ['/ranges/{from},{to}', '/ranges/1%2C2,3', ['1%2C2', '3']],
    ['/ranges/{from},{to}', '/ranges/1%2C2', ['1', '2']],
    ['/ranges/{from}-{to}-{step}', '/ranges/1-2-3-4', ['1-2', '3', '4']],
    ['/pairs/{a}{b}', '/pairs/123', ['12', '3']],
  ])('reads the values of %s from %s', (path, sent, values) => {
    expect(simple({ [path]: ['get'] }).match('get', sent)).toMatchObject({ found: 'operation', values })
  })

  test.each([
    ['/users/%40me', 'get /users/@me'],
    ['/users/%40you', 'get /users/{id}'],
    ['/users/me%3Aclose', 'get /users/{id}'],
    ['/users/me:close', 'get /users/{id}:close'],
  ])('takes %s for %s', (sent, operationId) => {
    const router = simple({ '/users/@me': ['get'], '/users/{id}': ['get'], '/users/{id}:close': ['get', 'post'] })
    expect(found(router, 'get', sent)).toBe(operationId)
    expect(found(router, 'post', '/users/me%3Aclose')).toBe('post /users/{id}:close')
  })

  test.each(['/pets/%', '/%zz', '/pets/%ff', '/pets/7/%E0%A4'])('says that %s is malformed, for any method', (sent) => {
    const router = simple({ '/pets/{id}': ['get'] })
    expect(router.match('get', sent)).toEqual({ found: 'malformed' })
    expect(router.match('put', sent)).toEqual({ found: 'malformed' })
    expect(router.allowOf(sent)).toBe(/^\/pets\/[^/]+$/.test(sent) ? 'GET, HEAD, OPTIONS' : undefined)
  })

  test('looks at each character of a path a few times at most, however many literals a segment has', () => {
    const router = simple({ '/{a}-{b}-{c}-{d}-end': ['get'] })
    // a pattern with four groups would take hours
    expect(router.match('get', `/${'-'.repeat(100_000)}`)).toEqual({ found: 'nothing' })
  })

  test('makes the same router with other operations', () => {
    const names = simple({ '/pets': ['get'], '/pets/{id}': ['get'] }).map(({ path }) => path.length)
    expect(names.match('get', '/pets/1')).toEqual({ found: 'operation', operation: 10, values: ['1'] })
    expect(names.match('get', '/pets')).toEqual({ found: 'operation', operation: 5, values: [] })
  })
})
