import type { ContractDocument } from '../../../src/contract/document/document.ts'
import { nearest } from '../../../src/contract/document/nearest.ts'
import {
  isReference,
  listOf,
  nodeOf,
  targetOf,
  walk,
  type Node,
  type Path,
} from '../../../src/contract/document/tree.ts'
import { exactText } from '../../../src/contract/integers.ts'
import { messageOf } from '../../../src/failure.ts'
import { mismatch } from './mismatch.ts'
import type { Report } from './rule.ts'

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object']

/** Reports keywords that make a schema accept nothing, or not what it says. */
export function schemas({ root }: ContractDocument, report: Report): void {
  walk({ at: [], value: root }, (node, at) => {
    if (!isSchema(at)) return
    if (isReference(node)) return
    checkType(node, at, report)
    checkLimits(node, at, report)
    checkPattern(node, at, report)
    checkEnum(node, at, report)
    checkProperties(root, node, at, report)
    checkDiscriminator(root, node, at, report)
  })
}

/** Reports defaults that their schema does not accept: a request without the value would be refused. */
export function defaults({ root }: ContractDocument, report: Report): void {
  walk({ at: [], value: root }, (node, at) => {
    if (!isSchema(at) || !Object.hasOwn(node, 'default')) return
    const { default: value, ...schema } = node
    const why = mismatch(root, schema, value)
    if (why !== undefined) report([...at, 'default'], `The default ${why}.`, 'Correct the default or the schema.')
  })
}

/** Whether the node at a path is a schema. */
function isSchema(at: Path): boolean {
  const [last = '', parent = '', above = ''] = [...at].reverse()
  if (['schema', 'items', 'additionalProperties', 'not'].includes(last) && parent !== 'headers') return true
  return ['properties', 'allOf', 'oneOf', 'anyOf'].includes(parent) || (parent === 'schemas' && above === 'components')
}

function checkType({ type, items }: Node, at: Path, report: Report): void {
  if (typeof type === 'string' && !types.includes(type)) {
    const near = nearest(type, types)
    const mend = near === undefined ? `Write one of ${types.join(', ')}.` : `Did you mean ${near}?`
    report([...at, 'type'], `There is no type ${JSON.stringify(type)}.`, mend)
  }
  if (type === 'array' && items === undefined)
    report([...at, 'type'], 'The array has no items.', 'Add the schema of its items.')
}

const limits = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const

function checkLimits(node: Node, at: Path, report: Report): void {
  for (const [least, most] of limits) {
    const [low, high] = [node[least], node[most]]
    if (!isNumber(low) || !isNumber(high)) continue
    const isNone = least === 'minimum' && (node.exclusiveMinimum === true || node.exclusiveMaximum === true)
    if (low < high || (low === high && !isNone)) continue
    const message = `${least} ${low} leaves nothing below ${most} ${high}, so no value is valid.`
    report([...at, least], message, 'Swap the two, or correct the wrong one.')
  }
  if (isNumber(node.multipleOf) && node.multipleOf <= 0) {
    report(
      [...at, 'multipleOf'],
      `multipleOf ${node.multipleOf} is not above 0.`,
      'Write a number above 0, or take it away.',
    )
  }
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function checkPattern({ pattern }: Node, at: Path, report: Report): void {
  if (typeof pattern !== 'string') return
  try {
    new RegExp(pattern)
  } catch (error) {
    const why = messageOf(error).replace(/^Invalid regular expression: .*: /, '')
    report([...at, 'pattern'], `The pattern is no regular expression: ${why}.`, 'Correct it.')
  }
}

function checkEnum({ enum: values }: Node, at: Path, report: Report): void {
  if (!Array.isArray(values)) return
  if (values.length === 0)
    report([...at, 'enum'], 'The enum has no values, so no value is valid.', 'Add values, or take it away.')
  const texts = values.map((value) => exactText([value]))
  for (const [index, text] of texts.entries()) {
    if (texts.indexOf(text) === index) continue
    report([...at, 'enum', String(index)], `The enum has the value ${text.slice(1, -1)} twice.`, 'Take one away.')
  }
}

function checkProperties(root: unknown, node: Node, at: Path, report: Report): void {
  if (Object.hasOwn(nodeOf(node.properties), '__proto__')) {
    report(
      [...at, 'properties', '__proto__'],
      'A property cannot have the name __proto__.',
      'Choose another name: JavaScript gives this one a meaning of its own.',
    )
  }
  const parts = listOf(node.allOf).map((part) => targetOf(root, part)?.node ?? {})
  const names = (part: Node): string[] => Object.keys(nodeOf(part.properties))
  for (const [index, part] of parts.entries()) {
    if (part.additionalProperties !== false) continue
    const others = [node, ...parts].filter((other) => other !== part).flatMap(names)
    const refused = others.filter((name) => !names(part).includes(name))
    if (refused.length === 0) continue
    const message = `This part of the allOf is closed and refuses ${refused.join(', ')}, which other parts have.`
    report([...at, 'allOf', String(index)], message, 'Take additionalProperties: false away from the part.')
  }
}

function checkDiscriminator(root: unknown, node: Node, at: Path, report: Report): void {
  const { propertyName } = nodeOf(node.discriminator)
  if (typeof propertyName !== 'string') return
  const choices = [...listOf(node.oneOf), ...listOf(node.anyOf)]
  const lacks = (schema: unknown): boolean => !hasProperty(root, schema, propertyName, new Set())
  const isMissing = choices.length > 0 ? lacks(node) && choices.some(lacks) : lacks(node)
  if (!isMissing) return
  const message = `The discriminator names the property ${propertyName}, which ${choices.length > 0 ? 'an alternative' : 'the schema'} does not have.`
  report([...at, 'discriminator'], message, 'Add the property, or correct the name.')
}

function hasProperty(root: unknown, schema: unknown, name: string, seen: Set<Node>): boolean {
  const node = targetOf(root, schema)?.node
  if (!node || seen.has(node)) return false
  seen.add(node)
  return (
    Object.hasOwn(nodeOf(node.properties), name) ||
    listOf(node.allOf).some((part) => hasProperty(root, part, name, seen))
  )
}
