import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { nearest } from '../../../src/contract/model/nearest.ts'
import {
  entriesOf,
  isNode,
  listOf,
  locate,
  nodeOf,
  pathOfReference,
  targetOf,
  type Node,
  type Path,
} from '../../../src/contract/model/tree.ts'
import { isOfJsonSchema } from '../../../src/contract/model/version.ts'
import { exactText } from '../../../src/contract/integers.ts'
import { mismatch } from './mismatch.ts'
import type { Report } from './rule.ts'

const correct = 'Correct one of the two.'

/** Reports keywords of a schema that do not go together, so that no value is valid or a part of it never is. */
export function contradictions({ root, source }: ContractDocument, node: Node, at: Path, report: Report): void {
  const found = new Map<string, readonly [message: string, mend: string]>()
  const add = (keyword: string, message: string, mend = correct): void => {
    if (!found.has(keyword)) found.set(keyword, [message, mend])
  }
  ofNumbers(node, add)
  ofLists(root, node, add)
  ofObjects(node, add)
  ofParts(root, node, add)
  // false as a schema is read as one
  if (isNothing(node) && Object.hasOwn(nodeOf(locate(source, at).value), 'not'))
    add('not', 'The value must not be what every value is, so no value is valid.', 'Write what is excluded.')
  ofEnum(root, node, add)
  if (!isOfJsonSchema(root)) {
    if (Array.isArray(node.items))
      add(
        'items',
        'The items are a list, but OpenAPI 3.0 has one schema for all of them.',
        'Write one schema, with oneOf for several.',
      )
    for (const key of ['Minimum', 'Maximum']) {
      if (node[`exclusive${key}`] === true && node[key.toLowerCase()] === undefined)
        add(
          `exclusive${key}`,
          `exclusive${key} has no effect without ${key.toLowerCase()}.`,
          `Add ${key.toLowerCase()}.`,
        )
    }
  }
  if (node.readOnly === true && node.writeOnly === true)
    add('writeOnly', 'The value is read-only and write-only, so it is never sent.', 'Take one away.')
  for (const pattern of Object.keys(nodeOf(node.patternProperties))) {
    if (!isRegExp(pattern)) add(`patternProperties/${pattern}`, 'The pattern is no regular expression.', 'Correct it.')
  }
  for (const [keyword, [message, mend]] of found) {
    const [first = '', ...others] = keyword.split('/')
    report([...at, first, ...(others.length > 0 ? [others.join('/')] : [])], message, mend)
  }
  ofMapping(root, node, at, report)
}

type Add = (keyword: string, message: string, mend?: string) => void

const sizes = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']

function ofNumbers(node: Node, add: Add): void {
  for (const keyword of sizes) {
    if (typeof node[keyword] === 'bigint')
      add(keyword, `${keyword} is beyond 2^53 - 1, which nothing reaches.`, 'Take it away, or correct it.')
  }
  const { minimum, maximum, multipleOf, type } = node
  if (typeof minimum !== 'number' || typeof maximum !== 'number' || minimum >= maximum) return
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : type === 'integer' ? 1 : undefined
  if (step === undefined || (type === 'integer' && !Number.isInteger(step))) return
  let first = Math.ceil(minimum / step) * step
  if (first === minimum && node.exclusiveMinimum === true) first += step
  if (first < maximum || (first === maximum && node.exclusiveMaximum !== true)) return
  const what = step === 1 ? 'no integer' : `no multiple of ${step}`
  add('minimum', `There is ${what} between ${minimum} and ${maximum}, so no value is valid.`, 'Correct the limits.')
}

function ofLists(root: unknown, node: Node, add: Add): void {
  const items = targetOf(root, node.items)?.node
  const { minItems, maxItems, minContains, contains } = node
  const values = items?.type === 'boolean' ? 2 : Array.isArray(items?.enum) ? items.enum.length : undefined
  if (typeof minItems === 'number' && node.uniqueItems === true && values !== undefined && minItems > values)
    add('minItems', `There are only ${values} different items, and ${minItems} are needed, so no value is valid.`)
  if (typeof minItems === 'number' && isNothing(node.items) && minItems > listOf(node.prefixItems).length)
    add(
      'minItems',
      `Only ${listOf(node.prefixItems).length} items are allowed, and ${minItems} are needed, so no value is valid.`,
    )
  if (
    contains !== undefined &&
    typeof minContains === 'number' &&
    typeof maxItems === 'number' &&
    minContains > maxItems
  )
    add('maxItems', `${minContains} items must be contained, and only ${maxItems} are allowed, so no value is valid.`)
}

function ofObjects(node: Node, add: Add): void {
  const properties = nodeOf(node.properties)
  const required = listOf(node.required).map(String)
  const { maxProperties, minProperties } = node
  if (typeof maxProperties === 'number' && new Set(required).size > maxProperties)
    add(
      'maxProperties',
      `${required.length} properties are required, and only ${maxProperties} allowed, so no value is valid.`,
    )
  for (const name of required) {
    if (Object.hasOwn(properties, name) && isNothing(properties[name]))
      add(`properties/${name}`, `The property ${name} is required, but its schema accepts nothing.`)
  }
  const isClosed = node.additionalProperties === false && Object.keys(nodeOf(node.patternProperties)).length === 0
  if (!isClosed) return
  const lost = required.find((name) => !Object.hasOwn(properties, name))
  if (lost !== undefined) {
    const near = nearest(lost, Object.keys(properties))
    const mend = near === undefined ? 'Add the property, or correct the name.' : `Did you mean ${near}?`
    add('required', `The property ${lost} is required, but the object is closed and does not have it.`, mend)
  }
  if (typeof minProperties === 'number' && minProperties > Object.keys(properties).length)
    add(
      'minProperties',
      `The object has only ${Object.keys(properties).length} properties, and ${minProperties} are needed, so no value is valid.`,
    )
}

function ofParts(root: unknown, node: Node, add: Add): void {
  for (const keyword of ['oneOf', 'anyOf']) {
    const texts = listOf(node[keyword]).map((one) => exactText([one]))
    const twice = texts.findIndex((text, index) => texts.indexOf(text) !== index)
    if (twice < 0) continue
    const effect = keyword === 'oneOf' ? ', so a value never fits exactly one' : ''
    add(`${keyword}/${twice}`, `This alternative is the same as another one${effect}.`, 'Take one away.')
  }
  const parts = allOf(root, node, new Set())
  if (parts.length < 2) return
  const types = parts
    .map(({ type }) => [type].flat().filter((one) => typeof one === 'string'))
    .filter((list) => list.length > 0)
  const isInBoth = (a: string, b: string): boolean => a === b || [a, b].sort().join() === 'integer,number'
  const common = types.reduce(
    (all, list) => all.filter((one) => list.some((other) => isInBoth(one, other))),
    types[0] ?? [],
  )
  if (types.length > 0 && common.length === 0) {
    const all = [...new Set(types.map((list) => list.join(' or ')))]
    add(
      'allOf',
      `The parts have the types ${all.join(' and ')}, so no value is valid.`,
      'Correct the type of one of them.',
    )
    return
  }
  const enums = parts.flatMap((part) => (Array.isArray(part.enum) ? [part.enum.map((one) => exactText([one]))] : []))
  if (enums.length > 1 && !enums[0]?.some((text) => enums.every((list) => list.includes(text))))
    add('allOf', 'The enums of the parts have no value in common, so no value is valid.', 'Correct one of them.')
  for (const [least, most] of [
    ['minimum', 'maximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const) {
    const low = Math.max(...parts.flatMap((part) => (typeof part[least] === 'number' ? [part[least]] : [])))
    const high = Math.min(...parts.flatMap((part) => (typeof part[most] === 'number' ? [part[most]] : [])))
    const isInOne = parts.some((part) => part[least] === low && part[most] === high)
    if (low > high && !isInOne)
      add('allOf', `The parts have ${least} ${low} and ${most} ${high}, so no value is valid.`, 'Correct one of them.')
  }
}

/** A schema and the parts of its allOf. */
function allOf(root: unknown, schema: unknown, seen: Set<Node>): Node[] {
  const node = targetOf(root, schema)?.node
  if (!node || seen.has(node)) return []
  seen.add(node)
  return [node, ...listOf(node.allOf).flatMap((part) => allOf(root, part, seen))]
}

function ofEnum(root: unknown, { enum: values, default: _, ...others }: Node, add: Add): void {
  if (!Array.isArray(values) || values.length === 0) return
  const { type, ...limits } = others
  for (const [index, value] of values.entries()) {
    // its type is told by another rule
    if (mismatch(root, { type }, value) !== undefined) continue
    const why = mismatch(root, limits, value)
    if (why !== undefined)
      add(`enum/${index}`, `The value ${exactText([value]).slice(1, -1)} ${why}, so it is never valid.`)
  }
}

/** Reports values of a discriminator that lead to no schema, or to one that is no alternative. */
function ofMapping(root: unknown, node: Node, at: Path, report: Report): void {
  const { mapping } = nodeOf(node.discriminator)
  const schemas = nodeOf(nodeOf(nodeOf(root).components).schemas)
  const choices = [...listOf(node.oneOf), ...listOf(node.anyOf)]
  const targets = choices.map((one) => targetOf(root, one)?.node)
  for (const [value, name] of entriesOf(mapping)) {
    if (typeof name !== 'string') continue
    const path = Object.hasOwn(schemas, name) ? ['components', 'schemas', name] : pathOfReference(name)
    const isReferenceText = name.includes('#') || Object.hasOwn(schemas, name)
    const target = isReferenceText ? targetOf(root, locateOrNothing(root, path))?.node : undefined
    const where = [...at, 'discriminator', 'mapping', value]
    if (!target) {
      const near = nearest(name.replace(/^.*\//, ''), Object.keys(schemas))
      report(
        where,
        `The mapping leads to no schema.`,
        near === undefined ? 'Correct it.' : `Did you mean "#/components/schemas/${near}"?`,
      )
    } else if (choices.length > 0 && !targets.includes(target)) {
      report(
        where,
        'The mapping leads to a schema that is no alternative.',
        'Add it to the alternatives, or correct the mapping.',
      )
    }
  }
}

function locateOrNothing(root: unknown, path: Path): unknown {
  try {
    return locate(root, path).value
  } catch {
    return undefined
  }
}

function isRegExp(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern))
  } catch {
    return false
  }
}

/** Whether a schema accepts nothing: `false`, which is read as `not: {}`. */
function isNothing(schema: unknown): boolean {
  const { not } = nodeOf(schema)
  return schema === false || (isNode(not) && Object.keys(not).length === 0)
}
