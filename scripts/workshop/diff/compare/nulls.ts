import { pointerOf } from '../../../../src/contract/model/node.ts'
import { isOfJsonSchema } from '../../../../src/contract/model/version.ts'
import { Value } from '../../../../src/contract/model/value.ts'
import type { Here } from './comparison.ts'
import type { Sides } from './sides.ts'
import { partOf, type Spot } from './spot.ts'

/** Whether null is valid in schemas that all must hold. */
export interface Nulls {
  /** As the version of the contract says. */
  isValid: boolean
  /** Also by `nullable: true` where that means nothing, as in OpenAPI 3.1. */
  isMeant: boolean
}

/** Whether null is valid in schemas that all must hold, however it is written. */
export function nullsOf({ all, direction }: Pick<Here, 'all' | 'direction'>, schemas: readonly Spot[]): Nulls {
  // clients read the alternatives of an answer as those that it may be
  const isUnion = direction === 'response'
  const isValid = schemas.every((schema) => takesNull(schema, { isNullable, isUnion }))
  const isMarkedIn = (part: Spot): boolean => isMarked(all, part)
  const isMeant = isValid || schemas.every((schema) => takesNull(schema, { isNullable: isMarkedIn, isUnion }))
  return { isValid, isMeant }
}

interface Reading {
  isNullable: (part: Spot) => boolean
  /** Whether `oneOf` is read as `anyOf`. */
  isUnion: boolean
}

function takesNull(schema: Spot, reading: Reading, open: readonly string[] = []): boolean {
  const part = partOf(schema)
  const pointer = pointerOf(part.at)
  if (open.includes(pointer)) return false
  if (reading.isNullable(part)) return true
  const { node } = part
  if (node.type !== undefined && ![node.type].flat().includes('null')) return false
  if (Array.isArray(node.enum) && !node.enum.includes(null)) return false
  const fits = (one: Spot): boolean => takesNull(one, reading, [...open, pointer])
  const [any, exactlyOne] = [part.field('anyOf').items, part.field('oneOf').items]
  return (
    part.field('allOf').items.every(fits) &&
    (any.length === 0 || any.some(fits)) &&
    (exactlyOne.length === 0 || (reading.isUnion ? exactlyOne.some(fits) : exactlyOne.filter(fits).length === 1))
  )
}

function isNullable({ node }: Spot): boolean {
  return node.nullable === true
}

/** Whether a schema says `nullable: true` in the file, which the rest does not see in OpenAPI 3.1. */
function isMarked({ base, head }: Sides, part: Spot): boolean {
  const { document } = part.root === base.document.root ? base : head
  if (!isOfJsonSchema(document.source)) return isNullable(part)
  return isNullable(part) || Value.of(document.source).get(...part.at, 'nullable') === true
}
