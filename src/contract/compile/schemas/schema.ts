import {
  entriesOf,
  isNode,
  isReference,
  listOf,
  nodeOf,
  pathOfReference,
  pointerOf,
  targetOf,
  type Node,
  type Path,
} from '../../model/tree.ts'
import { isKnownFormat } from '../../model/formats.ts'
import { combining, isNull } from '../../model/files/dialect.ts'
import { choicesOf } from './discriminator.ts'
import { numericKeyword, numericKeywords, numericRuleOf } from './numbers.ts'
import { isOfJsonSchema } from '../../model/version.ts'

/** Keywords that describe a value and do not check it. */
const annotations = new Set([
  ...['title', 'description', 'example', 'externalDocs', 'deprecated', 'xml', 'readOnly', 'writeOnly'],
])

/** Keywords of JSON Schema 2020-12 that the validators check as they are. Those that it does not know are ignored. */
const plainKeywords = new Set([
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains', 'dependentRequired'],
])

/** What a message says of a value that does not match the `pattern` beside it. */
export const patternMessage = 'x-pattern-message'

/** What a message calls the alternatives of the `oneOf` and `anyOf` beside it, by these keywords. */
export const alternativeNames = 'x-alternative-names'

/** How a schema is used. */
export interface SchemaUse {
  direction: 'request' | 'response'
  /** Whether an object without `additionalProperties` allows none, so that a test finds what a serializer drops. */
  closed?: boolean
  /** Whether a value of the format `binary` may be bytes. */
  bytes?: boolean
}

/** A reference is replaced by a copy of its schema up to this many values, since a copy is checked faster. */
const copiedSize = 100

/** What holds in a part of a schema. */
interface Flags {
  closed: boolean
  /** Whether defaults are filled in; not in alternatives, of which only one applies. */
  defaults: boolean
}

/**
 * Translates schemas of OpenAPI 3.0 to those of the validators. Numbers are checked only by the numeric keyword;
 * annotations, extensions and unknown formats are left out. A large schema that others refer to is translated once and
 * given to `register`, so that shared schemas are not copied and may contain themselves.
 */
export function schemaTranslator(
  root: unknown,
  { direction, closed = false, bytes = false }: SchemaUse,
  register: (key: string, schema: Node) => void,
): (schema: unknown) => Node {
  const keys = new Map<string, string>()
  const sizeOf = sizes(root)
  const isJsonSchema = isOfJsonSchema(root)
  return (schema) => translated(schema, { closed, defaults: direction === 'request' })

  function translated(value: unknown, flags: Flags): Node {
    if (!isReference(value)) return copied(nodeOf(value), flags)
    const target = targetOf(root, value)
    if (!target) return {}
    if (sizeOf(target.node) <= copiedSize) return copied(target.node, flags)
    const reference: Node = { $ref: keyOf(target, flags) }
    if (flags.defaults && target.node.default !== undefined) reference.default = structuredClone(target.node.default)
    return reference
  }

  function keyOf({ node, at }: { node: Node; at: Path }, flags: Flags): string {
    const name = `${pointerOf(at)} ${flags.closed} ${flags.defaults}`
    const known = keys.get(name)
    if (known !== undefined) return known
    const key = `schema-${keys.size}`
    // before its translation, in which it may stand again
    keys.set(name, key)
    const schema = copied(node, flags)
    Reflect.deleteProperty(schema, 'default')
    register(key, schema)
    return key
  }

  function copied(node: Node, flags: Flags): Node {
    const result: Node = {}
    const rule = numericRuleOf(node)
    const combined = combining.some((keyword) => keyword in node)
    const inParts = { ...flags, closed: false }
    const inChoices = { closed: flags.closed && node.anyOf === undefined, defaults: false }
    const apart = { closed: false, defaults: false }
    for (const [keyword, value] of Object.entries(node)) {
      if (hasNoEffect(keyword, node)) continue
      if (annotations.has(keyword) || keyword.startsWith('x-') || numericKeywords.has(keyword)) continue
      switch (keyword) {
        case 'nullable':
          if (node.type !== undefined && !combined && !rule) result.nullable = value
          break
        case 'type':
          if (!rule && !(bytes && node.format === 'binary')) result.type = value
          break
        case 'format':
          if ((!rule || rule.others?.includes('string')) && isKnownFormat(value) && value !== 'binary')
            result.format = value
          break
        case 'default':
          if (flags.defaults) result.default = structuredClone(value)
          break
        case 'pattern':
          result.pattern = value
          if (typeof node[patternMessage] === 'string') result[patternMessage] = node[patternMessage]
          break
        case 'enum':
          if (!rule || !('enum' in rule)) result.enum = structuredClone(value)
          break
        case 'discriminator':
          break
        case 'required': {
          const required = requiredOf(node)
          if (required.length > 0) result.required = required
          break
        }
        case 'properties':
        case 'patternProperties':
          result[keyword] = all(value, flags)
          break
        case 'dependentSchemas':
          result.dependentSchemas = all(value, apart)
          break
        case 'items':
          result.items = translated(value, flags)
          break
        case 'prefixItems':
          result.prefixItems = listOf(value).map((item) => translated(item, flags))
          break
        case 'additionalProperties':
        case 'unevaluatedProperties':
        case 'unevaluatedItems':
          result[keyword] = isNode(value) ? translated(value, flags) : value
          break
        case 'not':
        case 'if':
        case 'then':
        case 'else':
        case 'contains':
        case 'propertyNames':
          result[keyword] = translated(value, apart)
          break
        case 'allOf':
          result.allOf = [...listOf(result.allOf), ...listOf(value).map((part) => translated(part, inParts))]
          break
        case 'anyOf':
        case 'oneOf':
          choose(result, node, keyword, { ofOnly: { ...inChoices, defaults: flags.defaults }, ofEach: inChoices })
          break
        default:
          if (!isJsonSchema || plainKeywords.has(keyword)) result[keyword] = structuredClone(value)
      }
    }
    if (rule) result[numericKeyword] = structuredClone(rule)
    const isObject = node.type === 'object' && !combined && node.unevaluatedProperties === undefined
    if (flags.closed && isObject && entriesOf(node.properties).length > 0) {
      result.additionalProperties ??= false
      const onlyRequired = listOf(node.required).filter((name) => !Object.hasOwn(nodeOf(node.properties), String(name)))
      result.properties = {
        ...Object.fromEntries(onlyRequired.map((name) => [name, {}])),
        ...nodeOf(result.properties),
      }
    }
    return combined && node.nullable === true ? orNull(result) : result
  }

  function all(schemas: unknown, flags: Flags): Node {
    return Object.fromEntries(entriesOf(schemas).map(([name, schema]) => [name, translated(schema, flags)]))
  }

  /** Properties that are read-only need not be sent, and those that are write-only are not in answers. */
  function requiredOf({ required, properties }: Node): unknown[] {
    const foreign = direction === 'request' ? 'readOnly' : 'writeOnly'
    return listOf(required).filter((name) => {
      const own = nodeOf(properties)
      const property = Object.hasOwn(own, String(name)) ? targetOf(root, own[String(name)])?.node : undefined
      return property?.[foreign] !== true
    })
  }

  /**
   * Adds alternatives to a schema. Where a property tells them apart its value chooses the one that is checked, so that
   * only the faults of that one are told.
   */
  function choose(
    result: Node,
    node: Node,
    keyword: string,
    { ofOnly, ofEach }: { ofOnly: Flags; ofEach: Flags },
  ): void {
    const others = withoutNull(root, node, keyword)
    if (others) {
      const inner: Node = {}
      if (others.length === 1) inner.allOf = [translated(others[0], ofOnly)]
      else choose(inner, { ...node, [keyword]: others }, keyword, { ofOnly, ofEach })
      result.allOf = [...listOf(result.allOf), orNull(inner)]
      return
    }
    const choices = choicesOf(root, node, keyword)
    if (!choices) {
      const all = listOf(node[keyword])
      result[keyword] = all.map((one) => translated(one, ofEach))
      const names = all.map(nameOf)
      if (!names.includes(undefined))
        result[alternativeNames] = { ...nodeOf(result[alternativeNames]), [keyword]: names }
      return
    }
    const { property, schemas } = choices
    const is = (values: string[]): Node => ({ properties: { [property]: { enum: values } }, required: [property] })
    const parts = Array.from(schemas, ([value, schema]) => ({ if: is([value]), then: translated(schema, ofEach) }))
    if (node.type === undefined) result.type = 'object'
    result.allOf = [...listOf(result.allOf), is([...schemas.keys()]), ...parts]
  }
}

/** What a person would call an alternative: the name of its component, or its title. */
function nameOf(schema: unknown): string | undefined {
  if (isReference(schema)) return pathOfReference(schema.$ref).at(-1)
  const { title } = nodeOf(schema)
  return typeof title === 'string' ? title : undefined
}

/** The alternatives beside one that is null; undefined if there is none, or if another one may be null as well. */
function withoutNull(root: unknown, node: Node, keyword: string): unknown[] | undefined {
  const alternatives = listOf(node[keyword])
  const others = alternatives.filter((one) => !isNull(one))
  if (others.length === alternatives.length || others.length === 0) return undefined
  if (keyword === 'anyOf') return others
  const refusesNull = (one: unknown): boolean => {
    const { type, nullable } = targetOf(root, one)?.node ?? {}
    return typeof type === 'string' && type !== 'null' && nullable !== true
  }
  return alternatives.length === others.length + 1 && others.every(refusesNull) ? others : undefined
}

/** A schema that also accepts null. Its default stays where the validators look for it. */
function orNull({ default: value, ...schema }: Node): Node {
  return { ...(value === undefined ? {} : { default: value }), if: { type: 'null' }, then: {}, else: schema }
}

/** Counts the values in a schema with all that it refers to; infinite when it contains itself. */
export function sizes(root: unknown): (schema: unknown) => number {
  const known = new Map<object, number>()
  return sizeOf

  function sizeOf(value: unknown): number {
    const target = isReference(value) ? targetOf(root, value)?.node : value
    if (typeof target !== 'object' || target === null) return 1
    const counted = known.get(target)
    if (counted !== undefined) return counted
    known.set(target, Infinity)
    let size = 1
    for (const child of Object.values(target)) size += sizeOf(child)
    known.set(target, size)
    return size
  }
}

/** Whether a keyword says nothing beside the others, which the validators refuse. */
function hasNoEffect(keyword: string, { contains, minContains, maxContains }: Node): boolean {
  const isNothing = contains === undefined || (minContains === 0 && maxContains === undefined)
  return isNothing && ['contains', 'minContains', 'maxContains'].includes(keyword)
}
