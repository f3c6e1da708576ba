import { exactText } from '../../../src/integers.ts'
import type { Path } from '../../../src/contract/model/node.ts'
import type { Value } from '../../../src/contract/model/value.ts'
import type { Direction } from './compare/sides.ts'

const components: Record<string, string> = {
  schemas: 'schema',
  responses: 'response',
  requestBodies: 'request body',
  headers: 'header',
  securitySchemes: 'security scheme',
  callbacks: 'callback',
  webhooks: 'webhook',
  patternProperties: 'properties matching',
}

/** A path for readers: `GET /pets, query parameter limit`, or `schema Pet in responses, property name`. */
export function whereOf(document: Value, path: Path, directions: ReadonlySet<Direction>): string {
  const [first, second = '', third, ...rest] = path
  if (first === 'paths' && third === undefined) return second
  if (first === 'paths' && (third === 'parameters' || third === 'servers')) {
    return [second, ...partsOf(document, path, 2)].join(', ')
  }
  if (first === 'paths') return [`${String(third).toUpperCase()} ${second}`, ...partsOf(document, path, 3)].join(', ')
  if (first !== 'components' || third === undefined) return partsOf(document, path, 0).join(', ') || 'the contract'
  if (second === 'parameters') return partsOf(document, path, 1).join(', ')
  const use = [...directions].sort().map((direction) => `${direction}s`)
  const name = `${components[second] ?? second} ${third}`
  const subject = second === 'schemas' && use.length > 0 ? `${name} in ${use.join(' and ')}` : name
  return [subject, ...(rest.length > 0 ? partsOf(document, path, 3) : [])].join(', ')
}

/** Keywords whose value is a mapping, with the word for what is in it. */
const named: Record<string, string> = {
  properties: 'property',
  responses: 'response',
  headers: 'header',
  encoding: 'part',
  flows: 'flow',
  variables: 'variable',
  callbacks: 'callback',
  webhooks: 'webhook',
  dependentSchemas: 'beside',
}

function partsOf(document: Value, path: Path, start: number): string[] {
  const [key, name] = path.slice(start)
  const go = (steps: number, ...words: string[]): string[] => [...words, ...partsOf(document, path, start + steps)]
  if (key === undefined) return []
  if (key === 'schema') return go(1)
  if (key === 'items') return go(1, 'each item')
  if (key === 'additionalProperties') return go(1, 'each further property')
  if (key === 'requestBody') return go(1, 'request body')
  if (name === undefined) return go(1, key)
  if (key === 'parameters') {
    const { in: place, name: own } = document.find(path.slice(0, start + 2)).target.node
    return go(2, `${String(place)} parameter ${String(own)}`)
  }
  if (key === 'content') return name === 'application/json' && path.length > start + 2 ? go(2) : go(2, name)
  if (key === 'allOf') return go(2)
  if (key === 'oneOf' || key === 'anyOf') return go(2, `${key} ${Number(name) + 1}`)
  if (key === 'security') return go(2, 'security')
  if (key === 'servers') return go(2, 'server')
  const kind = named[key]
  if (kind !== undefined) return go(2, `${kind} ${name}`)
  return go(1, key)
}

/** The end of the sentence about a changed property. */
export function changeWording(property: string, before: unknown, after: unknown): string {
  if (before === undefined) return `${property} was set to ${shown(after)}`
  if (after === undefined) return `${property} was removed, it was ${shown(before)}`
  if (Array.isArray(before) && Array.isArray(after)) {
    const gained = after.filter((value) => !before.includes(value))
    const lost = before.filter((value) => !after.includes(value))
    const changes = [gained.length > 0 && `gained ${shown(gained)}`, lost.length > 0 && `lost ${shown(lost)}`]
    return `${property} ${changes.filter((words) => words !== false).join(' and ')}`
  }
  const isSameText = shown(before) === shown(after)
  const [from, to] = [before, after].map((value) => (isSameText ? exactText(value) : shown(value)))
  return `${property} changed from ${from ?? ''} to ${to ?? ''}`
}

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.map(String).join(', ') : plain(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text || '""'
}

function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'bigint' ? String(value) : exactText([value]).slice(1, -1)
}
