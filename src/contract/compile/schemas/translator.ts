import { isKnownFormat } from '../../model/formats.ts'
import { inPlace } from '../../model/keywords.ts'
import type { ContractModel } from '../../model/model.ts'
import { pointerOf } from '../../model/node.ts'
import type { Schema } from '../../model/schema.ts'
import { alternativeNames, numericKeyword, onceKeyword, patternMessage } from '../../exchange/keywords.ts'
import { choicesOf } from '../../model/discriminator.ts'
import { numericKeywords, numericRuleOf, type NumericRule } from './numbers.ts'

/** A schema as the validators take it. */
export type Translated = Record<string, unknown>

/** How a schema is used. */
export interface SchemaUse {
  direction: 'request' | 'response'
  /** Whether an object without `additionalProperties` allows none, so that a test finds what a serializer drops. */
  closed?: boolean
  /** Whether a value of the format `binary` may be bytes. */
  bytes?: boolean
  /** Whether the default of a schema is filled in of a request where its value is missing; each is without it. */
  fills?: (schema: Schema) => boolean
}

/** A reference is replaced by a copy of its schema up to this many values, since a copy is checked faster. */
const copiedSize = 100

/** What holds in a part of a schema. */
interface Flags {
  closed: boolean
  /** Whether defaults are filled in; not in alternatives, of which only one applies. */
  defaults: boolean
  /** Whether a schema around it, for the same value, asks what it has evaluated. */
  evaluated: boolean
}

/** A keyword of a schema with what its translation depends on. */
interface Site {
  schema: Schema
  flags: Flags
  /** What holds in its schemas for parts of the value. */
  inner: Flags
  use: Required<SchemaUse>
  /** The rule that replaces its keywords for numbers. */
  rule: NumericRule | undefined
  /** Whether null must fit other schemas as well, so that `nullable` cannot say it. */
  isCombined: boolean
  translate: (schema: Schema, flags: Flags) => Translated
}

/** The keywords that a keyword becomes; `allOf` is added to what others give. */
type Translation = (value: unknown, site: Site) => Translated

const nothing: Translation = () => ({})

/** Keywords of which each has its translation. Others that hold schemas are translated by what they hold. */
const translations: Readonly<Record<string, Translation>> = {
  nullable: (value, site) => (hasType(site) && !site.isCombined ? { nullable: value } : {}),
  type: (value, site) => (hasType(site) ? { type: value } : {}),
  format: (value, { rule }) =>
    (!rule || rule.others?.includes('string')) && isKnownFormat(value) && value !== 'binary' ? { format: value } : {},
  default: (value, { schema, flags, use }) =>
    flags.defaults && use.fills(schema) ? { default: structuredClone(value) } : {},
  pattern: (value, { schema }) => {
    const message = schema.get(patternMessage)
    const pattern = { pattern: value, ...(typeof message === 'string' ? { [patternMessage]: message } : {}) }
    // a longer text is wrong anyway, and may cost the engine more than the contract allows
    const isBounded = schema.has('maxLength') && mayStayWithEngine.test(String(value))
    return isBounded ? { allOf: [{ if: { maxLength: schema.get('maxLength') }, then: pattern }] } : pattern
  },
  enum: (value, { rule }) => {
    if (rule && 'enum' in rule) return {}
    // the validators refuse an empty one
    return Array.isArray(value) && value.length === 0 ? { allOf: [{ not: {} }] } : { enum: structuredClone(value) }
  },
  required: (_, { schema, use }) => {
    const required = sentNames(schema, use.direction)
    return required.length > 0 ? { required } : {}
  },
  properties: (_, site) => ({ properties: schemasByName(site, 'properties', site.inner) }),
  patternProperties: (_, site) => ({ patternProperties: schemasByName(site, 'patternProperties', site.inner) }),
  dependentSchemas: (_, site) => ({ dependentSchemas: schemasByName(site, 'dependentSchemas', beside(site)) }),
  prefixItems: (_, { schema, inner, translate }) => ({
    prefixItems: schema.schemas('prefixItems').map((item) => translate(item, inner)),
  }),
  items: (_, site) => schemaUnder(site, 'items', site.inner),
  additionalProperties: (value, site) => schemaOrBoolean(value, site, 'additionalProperties'),
  unevaluatedProperties: (value, site) => schemaOrBoolean(value, site, 'unevaluatedProperties'),
  unevaluatedItems: (value, site) => schemaOrBoolean(value, site, 'unevaluatedItems'),
  not: (_, site) => schemaUnder(site, 'not', apart),
  if: (_, site) => condition(site),
  then: (_, site) => (site.schema.has('if') ? schemaUnder(site, 'then', beside(site)) : {}),
  else: (_, site) => (site.schema.has('if') ? schemaUnder(site, 'else', beside(site)) : {}),
  contains: (_, site) => contained(site),
  minContains: (value, { schema }) => (hasContains(schema) ? { minContains: value } : {}),
  maxContains: (value, { schema }) => (hasContains(schema) ? { maxContains: value } : {}),
  propertyNames: (_, site) => schemaUnder(site, 'propertyNames', apart),
  allOf: (_, { schema, flags, translate }) => ({
    allOf: schema.schemas('allOf').map((part) => translate(part, { ...flags, closed: false })),
  }),
  anyOf: (_, site) => alternatives(site, 'anyOf'),
  oneOf: (_, site) => alternatives(site, 'oneOf'),
  ...Object.fromEntries(
    ['title', 'description', 'example', 'externalDocs', 'deprecated', 'xml', 'readOnly', 'writeOnly', 'discriminator']
      .concat([...numericKeywords])
      .map((keyword) => [keyword, nothing]),
  ),
}

/** Patterns with look-around, back references or word boundaries, and a few others. */
const mayStayWithEngine = /\(\?[=!<]|\\[bBk1-9]/

const apart: Flags = { closed: false, defaults: false, evaluated: false }

function beside({ flags }: Site): Flags {
  return { ...apart, evaluated: flags.evaluated }
}

/** Keywords of JSON Schema 2020-12 that the validators check as they are. Those that they do not know are left out. */
const plainKeywords = new Set([
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
  ...['dependentRequired'],
])

/**
 * Translates schemas of the contract to those of the validators. Numbers are checked only by the numeric keyword;
 * annotations, extensions and unknown formats are left out. A large schema that others refer to is translated once and
 * given to `register`, so that shared schemas are not copied and may contain themselves.
 */
export function schemaTranslator(
  model: ContractModel,
  { direction, closed = false, bytes = false, fills = () => true }: SchemaUse,
  register: (key: string, schema: Translated) => void,
): (schema: Schema | undefined) => Translated {
  const { isJsonSchema } = model
  const keys = new Map<string, string>()
  const use = { direction, closed, bytes, fills }
  /** Translations of schemas that contain themselves: one in the other they could be more than the stack has room for. */
  const later: (() => void)[] = []
  return (schema) => {
    if (!schema) return {}
    const translated = translate(schema, { closed, defaults: direction === 'request', evaluated: false })
    for (let next = later.pop(); next; next = later.pop()) next()
    return translated
  }

  function translate(schema: Schema, flags: Flags): Translated {
    // what is evaluated behind a reference is known only behind a `$ref`
    const isOnce = schema.size === Infinity && !flags.evaluated && (schema.reference !== undefined || evaluates(schema))
    if (!isOnce && (schema.reference === undefined || schema.size <= copiedSize)) return copied(schema.target, flags)
    const reference = { [isOnce ? onceKeyword : '$ref']: keyOf(schema.target, flags, isOnce) }
    const value = schema.get('default')
    const isFilled = flags.defaults && value !== undefined && fills(schema)
    return isFilled ? { ...reference, default: structuredClone(value) } : reference
  }

  function keyOf(schema: Schema, flags: Flags, isOnce: boolean): string {
    const name = `${pointerOf(schema.at)} ${flags.closed} ${flags.defaults} ${flags.evaluated}`
    const known = keys.get(name)
    if (known !== undefined) return known
    const key = `schema-${keys.size}`
    // before its translation, in which it may stand again
    keys.set(name, key)
    const add = (): void => {
      const { default: _, ...translated } = copied(schema, flags)
      register(key, translated)
    }
    if (isOnce) later.push(add)
    else add()
    return key
  }

  function copied(schema: Schema, around: Flags): Translated {
    const flags = { ...around, evaluated: around.evaluated || evaluates(schema) }
    const inner = { ...around, evaluated: false }
    const rule = numericRuleOf(schema.node)
    const isCombined = inPlace.some((keyword) => schema.has(keyword))
    const site: Site = { schema, flags, inner, use, rule, isCombined, translate }
    const result: Translated = {}
    for (const [keyword, value] of Object.entries(schema.node)) {
      if (keyword.startsWith('x-')) continue
      const isPlain = !isJsonSchema || plainKeywords.has(keyword)
      const found = translations[keyword]?.(value, site) ?? (isPlain ? { [keyword]: structuredClone(value) } : {})
      add(result, found)
    }
    if (rule) result[numericKeyword] = structuredClone(rule)
    if (flags.closed) close(result, site)
    return isCombined && schema.isNullable ? orNull(result) : result
  }
}

/** Adds keywords to a schema. Those that several have hold together. */
function add(result: Translated, found: Translated): void {
  const { allOf, [alternativeNames]: names, ...others } = found
  Object.assign(result, others)
  if (allOf !== undefined) result.allOf = [...((result.allOf ?? []) as unknown[]), ...(allOf as unknown[])]
  if (names !== undefined) result[alternativeNames] = { ...(result[alternativeNames] ?? {}), ...names }
}

/** Closes an object that names its properties, and that nothing else describes. */
function close(result: Translated, { schema, isCombined }: Site): void {
  const isObject = schema.get('type') === 'object' && !isCombined && !schema.has('unevaluatedProperties')
  if (!isObject || schema.properties.size === 0) return
  result.additionalProperties ??= false
  const onlyRequired = schema.required.filter((name) => !schema.properties.has(name))
  result.properties = {
    ...Object.fromEntries(onlyRequired.map((name) => [name, {}])),
    ...(result.properties as Translated),
  }
}

function schemasByName(
  { schema, translate }: Site,
  keyword: 'properties' | 'patternProperties' | 'dependentSchemas',
  flags: Flags,
): Translated {
  return Object.fromEntries(Array.from(schema.named(keyword), ([name, inner]) => [name, translate(inner, flags)]))
}

function schemaUnder({ schema, translate }: Site, keyword: Parameters<Schema['schema']>[0], flags: Flags): Translated {
  const inner = schema.schema(keyword)
  return inner ? { [keyword]: translate(inner, flags) } : {}
}

function schemaOrBoolean(value: unknown, site: Site, keyword: Parameters<Schema['schema']>[0]): Translated {
  return typeof value === 'boolean' ? { [keyword]: value } : schemaUnder(site, keyword, site.inner)
}

/** Properties that are read-only need not be sent, and those that are write-only are not in answers. */
function sentNames({ required, properties }: Schema, direction: SchemaUse['direction']): string[] {
  return required.filter((name) => {
    const property = properties.get(name)
    return !(direction === 'request' ? property?.isReadOnly : property?.isWriteOnly)
  })
}

/** Whether the type of a schema says what its values are: not for bytes, nor where a rule for numbers says it. */
function hasType({ schema, rule, use }: Site): boolean {
  return schema.has('type') && !rule && !(use.bytes && schema.format === 'binary')
}

/** An `if`. Without `then` and `else` it only evaluates parts of values, and the validators refuse it. */
function condition(site: Site): Translated {
  const { schema } = site
  const condition = schemaUnder(site, 'if', beside(site))
  if (schema.has('then') || schema.has('else')) return condition
  return site.flags.evaluated ? { allOf: [{ anyOf: [condition.if, {}] }] } : {}
}

/** A `contains`. If no item need fit, it only evaluates items. */
function contained(site: Site): Translated {
  const contained = schemaUnder(site, 'contains', apart)
  if (hasContains(site.schema)) return contained
  if (isContradiction(site.schema)) return { allOf: [{ if: { type: 'array' }, then: { not: {} } }] }
  return site.flags.evaluated ? { allOf: [{ anyOf: [contained, {}] }] } : {}
}

/** Whether a schema asks what the others beside it have evaluated. */
function evaluates(schema: Schema): boolean {
  return schema.has('unevaluatedProperties') || schema.has('unevaluatedItems')
}

/** Whether `contains` says something; the validators refuse it and its limits otherwise. */
function hasContains(schema: Schema): boolean {
  const isFree = schema.get('minContains') === 0 && !schema.has('maxContains')
  return schema.has('contains') && !isFree && !isContradiction(schema)
}

/** Whether more items must fit than may. */
function isContradiction(schema: Schema): boolean {
  return Number(schema.get('minContains') ?? 1) > Number(schema.get('maxContains') ?? Infinity)
}

/**
 * Alternatives of a schema. Where a property tells them apart its value chooses the one that is checked, so that only the
 * faults of that one are told.
 */
function alternatives(site: Site, keyword: 'oneOf' | 'anyOf'): Translated {
  const { schema, flags, translate } = site
  const ofEach = { ...flags, closed: flags.closed && !schema.has('anyOf'), defaults: false }
  const all = schema.schemas(keyword)
  const others = withoutNull(all, keyword)
  if (!others) return choose(all)
  const [only, ...more] = others
  const inner =
    only && more.length === 0 ? { allOf: [translate(only, { ...ofEach, defaults: flags.defaults })] } : choose(others)
  return { allOf: [orNull(inner)] }

  function choose(list: readonly Schema[]): Translated {
    const choices = choicesOf(schema, list)
    if (!choices) {
      const names = list.map(({ name }) => name)
      const result = { [keyword]: list.map((inner) => translate(inner, ofEach)) }
      return names.includes(undefined) ? result : { ...result, [alternativeNames]: { [keyword]: names } }
    }
    const { property, schemas } = choices
    const is = (values: string[]): Translated => ({
      properties: { [property]: { enum: values } },
      required: [property],
    })
    const parts = Array.from(schemas, ([value, inner]) => ({ if: is([value]), then: translate(inner, ofEach) }))
    return { ...(schema.has('type') ? {} : { type: 'object' }), allOf: [is([...schemas.keys()]), ...parts] }
  }
}

/** The alternatives beside one that is null; undefined if there is none, or if another one may be null as well. */
function withoutNull(all: readonly Schema[], keyword: 'oneOf' | 'anyOf'): Schema[] | undefined {
  const others = all.filter(({ isNull }) => !isNull)
  if (others.length === all.length || others.length === 0) return undefined
  if (keyword === 'anyOf') return others
  const refuseNull = others.every((schema) => {
    const type = schema.get('type')
    return typeof type === 'string' && type !== 'null' && !schema.isNullable
  })
  return all.length === others.length + 1 && refuseNull ? others : undefined
}

/** A schema that also accepts null. Its default stays where the validators look for it. */
function orNull({ default: value, ...schema }: Translated): Translated {
  return { ...(value === undefined ? {} : { default: value }), if: { type: 'null' }, then: {}, else: schema }
}
