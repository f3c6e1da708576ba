import { createHash } from 'node:crypto'
import { exactText } from '../../../src/contract/integers.ts'
import { exactNumbers } from './exact-numbers.ts'
import {
  follow,
  isReference,
  keyedByName,
  listOf,
  nodeOf,
  pointerOf,
  type Path,
} from '../../../src/contract/document/tree.ts'
import type { PairedOperation, Side } from '../usage.ts'

/**
 * A contract as redocly gets it: only the operations that both contracts have, and all written in the same way.
 * Parameters and security are in the operations, texts for readers are digests, and only extensions of the life cycle
 * are kept.
 */
export interface Normalised {
  root: Record<string, unknown>
  /**
   * The path of a thing in the original contract. For a shared parameter it is the path of the definition or, with
   * `listed`, of the list that names it.
   */
  source: (path: Path, listed?: boolean) => Path
}

/** Both contracts, normalised. `exact` restores the digits of integers beyond 2^53 in a message of redocly. */
export interface NormalisedPair {
  base: Normalised
  head: Normalised
  exact: (text: string) => string
}

/** Properties with texts for readers; redocly gets their digests. */
export const annotations = new Set([
  ...['title', 'summary', 'description', 'termsOfService', 'contact', 'license', 'tags', 'externalDocs'],
  ...['example', 'examples'],
])

/** Extensions that redocly would ignore, with names that it compares. */
export const lifeKeys = new Map([
  ['deprecated', 'deprecated'],
  ['x-sunset', 'sunset'],
  ['x-stability', 'stability'],
])

/** A path that is added to the older contract alone: if redocly does not report its removal, its rules are off. */
export const canary = '/canary of contract:diff'

const falseByDefault = new Set([
  ...['nullable', 'readOnly', 'writeOnly', 'deprecated', 'uniqueItems', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['required', 'allowEmptyValue', 'allowReserved'],
])

export function normalise(base: Side, head: Side): NormalisedPair {
  const { numberOf, exact } = exactNumbers([base.document.root, head.document.root])
  const ours = [builderOf(base, numberOf), builderOf(head, numberOf)] as const
  for (const [key, before] of base.operations) {
    const after = head.operations.get(key)
    if (!after) continue
    const renamed = before.path !== after.path
    const lists = [ours[0].parameters(before, renamed), ours[1].parameters(after, renamed)] as const
    if (exactText(lists[0]) !== exactText(lists[1])) keepApart(lists)
    const secured = before.operation.security !== undefined || after.operation.security !== undefined
    ours[0].add(before, lists[0], secured)
    ours[1].add(after, lists[1], secured)
  }
  ours[0].paths[canary] = { get: { responses: {} } }
  return { base: ours[0].normalised(), head: ours[1].normalised(), exact }
}

interface Parameter {
  /** The path of its entry in the list of parameters. */
  listed: Path
  /** The path of its definition. */
  at: Path
  /** Such as `query:limit`: equal for the same parameter in both contracts. */
  key: string
  value: Record<string, unknown>
}

function builderOf(
  { document: { root } }: Side,
  numberOf: (integer: bigint) => number,
): {
  paths: Record<string, Record<string, unknown>>
  parameters: (operation: PairedOperation, renamed: boolean) => Parameter[]
  add: (operation: PairedOperation, parameters: Parameter[], secured: boolean) => void
  normalised: () => Normalised
} {
  const paths: Record<string, Record<string, unknown>> = {}
  const moved = new Map<string, Path>()
  const listed = new Map<string, Path>()
  const borrowed: Record<string, unknown> = {}

  const parameters = ({ at, path, operation, item }: PairedOperation, renamed: boolean): Parameter[] => {
    const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
    const all = [at, at.slice(0, -1)].flatMap((owner) => {
      const { parameters } = owner === at ? operation : item
      return listOf(parameters).map((value, index) => {
        const listed = [...owner, 'parameters', String(index)]
        const spot = follow(root, { at: listed, value })
        const parameter = nodeOf(shapeOf(spot.value))
        const place = String(parameter.in)
        const position = place === 'path' && renamed ? names.indexOf(String(parameter.name)) : -1
        if (position >= 0) parameter.name = `{${position}}`
        const name = place === 'header' ? String(parameter.name).toLowerCase() : String(parameter.name)
        return { listed, at: spot.at, key: `${place}:${name}`, value: parameter }
      })
    })
    // a parameter of the operation overrides one of the path
    return all.filter(({ key }, index) => all.findIndex((other) => other.key === key) === index)
  }

  const add = (
    { at, key, operation, item: { servers } }: PairedOperation,
    list: Parameter[],
    secured: boolean,
  ): void => {
    const [, method = '', path = ''] = /^(\S+) ([\s\S]*)$/.exec(key) ?? []
    const own = ['paths', path, method.toLowerCase()]
    moved.set(pointerOf(own), at)
    for (const [index, parameter] of list.entries()) {
      const pointer = pointerOf([...own, 'parameters', String(index)])
      moved.set(pointer, parameter.at)
      listed.set(pointer, parameter.listed)
    }
    if (!secured) moved.set(pointerOf([...own, 'security']), ['security'])
    paths[path] ??= servers === undefined ? {} : { servers: shapeOf(servers) }
    paths[path][method.toLowerCase()] = {
      ...nodeOf(shapeOf(operation)),
      parameters: list.map((parameter) => parameter.value),
      ...nodeOf(shapeOf({ security: operation.security ?? nodeOf(root).security ?? [] })),
    }
  }

  const normalised = (): Normalised => {
    const { openapi: _, paths: __, components, security: ___, info, ...rest } = nodeOf(root)
    const parts = nodeOf(shapeOf(components))
    const whole = {
      openapi: '3.0.3',
      info: { ...nodeOf(shapeOf(info)), version: '0' },
      ...nodeOf(shapeOf(rest)),
      paths,
      components: { ...parts, schemas: { ...nodeOf(parts.schemas), ...borrowed } },
    }
    const source = (path: Path, isListed = false): Path =>
      (isListed ? listed.get(pointerOf(path)) : undefined) ?? sourceOf(path, moved)
    return { root: whole, source }
  }

  function shapeOf(value: unknown, keysAreNames = false): unknown {
    if (typeof value === 'bigint') return numberOf(value)
    if (Array.isArray(value)) return value.map((item) => shapeOf(item))
    if (typeof value !== 'object' || value === null) return value
    if (!keysAreNames && isReference(value)) return { $ref: referenceOf(value.$ref) }
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
        if (keysAreNames) return [[key, shapeOf(child)]]
        const name = lifeKeys.get(key) ?? key
        if (name.startsWith('x-') || (child === false && falseByDefault.has(name))) return []
        if (annotations.has(name)) return [[name, digestOf(child)]]
        if (name === 'security') return [[name, listOf(child).map((item) => shapeOf(item, true))]]
        if (name === 'default') return [[name, plain(child)]]
        if (name === 'enum' || (name === 'required' && Array.isArray(child))) {
          return [[name, listOf(child).map(plain).sort(byText)]]
        }
        return [[name, shapeOf(child, keyedByName.has(name) && !Array.isArray(child))]]
      }),
    )
  }

  /** Operations are moved, so a value inside an operation that a reference leads to becomes a component. */
  function referenceOf(reference: string): string {
    const { at, value } = follow(root, { at: [], value: { $ref: reference } })
    if (at[0] !== 'paths') return reference
    const name = pointerOf(at)
    if (!Object.hasOwn(borrowed, name)) {
      borrowed[name] = {}
      borrowed[name] = shapeOf(value)
      moved.set(pointerOf(['components', 'schemas', name]), at)
    }
    return `#${pointerOf(['components', 'schemas', name])}`
  }

  function plain(value: unknown): unknown {
    if (typeof value === 'bigint') return numberOf(value)
    return typeof value === 'object' && value !== null ? exactText(sorted(value)) : value
  }

  return { paths, parameters, add, normalised }
}

function sourceOf(path: Path, moved: ReadonlyMap<string, Path>): Path {
  for (let length = path.length; length > 0; length--) {
    const source = moved.get(pointerOf(path.slice(0, length)))
    if (source) return [...source, ...path.slice(length)]
  }
  return path
}

/**
 * redocly pairs list items of which half the text is equal, whatever their names. This adds text so that only
 * parameters of the same name are half equal.
 */
function keepApart(lists: readonly [Parameter[], Parameter[]]): void {
  const all = lists.flat()
  const keys = [...new Set(all.map(({ key }) => key))]
  const length = Math.max(...all.map(({ value }) => JSON.stringify(value).length)) + 100
  for (const { key, value } of all) value['x-pair'] = String.fromCharCode(0x100 + keys.indexOf(key)).repeat(length)
}

function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(exactText(sorted(value)))
    .digest('hex')
    .slice(0, 12)
}

/** The same value with the keys of its objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.entries(value).sort(([a], [b]) => byText(a, b))
  return Object.fromEntries(keys.map(([key, child]) => [key, sorted(child)]))
}

function byText(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : 1
}
