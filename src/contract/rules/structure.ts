import type { ErrorObject } from 'ajv'
import type { Kind } from '../model/grammar.ts'
import { nearest } from '../model/nearest.ts'
import { pathOf, type Node } from '../model/node.ts'
import type { Part } from '../model/visit.ts'
import { definitionsOf, type Definition, type JsonSchema } from './definitions.ts'
import { keysAround, keysOf, schemaKeys, sentence, unexpectedKeys, type Said } from './structure-sentences.ts'
import { isStyle } from './styles.ts'
import { rule, type Level } from './rule.ts'

/** Each part is as OpenAPI's own JSON Schema of its kind says. */
export const structure = rule({
  id: 'struct',
  on: 'written',
  stage: 'structure',
  level: 'refused',
  check: (part, report, { model: { version } }) => {
    // a reference stands for another part
    if (Object.hasOwn(part.node, '$ref') && part.kind !== 'pathItem' && (part.kind !== 'schema' || version === '3.0'))
      return
    const definition = definitionsOf(version)(part.kind)
    for (const { at, level, ...said } of faultsIn(part, definition, version)) {
      const { message, fix } = said
      report([...part.at, ...at], message, { level, ...(fix === undefined ? {} : { fix }) })
    }
  },
})

interface Fault extends Said {
  level: Level
}

function faultsIn(part: Part, definition: Definition, version: string): Fault[] {
  const errors = withoutEffects(definition.faultsOf(withNumbers(part.node)), part, definition)
  return errors.flatMap((error) => {
    const said = sentence(error, part, { definition, version })
    return { ...said, level: isServed(part.kind, error, version) ? ('wrong' as const) : ('refused' as const) }
  })
}

/** Ajv does not know `bigint`. */
function withNumbers(node: Node): Node {
  if (!Object.values(node).some((value) => typeof value === 'bigint')) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, typeof value === 'bigint' ? Number(value) : value]),
  )
}

/** A fault by the keyword that found it, and the last key of its place, both where `*` is any. */
type Matching = readonly [kind: Kind | '*', keyword: string, key: string]

function matches(of: Kind, { keyword, instancePath }: ErrorObject, all: readonly Matching[]): boolean {
  const last = pathOf(instancePath).at(-1) ?? ''
  const is = (pattern: string, value: string): boolean => pattern === '*' || pattern === value
  return all.some(([kind, word, key]) => is(kind, of) && is(word, keyword) && is(key, last))
}

/** What another rule judges, and says better. */
const judgedElsewhere: readonly Matching[] = [
  ['document', '*', 'openapi'],
  ['schema', 'minItems', 'enum'],
  ['parameter', 'enum', 'required'],
  ['parameter', 'const', 'required'],
  ['parameter', 'pattern', 'name'],
  ['*', 'maxProperties', 'content'],
  ['*', 'minProperties', 'content'],
  ['*', 'minProperties', 'responses'],
  ['link', 'oneOf', ''],
  ['link', 'not', ''],
  ['*', 'minItems', 'enum'],
]

/** What OpenAPI says of a contract, and the service does not need: the description of a response, `info` and `paths`. */
const unneeded: readonly Matching[] = [
  ['response', 'required', ''],
  ['document', 'required', ''],
]

/**
 * What OpenAPI 3.1 and later say of a contract, and the service does not need. A definition of 3.0 does not say it, or
 * says it of data that is no part of a contract.
 */
const served: readonly Matching[] = [
  ['document', 'anyOf', ''],
  ['document', 'not', 'license'],
  ['components', 'pattern', '*'],
  ['schema', 'required', 'discriminator'],
  ['parameter', 'unevaluatedProperties', ''],
  ['header', 'unevaluatedProperties', ''],
  ['example', 'not', ''],
]

function isServed(kind: Kind, error: ErrorObject, version: string): boolean {
  if (matches(kind, error, unneeded)) return true
  if (version === '3.0') return false
  const { unevaluatedProperty: name } = error.params as { unevaluatedProperty?: string }
  if (name !== undefined && !misplaced.includes(name)) return false
  return matches(kind, error, served)
}

/** Keys of parameters and headers that belong to some of them. */
const misplaced = ['style', 'explode', 'allowReserved', 'allowEmptyValue', 'example', 'examples']

/** Leaves out the errors that other rules judge, that follow from another error, or that are steps to one. */
function withoutEffects(errors: readonly ErrorObject[], { kind, node }: Part, definition: Definition): ErrorObject[] {
  const kept = errors.filter((error) => {
    const { keyword, schemaPath } = error
    if (keyword === 'if' || keyword === 'propertyNames' || isElsewhere(kind, error)) return false
    return !errors.some((other) => isChoice(other) && schemaPath.startsWith(`${other.schemaPath}/`))
  })
  const keys = unexpectedKeys(kept)
  const intended = new Set(
    kept.flatMap((error) =>
      unexpectedKeys([error]).map(
        (key) => `${error.instancePath} ${nearest(key, keysAround(error, definition)) ?? ''}`,
      ),
    ),
  )
  const isMoved = keys.some((key) => schemaKeys.includes(key))
  const others = kept.filter(({ keyword }) => keyword !== 'unevaluatedProperties')
  let moved = 0
  return kept.filter((error) => {
    const { missingProperty, unevaluatedProperty } = error.params as Record<string, string | undefined>
    // a key that is misspelt is not missing
    if (missingProperty !== undefined && intended.has(`${error.instancePath} ${missingProperty}`)) return false
    // Ajv calls a key unknown if the part of the definition that declares it has failed
    if (unevaluatedProperty !== undefined && error.instancePath === '' && others.length > 0)
      if (definition.keys.includes(unevaluatedProperty)) return false
    if (!isMoved || (kind !== 'parameter' && kind !== 'header') || node.schema !== undefined) return true
    if (isChoice(error)) return false
    const [key = ''] = unexpectedKeys([error])
    return !schemaKeys.includes(key) || (moved += 1) === 1
  })
}

function isElsewhere(kind: Kind, error: ErrorObject): boolean {
  const { missingProperty } = error.params as { missingProperty?: string }
  if (kind === 'parameter' && missingProperty === 'required') return true
  if (missingProperty === 'default' && error.instancePath.endsWith('responses')) return true
  // what a link sends is data
  if (kind === 'link' && error.instancePath.startsWith('/parameters/')) return true
  if (kind === 'schema' && /^\/(type(\/|$)|(items|prefixItems)$)/.test(error.instancePath)) return true
  // a style of another place is said with the place
  if (kind === 'parameter' && error.instancePath === '/style' && isStyle(error.data)) return true
  return matches(kind, error, judgedElsewhere)
}

/** Whether a fault says which keys are needed of several, or do not go together. */
function isChoice({ keyword, schema }: ErrorObject): boolean {
  return (keyword === 'oneOf' || keyword === 'anyOf') && (schema as JsonSchema[]).every((one) => keysOf(one).length > 0)
}
