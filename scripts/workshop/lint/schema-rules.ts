import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { endlessSchemas } from '../../../src/contract/model/recursion.ts'
import { visitParts } from '../../../src/contract/model/tree.ts'
import { nearest } from '../../../src/contract/model/nearest.ts'
import {
  isReference,
  listOf,
  locate,
  nodeOf,
  targetOf,
  type Node,
  type Path,
} from '../../../src/contract/model/tree.ts'
import { isNull } from '../../../src/contract/model/files/dialect.ts'
import { dialectFindings } from '../../../src/contract/rules/dialect.ts'
import { isOfJsonSchema } from '../../../src/contract/model/version.ts'
import { exactText } from '../../../src/contract/integers.ts'
import { messageOf } from '../../../src/failure.ts'
import { contradictions } from './contradictions.ts'
import { mismatch } from './mismatch.ts'
import type { Report } from './rule.ts'

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object']

/** Reports what OpenAPI 3.1 and 3.2 do not know, or what the service does not do of them. */
export function dialect({ source }: ContractDocument, report: Report): void {
  for (const { severity, at, message } of dialectFindings(source)) {
    if (severity === 'error') report(at, message, 'The service would not start with it.')
    else if (at.at(-1) === 'nullable') report(at, message, 'It is ignored as it stands.', 'warning')
  }
}

/** Reports keywords that make a schema accept nothing, or not what it says. */
export function schemas(contract: ContractDocument, report: Report): void {
  const { root, source } = contract
  visitParts(root, (node, kind, at) => {
    if (kind !== 'schema' || isReference(node)) return
    checkType(node, at, report, isOfJsonSchema(root))
    checkLimits(node, at, report, isOfJsonSchema(root))
    checkPattern(node, at, report)
    checkEnum(node, at, report, Object.hasOwn(nodeOf(locate(source, at).value), 'const'))
    checkConst(root, node, { at, source }, report)
    checkProperties(root, node, at, report)
    checkDiscriminator(root, node, at, report)
    contradictions(contract, node, at, report)
  })
  for (const { at } of endlessSchemas(modelOf(contract))) {
    const message = 'Each value of the schema needs another one in it, so no value ever ends.'
    report(at, message, 'Make the property optional or nullable, or allow an empty list.')
  }
}

/** Reports defaults that their schema does not accept: a request without the value would be refused. */
export function defaults({ root }: ContractDocument, report: Report): void {
  visitParts(root, (node, kind, at) => {
    if (kind !== 'schema' || !Object.hasOwn(node, 'default')) return
    const { default: value, ...schema } = node
    const why = mismatch(root, schema, value)
    if (why !== undefined) report([...at, 'default'], `The default ${why}.`, 'Correct the default or the schema.')
  })
}

function checkType({ type, items }: Node, at: Path, report: Report, isJsonSchema: boolean): void {
  const known = isJsonSchema ? [...types, 'null'] : types
  const isList = Array.isArray(type)
  for (const [index, one] of [type].flat().entries()) {
    if (typeof one !== 'string' || known.includes(one)) continue
    const near = nearest(one, known)
    const mend = near === undefined ? `Write one of ${known.join(', ')}.` : `Did you mean ${near}?`
    const where = isList ? [...at, 'type', String(index)] : [...at, 'type']
    report(where, `There is no type ${JSON.stringify(one)}.`, mend)
  }
  if (isList && type.length === 0) report([...at, 'type'], 'The list has no types, so no value is valid.', 'Add types.')
  if (isList && new Set(type).size < type.length)
    report([...at, 'type'], 'The list has a type twice.', 'Take one away.')
  if (type === 'array' && items === undefined && !isJsonSchema)
    report([...at, 'type'], 'The array has no items.', 'Add the schema of its items.')
}

function checkConst(root: unknown, node: Node, { at, source }: { at: Path; source: unknown }, report: Report): void {
  const written = nodeOf(locate(source, at).value)
  if (!isOfJsonSchema(root) || !Object.hasOwn(written, 'const')) return
  const { enum: values, default: _, ...others } = node
  const isOutside = Array.isArray(written.enum) && listOf(values).length === 0
  const why = isOutside ? 'is not a value of the enum' : mismatch(root, others, written.const)
  if (why !== undefined) report([...at, 'const'], `The const ${why}, so no value is valid.`, 'Correct one of the two.')
}

const limits = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const

function checkLimits(node: Node, at: Path, report: Report, isJsonSchema: boolean): void {
  const written = (keyword: string): string => {
    const exclusive = `exclusive${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`
    return isJsonSchema && node[exclusive] === true ? exclusive : keyword
  }
  for (const [least, most] of limits) {
    const [low, high] = [node[least], node[most]]
    if (!isNumber(low) || !isNumber(high)) continue
    const isNone = least === 'minimum' && (node.exclusiveMinimum === true || node.exclusiveMaximum === true)
    if (low < high || (low === high && !isNone)) continue
    const message = `${written(least)} ${low} leaves nothing below ${written(most)} ${high}, so no value is valid.`
    report([...at, written(least)], message, 'Swap the two, or correct the wrong one.')
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

function checkEnum({ enum: values }: Node, at: Path, report: Report, isConst: boolean): void {
  if (!Array.isArray(values)) return
  // what a const and an enum without its value make is told of the const
  if (values.length === 0 && !isConst)
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
  const choices = [...listOf(node.oneOf), ...listOf(node.anyOf)].filter((one) => !isNull(one))
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
    listOf(node.allOf).some((part) => hasProperty(root, part, name, seen)) ||
    [node.oneOf, node.anyOf].map(listOf).some((choices) => {
      return choices.length > 0 && choices.every((one) => hasProperty(root, one, name, new Set(seen)))
    })
  )
}
