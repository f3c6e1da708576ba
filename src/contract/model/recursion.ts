import { inPlace } from './keywords.ts'
import type { ContractModel } from './model.ts'
import type { Schema } from './schema.ts'

/** The most schemas in each other: compilers of schemas, which call themselves for each one, have room for them. */
export const maxSchemas = 100

/**
 * The schemas with more than `maxSchemas` schemas in each other, also behind references, each with those of them that it
 * has in it. References to schemas that contain themselves count as none: they are followed when a value has the part.
 */
export function deepSchemas(model: ContractModel): { outer: Schema; inner: Schema[] }[] {
  const depths = new Map<Schema, number>()
  model.eachSchema((start) => {
    const open = [start]
    for (let schema = open.at(-1); schema; schema = open.at(-1)) {
      const unknown = depths.has(schema) ? [] : heldIn(schema).filter((one) => !depths.has(one))
      if (unknown.length > 0) open.push(...unknown)
      else {
        open.pop()
        depths.set(schema, 1 + heldIn(schema).reduce((depth, one) => Math.max(depth, depths.get(one) ?? 0), 0))
      }
    }
  })
  const deep = new Set([...depths].flatMap(([schema, depth]) => (depth > maxSchemas ? schema : [])))
  const deepIn = (schema: Schema): Schema[] => heldIn(schema).filter((one) => deep.has(one))
  const inOthers = new Set([...deep].flatMap(deepIn))
  return [...deep].flatMap((outer) => {
    if (inOthers.has(outer)) return []
    const inner = new Set(deepIn(outer))
    // a set visits also what is added on the way
    for (const schema of inner) deepIn(schema).forEach((one) => inner.add(one))
    return { outer, inner: [...inner] }
  })
}

function heldIn(schema: Schema): Schema[] {
  return schema.held().flatMap((one) => (one.reference !== undefined && one.size === Infinity ? [] : one.target))
}

/** Keywords whose schemas are checked with the same value. */
const sameValue = [...inPlace, 'not']

/** Schemas that contain themselves for the same value, so that no check of it ends; one for each circle. */
export function circularSchemas(model: ContractModel): Schema[] {
  const circular = new Set<Schema>()
  const state = new Map<Schema, 'open' | 'done'>()
  const enter = ({ target }: Schema): void => {
    const known = state.get(target)
    if (known === 'open') circular.add(target)
    if (known) return
    state.set(target, 'open')
    target.held(sameValue).forEach(enter)
    state.set(target, 'done')
  }
  model.eachSchema(enter)
  return [...circular]
}

/** What a schema needs to have a value: all of some schemas, and one of each list of others. */
interface Needs {
  all: Schema[]
  some: Schema[][]
}

/** Schemas that need another value of themselves, so that no value ever ends; one for each circle. */
export function endlessSchemas(model: ContractModel): Schema[] {
  const circular = new Set(circularSchemas(model))
  const needs = new Map<Schema, Needs>()
  model.eachSchema((schema) => {
    if (circular.has(schema)) return
    const found = needsOf(schema)
    if (found.all.length > 0 || found.some.length > 0) needs.set(schema, found)
  })
  for (let known = -1; known !== needs.size;) {
    known = needs.size
    for (const [schema, { all, some }] of needs) {
      const isFinite = !all.some((one) => needs.has(one)) && some.every((list) => list.some((one) => !needs.has(one)))
      if (isFinite) needs.delete(schema)
    }
  }
  return firstOfCircles(needs)
}

function firstOfCircles(needs: ReadonlyMap<Schema, Needs>): Schema[] {
  const order = [...needs.keys()]
  const seen = new Set<Schema>()
  return order.flatMap((start) => {
    const trail: Schema[] = []
    let schema: Schema | undefined = start
    while (schema && !seen.has(schema)) {
      seen.add(schema)
      trail.push(schema)
      const { all, some }: Needs = needs.get(schema) ?? { all: [], some: [] }
      schema = [...all, ...some.flat()].find((one) => needs.has(one))
    }
    const circle = schema && trail.includes(schema) ? trail.slice(trail.indexOf(schema)) : []
    return order.find((one) => circle.includes(one)) ?? []
  })
}

function needsOf(schema: Schema): Needs {
  const { isNullable, enum: values, types, properties, required, items } = schema
  if (isNullable || values) return { all: [], some: [] }
  const [type, ...others] = types
  const only = others.length === 0 ? type : undefined
  const sent = required.flatMap((name) => properties.get(name) ?? []).filter(({ isReadOnly }) => !isReadOnly)
  const needsItems = only === 'array' && items && Number(schema.get('minItems')) > 0
  return {
    all: targets([...schema.schemas('allOf'), ...(only === 'object' ? sent : []), ...(needsItems ? [items] : [])]),
    some: (['oneOf', 'anyOf'] as const)
      .map((keyword) => targets(schema.schemas(keyword)))
      .filter((one) => one.length > 0),
  }
}

function targets(schemas: readonly Schema[]): Schema[] {
  return schemas.map(({ target }) => target)
}
