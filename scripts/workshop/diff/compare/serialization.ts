import { changeWording } from '../wording.ts'
import { levelOf, tell, wider, type Here } from './comparison.ts'
import { partsOf, typesOf } from './parts.ts'
import type { Part } from './spot.ts'

/** How a parameter or a header is written, with the defaults of OpenAPI. */
export interface Serialization {
  /** The media types, if it is written as one of them. */
  content: string
  style: unknown
  explode: unknown
  allowReserved: boolean
  allowEmptyValue: boolean
}

/** Compares how two parameters or headers are written. Returns both. */
export function compareSerialization(here: Here, old: Part, now: Part): [Serialization, Serialization] {
  const [before, after] = [serialization(old), serialization(now)]
  const all = partsOf(here.all, [old.field('schema')], [now.field('schema')])
  const isOneWay = all.some((parts) => !hasTwoWays(parts, after.style))
  for (const [property, to] of Object.entries(after)) {
    const from: unknown = Object.entries(before).find(([key]) => key === property)?.[1]
    if (from === to || (property === 'explode' && isOneWay)) continue
    const isWider = ['allowEmptyValue', 'allowReserved'].includes(property) && to === true
    const level = isWider ? levelOf(here.direction, wider) : ('breaking' as const)
    const judgement = {
      rule: 'parameter-serialization-changed',
      level,
      what: changeWording(property, from, to),
    } as const
    tell(here, judgement, { parent: now, before: old, after: now, property })
  }
  return [before, after]
}

/** Whether `explode` changes how values are written: not of single values, and not of lists in the style simple. */
function hasTwoWays(schemas: readonly Part[], style: unknown): boolean {
  const types = typesOf(schemas)
  return types === undefined || types.has('object') || (types.has('array') && style !== 'simple')
}

function serialization(part: Part): Serialization {
  const { node } = part
  const isForm = node.in === 'query' || node.in === 'cookie'
  const style = node.style ?? (isForm ? 'form' : 'simple')
  return {
    content: node.content === undefined ? 'none' : part.field('content').keys.join(', '),
    style,
    explode: node.explode ?? style === 'form',
    allowReserved: node.allowReserved === true,
    allowEmptyValue: node.allowEmptyValue === true,
  }
}
