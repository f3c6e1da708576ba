import { exactText, isNumber } from '../../integers.ts'
import { isMultiple } from '../model/keywords.ts'
import { fixOfName } from '../model/nearest.ts'
import type { Node } from '../model/node.ts'
import type { Schema } from '../model/schema.ts'
import { ofSchema, rule } from './rule.ts'

/** The keywords of a schema go together: some value is valid, and each part of the schema is of use. */
export const satisfiable = rule({
  ...ofSchema,
  level: 'wrong',
  check: (schema, report, { model }) => {
    const found = new Set<string>()
    const add: Add = (keys, message, fix = 'Correct one of the two.') => {
      const name = keys.join('/')
      if (found.has(name)) return
      found.add(name)
      report([...schema.at, ...keys], message, { fix })
    }
    ofLimits(schema.node, add, model.isJsonSchema)
    ofNumbers(schema.node, add)
    ofLists(schema, add)
    ofObjects(schema, add)
    ofAlternatives(schema, add)
    ofParts(schema, add)
    // the schema `false` is read as `not: {}`, which is wrong only beside other keywords
    if (isNothing(schema) && model.written(schema.at).keys.length > 1)
      add(['not'], 'The value must not be what every value is, so no value is valid.', 'Write what is excluded.')
    if (schema.isReadOnly && schema.isWriteOnly)
      add(['writeOnly'], 'The value is read-only and write-only, so it is never sent.', 'Take one away.')
  },
})

type Add = (keys: readonly string[], message: string, fix?: string) => void

const limits = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const

function ofLimits(node: Node, add: Add, isJsonSchema: boolean): void {
  const written = (keyword: string): string => {
    const exclusive = exclusiveOf(keyword)
    return isJsonSchema && node[exclusive] === true ? exclusive : keyword
  }
  for (const [least, most] of limits) {
    const [low, high] = [node[least], node[most]]
    if (!isNumber(low) || !isNumber(high)) continue
    const isNone = least === 'minimum' && (node.exclusiveMinimum === true || node.exclusiveMaximum === true)
    if (low < high || (low === high && !isNone)) continue
    const message = `${written(least)} ${low} leaves nothing below ${written(most)} ${high}, so no value is valid.`
    add([written(least)], message, 'Swap the two, or correct the wrong one.')
  }
  for (const keyword of ['minimum', 'maximum']) {
    const exclusive = exclusiveOf(keyword)
    if (!isJsonSchema && node[exclusive] === true && node[keyword] === undefined)
      add([exclusive], `${exclusive} has no effect without ${keyword}.`, `Add ${keyword}.`)
  }
}

function exclusiveOf(keyword: string): string {
  return `exclusive${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`
}

const sizes = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']

function ofNumbers(node: Node, add: Add): void {
  for (const keyword of sizes) {
    if (typeof node[keyword] === 'bigint')
      add([keyword], `${keyword} is beyond 2^53 - 1, which nothing reaches.`, 'Take it away, or correct it.')
  }
  const { minimum, maximum, multipleOf, type } = node
  if (typeof minimum !== 'number' || typeof maximum !== 'number' || minimum >= maximum) return
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : type === 'integer' ? 1 : undefined
  if (step === undefined || (type === 'integer' && !Number.isInteger(step))) return
  let first = Math.ceil(minimum / step) * step
  if (isMultiple(minimum, step)) first = node.exclusiveMinimum === true ? minimum + step : minimum
  if (first < maximum || (first === maximum && node.exclusiveMaximum !== true)) return
  const what = step === 1 ? 'no integer' : `no multiple of ${step}`
  const message = `There is ${what} between ${minimum} and ${maximum}, so no value is valid.`
  add(['minimum'], message, 'Correct the limits.')
}

function ofLists(schema: Schema, add: Add): void {
  const { minItems, maxItems, minContains, contains, uniqueItems } = schema.node
  const { items } = schema
  const values = items?.get('type') === 'boolean' ? 2 : items?.enum?.length
  if (typeof minItems === 'number' && uniqueItems === true && values !== undefined && minItems > values)
    add(['minItems'], `There are only ${values} different items, and ${minItems} are needed, so no value is valid.`)
  const first = schema.schemas('prefixItems').length
  if (typeof minItems === 'number' && isNothing(items) && minItems > first)
    add(['minItems'], `Only ${first} items are allowed, and ${minItems} are needed, so no value is valid.`)
  if (
    contains !== undefined &&
    typeof minContains === 'number' &&
    typeof maxItems === 'number' &&
    minContains > maxItems
  )
    add(['maxItems'], `${minContains} items must be contained, and only ${maxItems} are allowed, so no value is valid.`)
}

function ofObjects(schema: Schema, add: Add): void {
  const { required, properties } = schema
  const { maxProperties, minProperties } = schema.node
  if (typeof maxProperties === 'number' && new Set(required).size > maxProperties)
    add(
      ['maxProperties'],
      `${required.length} properties are required, and only ${maxProperties} allowed, so no value is valid.`,
    )
  for (const name of required) {
    if (isNothing(properties.get(name)))
      add(['properties', name], `The property ${name} is required, but its schema accepts nothing.`)
  }
  const isClosed = schema.others('additionalProperties') === false && schema.named('patternProperties').size === 0
  if (!isClosed) return
  const lost = required.find((name) => !properties.has(name))
  if (lost !== undefined) {
    const fix = fixOfName(lost, [...properties.keys()], 'Add the property, or correct the name.')
    add(['required'], `The property ${lost} is required, but the object is closed and does not have it.`, fix)
  }
  const count = properties.size
  if (typeof minProperties === 'number' && minProperties > count)
    add(
      ['minProperties'],
      `The object has only ${count} properties, and ${minProperties} are needed, so no value is valid.`,
    )
}

function ofAlternatives(schema: Schema, add: Add): void {
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const texts = schema.schemas(keyword).map(({ written }) => exactText([written]))
    const twice = texts.findIndex((text, index) => texts.indexOf(text) !== index)
    if (twice < 0) continue
    const effect = keyword === 'oneOf' ? ', so a value never fits exactly one' : ''
    add([keyword, String(twice)], `This alternative is the same as another one${effect}.`, 'Take one away.')
  }
}

/** Keywords of the parts of an allOf, which hold together. */
function ofParts(schema: Schema, add: Add): void {
  if (!schema.has('allOf')) return
  const parts = schema.conjuncts
  const types = parts.map((part) => part.types).filter((list) => list.length > 0)
  const isInBoth = (a: string, b: string): boolean => a === b || [a, b].sort().join() === 'integer,number'
  const common = types.reduce(
    (all, list) => all.filter((one) => list.some((other) => isInBoth(one, other))),
    types[0] ?? [],
  )
  if (types.length > 0 && common.length === 0) {
    const all = [...new Set(types.map((list) => list.join(' or ')))]
    const message = `The parts have the types ${all.join(' and ')}, so no value is valid.`
    add(['allOf'], message, 'Correct the type of one of them.')
    return
  }
  const enums = parts.flatMap((part) => (part.enum ? [part.enum.map((one) => exactText([one]))] : []))
  if (enums.length > 1 && !enums[0]?.some((text) => enums.every((list) => list.includes(text))))
    add(['allOf'], 'The enums of the parts have no value in common, so no value is valid.', 'Correct one of them.')
  for (const [least, most] of limits.slice(0, 3)) {
    const of = (keyword: string): number[] =>
      parts.map((part) => part.get(keyword)).filter((limit) => typeof limit === 'number')
    const [low, high] = [Math.max(...of(least)), Math.min(...of(most))]
    const isInOne = parts.some((part) => part.get(least) === low && part.get(most) === high)
    if (low > high && !isInOne)
      add(
        ['allOf'],
        `The parts have ${least} ${low} and ${most} ${high}, so no value is valid.`,
        'Correct one of them.',
      )
  }
}

/** Whether a schema accepts nothing: `false`, which is read as `not: {}`. */
function isNothing(schema: Schema | undefined): boolean {
  const not = schema?.reference === undefined ? schema?.schema('not') : undefined
  return not !== undefined && Object.keys(not.written).length === 0
}
