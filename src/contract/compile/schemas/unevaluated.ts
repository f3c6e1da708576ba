import type { Ajv, CodeKeywordDefinition, ErrorObject } from 'ajv'
import { onceKeyword } from '../../exchange/keywords.ts'
import { kept } from '../../../kept.ts'
import { isNode, pointerOf, type Node } from '../../model/node.ts'
import { matcherOf, type Matcher } from '../../model/pattern/matcher.ts'
import { maxFaults } from './bounds.ts'
import { checkBy, faultsBy, type CheckContext as Context } from './found-faults.ts'
import type { CheckMemory } from './memory.ts'

type Keyword = 'unevaluatedItems' | 'unevaluatedProperties'
/** A schema as it is compiled, with the keywords that evaluate items and properties. */
interface Evaluating extends Node {
  properties?: Node
  patternProperties?: Node
  dependentSchemas?: Node
  prefixItems?: unknown[]
  allOf?: unknown[]
  anyOf?: unknown[]
  oneOf?: unknown[]
}
type Place = Pick<Context, 'parentData' | 'parentDataProperty'>

/**
 * The check of items or properties that no other keyword evaluates (JSON Schema 2020-12, section 11). Ajv finds out
 * before it sees a value what is evaluated, so that it is wrong beside `contains`, and beside an `if` that fails.
 */
export function unevaluatedDefinition(
  ajv: Pick<Ajv, 'compile' | 'getSchema'>,
  keyword: Keyword,
  memory: CheckMemory,
): CodeKeywordDefinition {
  const evaluator = new Evaluator(ajv, keyword, memory)
  return {
    keyword,
    type: keyword === 'unevaluatedItems' ? 'array' : 'object',
    schemaType: ['boolean', 'object'],
    code(cxt) {
      const { [keyword]: others, ...schema } = cxt.parentSchema
      checkBy(cxt, (value, context) => evaluator.faults(schema, others, value as object, context))
    },
  }
}

/** Finds out which items or properties of a value a schema evaluates. */
class Evaluator {
  readonly #ajv: Pick<Ajv, 'compile' | 'getSchema'>
  readonly #keyword: Keyword
  readonly #memory: CheckMemory
  /** Keys of the memory instead of the schemas: the faults that this class remembers have no place in the request. */
  readonly #keys = new WeakMap<Node, object>()
  readonly #matchers = new Map<string, Matcher>()

  constructor(ajv: Pick<Ajv, 'compile' | 'getSchema'>, keyword: Keyword, memory: CheckMemory) {
    this.#ajv = ajv
    this.#keyword = keyword
    this.#memory = memory
  }

  /** The faults of what a schema does not evaluate: by another schema, or because there must be nothing else. */
  faults(schema: Node, others: unknown, value: object, context: Context): ErrorObject[] {
    const evaluated = new Set<string>()
    const isAll = others === true || this.#evaluates(schema, value, evaluated)
    const rest = isAll ? [] : Object.keys(value).filter((key) => !evaluated.has(key))
    return isNode(others)
      ? this.#faultsOfOthers(rest, others, value, context)
      : this.#faultsOfUnknown(rest, evaluated.size, value, context)
  }

  #faultsOfOthers(keys: readonly string[], others: Node, value: object, context: Context): ErrorObject[] {
    const faults: ErrorObject[] = []
    for (const key of keys) {
      if (faults.length >= maxFaults) break
      faults.push(...this.#faults(others, value, key, context))
    }
    return faults
  }

  #faultsOfUnknown(keys: readonly string[], known: number, value: object, { instancePath }: Context): ErrorObject[] {
    const keyword = this.#keyword
    const fault = { keyword, schemaPath: `#/${keyword}`, schema: false, data: value }
    if (Array.isArray(value) && keys[0] === String(known)) return [{ ...fault, instancePath, params: { limit: known } }]
    return keys
      .slice(0, maxFaults)
      .map((key) =>
        Array.isArray(value)
          ? { ...fault, instancePath: instancePath + pointerOf([key]), params: {} }
          : { ...fault, instancePath, params: { unevaluatedProperty: key } },
      )
  }

  /** Adds the keys of a value that a schema evaluates, and returns whether it evaluates all. */
  #evaluates(schema: Node, value: object, keys: Set<string>): boolean {
    const isAll = Array.isArray(value)
      ? this.#evaluatesItems(schema, value, keys)
      : this.#evaluatesProperties(schema, value, keys)
    return (
      isAll ||
      this.#inPlace(schema, value).some((one) => one[this.#keyword] !== undefined || this.#evaluates(one, value, keys))
    )
  }

  #evaluatesItems({ items, prefixItems, contains }: Evaluating, value: readonly unknown[], keys: Set<string>): boolean {
    for (const index of prefixItems?.keys() ?? []) keys.add(String(index))
    for (const index of isNode(contains) ? value.keys() : []) {
      if (this.#isValid(contains as Node, value, String(index))) keys.add(String(index))
    }
    return items !== undefined
  }

  #evaluatesProperties(schema: Evaluating, value: object, keys: Set<string>): boolean {
    for (const name of Object.keys(schema.properties ?? {})) keys.add(name)
    const matchers = Object.keys(schema.patternProperties ?? {}).map((pattern) => this.#matcher(pattern))
    for (const name of matchers.length > 0 ? Object.keys(value) : []) {
      if (matchers.some((matcher) => matcher.test(name))) keys.add(name)
    }
    return schema.additionalProperties !== undefined
  }

  #matcher(pattern: string): Matcher {
    return kept(this.#matchers, pattern, () => matcherOf(pattern))
  }

  /** The schemas that a schema applies to the same value, and of alternatives and conditions those that hold. */
  #inPlace(schema: Evaluating, value: object): Node[] {
    const reference = schema.$ref ?? schema[onceKeyword]
    const target = typeof reference === 'string' ? this.#ajv.getSchema(reference)?.schema : undefined
    const holds = (one: unknown): boolean => isNode(one) && this.#isValid(one, { value }, 'value')
    const condition = schema.if === undefined ? [] : holds(schema.if) ? [schema.if, schema.then] : [schema.else]
    const dependent = Object.entries(schema.dependentSchemas ?? {}).flatMap(([name, one]) =>
      Object.hasOwn(value, name) ? [one] : [],
    )
    const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(holds)
    return [target, ...(schema.allOf ?? []), ...alternatives, ...condition, ...dependent].filter(isNode)
  }

  #isValid(schema: Node, parent: object, key: string): boolean {
    const known = kept(this.#keys, schema, () => ({}))
    const context = { ...root, rootData: parent as Context['rootData'] }
    return (
      this.#memory.faults(known, (parent as Node)[key], () => this.#faults(schema, parent, key, context)).length === 0
    )
  }

  /** The faults of a part of a value by a schema. */
  #faults(schema: Node, parent: object, key: string, context: Omit<Context, keyof Place>): readonly ErrorObject[] {
    const instancePath = context.instancePath + pointerOf([key])
    const place = { ...context, instancePath, parentData: parent, parentDataProperty: key }
    return faultsBy(this.#ajv.compile(schema), (parent as Node)[key], place)
  }
}

const root = { instancePath: '', dynamicAnchors: {} }
