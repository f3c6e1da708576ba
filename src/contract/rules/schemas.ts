import { exactText } from '../integers.ts'
import { isKnownFormat, knownFormats } from '../model/formats.ts'
import { applicators } from '../model/keywords.ts'
import { distance, nearest } from '../model/nearest.ts'
import { nodeOf, type Node, type Path } from '../model/node.ts'
import { circularSchemas, endlessSchemas } from '../model/recursion.ts'
import { isReference, locate } from '../model/reference.ts'
import type { Schema } from '../model/schema.ts'
import { discriminated } from '../model/discriminator.ts'
import { isMisspeltReference } from './structure.ts'
import { type Report, rule } from './rule.ts'

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object']

/** The types of a schema are types. */
export const typesExist = rule({
  id: 'schemas',
  on: 'written',
  stage: 'structure',
  level: 'refused',
  check: ({ kind, node, at: part }, report, { model: { isJsonSchema, version } }) => {
    const { type } = node
    if (kind !== 'schema' || type === undefined || (isReference(node) && !isJsonSchema)) return
    const at = [...part, 'type']
    const known = isJsonSchema ? [...types, 'null'] : types
    const isList = Array.isArray(type)
    if (typeof type !== 'string' && !(isJsonSchema && isList)) {
      const expected = isJsonSchema ? 'a string or an array' : 'a string'
      report(at, `OpenAPI ${version}: type must be ${expected}.`)
      return
    }
    for (const one of [type].flat()) {
      if (known.includes(String(one))) continue
      const near = nearest(String(one), known)
      const fix = near === undefined ? `Write one of ${known.join(', ')}.` : `Did you mean ${near}?`
      report(at, `There is no type ${JSON.stringify(one)}.`, { fix })
    }
    if (isList && type.length === 0) report(at, 'The list has no types, so no value is valid.', { fix: 'Add types.' })
    if (isList && new Set(type).size < type.length) report(at, 'The list has a type twice.', { fix: 'Take one away.' })
  },
})

/** A list of OpenAPI 3.0 has items. */
export const itemsOfLists = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'wrong',
  check: (schema, report, { model }) => {
    if (model.isJsonSchema || schema.get('type') !== 'array' || schema.has('items')) return
    report([...schema.at, 'type'], 'The array has no items.', { fix: 'Add the schema of its items.' })
  },
})

/** An enum has different values. */
export const enums = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'refused',
  check: (schema, report, { model }) => {
    const { at, enum: values } = schema
    if (values === undefined) return
    const written = nodeOf(locate(model.document.source, at).value)
    if (Object.hasOwn(written, 'const')) {
      if (Array.isArray(written.enum) && values.length === 0) {
        const message = 'The const is not a value of the enum, so no value is valid.'
        report([...at, 'const'], message, { fix: 'Correct one of the two.' })
      }
      return
    }
    if (values.length === 0) {
      const fix = 'Add values, or take it away.'
      report([...at, 'enum'], 'The enum has no values, so no value is valid.', { fix })
    }
    const texts = values.map((value) => exactText([value]))
    for (const [index, text] of texts.entries()) {
      if (texts.indexOf(text) === index) continue
      const message = `The enum has the value ${text.slice(1, -1)} twice.`
      report([...at, 'enum', String(index)], message, { fix: 'Take one away.', level: 'wrong' })
    }
  },
})

/** A property can be one of an object of JavaScript. */
export const names = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'refused',
  check: (schema, report) => {
    if (!Object.hasOwn(nodeOf(schema.get('properties')), '__proto__')) return
    const fix = 'Choose another name: JavaScript gives this one a meaning of its own.'
    report([...schema.at, 'properties', '__proto__'], 'A property cannot have the name __proto__.', { fix })
  },
})

/** The validators can fill in a default. */
export const defaults = rule({
  id: 'engine',
  on: 'schema',
  stage: 'schemas',
  level: 'unserved',
  check: (schema, report) => {
    if (typeof schema.get('default') === 'bigint')
      report([...schema.at, 'default'], 'A default beyond 2^53 - 1 is not supported.')
  },
})

/** A schema can be checked, and some value of it ends. */
export const recursion = rule({
  id: 'schemas',
  on: 'document',
  stage: 'schemas',
  level: 'refused',
  check: (model, report) => {
    for (const { at } of circularSchemas(model)) {
      const message = 'The schema contains itself for the same value, so no check of it would end.'
      report(at, message, { fix: 'Put a property or items between, or take the circle away.' })
    }
    for (const { at } of endlessSchemas(model)) {
      const message = 'Each value of the schema needs another one in it, so no value ever ends.'
      const fix = 'Make the property optional or nullable, or allow an empty list.'
      report(at, message, { fix, level: 'wrong' })
    }
  },
})

/** The formats of values are known. */
export const formats = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'warned',
  check: ({ node, at }, report) => {
    const { type, format } = node
    if (typeof format !== 'string' || typeof type !== 'string' || isKnownFormat(format, type as 'string')) return
    const near = nearestFormat(format, type)
    if (near === undefined)
      report([...at, 'format'], `The format ${format} of this ${type} is not checked.`, { level: 'noted' })
    else report([...at, 'format'], `There is no format ${format}.`, { fix: `Did you mean ${near}?` })
  },
})

/** The format that is meant by one that differs in a letter or a sign, such as `datetime`. */
function nearestFormat(format: string, type: string): string | undefined {
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const known = knownFormats(type)
  const same = known.find((one) => bare(one) === bare(format))
  if (same !== undefined) return same
  const near = nearest(format, known)
  return near !== undefined && distance(near, format) === 1 ? near : undefined
}

const ofTypes: Readonly<Record<string, readonly string[]>> = {
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern'],
  array: ['minItems', 'maxItems', 'uniqueItems', 'items', 'prefixItems', 'contains', 'minContains', 'maxContains'],
  object: ['minProperties', 'maxProperties', 'required', 'properties', 'additionalProperties', 'patternProperties'],
}

const values: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a string',
  array: 'a list',
  object: 'an object',
}

/** Keywords have an effect on values of the type beside them. */
export const effects = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'warned',
  check: (schema, report) => {
    const named = schema.types.map((type) => (type === 'integer' ? 'number' : type)).filter((type) => type !== 'null')
    if (named.length === 0) return
    for (const [type, keywords] of Object.entries(ofTypes)) {
      if (named.includes(type)) continue
      for (const keyword of keywords) {
        if (!schema.has(keyword)) continue
        const what = named.map((one) => values[one] ?? `a ${one}`).join(' or ')
        const message = `${keyword} has no effect on ${what}.`
        report([...schema.at, keyword], message, { fix: 'Take it away, or correct the type.' })
      }
    }
  },
})

const keywords = [
  ...Object.keys(applicators),
  ...Object.values(ofTypes).flat(),
  ...['type', 'format', 'enum', 'const', 'default', 'title', 'description', 'example', 'examples', 'nullable'],
  ...[
    'deprecated',
    'readOnly',
    'writeOnly',
    'discriminator',
    'xml',
    'externalDocs',
    'dependentRequired',
    'dependencies',
  ],
  ...['contentEncoding', 'contentMediaType', 'additionalItems', '$ref', '$id', '$schema', '$anchor', '$comment'],
  ...['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary', 'id'],
]

/** No keyword of JSON Schema is misspelt: one that is not known says nothing. */
export const misspelt = rule({
  id: 'schemas',
  on: 'written',
  stage: 'references',
  level: 'warned',
  check: ({ kind, node, at }, report, { model: { isJsonSchema } }) => {
    if (kind !== 'schema' || !isJsonSchema) return
    for (const [key, value] of Object.entries(node)) {
      if (keywords.includes(key) || key.startsWith('x-')) continue
      if (isMisspeltReference(key, value)) {
        report([...at, key], `${key} is no keyword.`, { fix: 'Write $ref.', level: 'wrong' })
        continue
      }
      const near = nearest(key, keywords)
      if (near === undefined || node[near] !== undefined || Math.abs(near.length - key.length) > 2) continue
      report([...at, key], `${key} is no keyword, and says nothing.`, { fix: `Did you mean ${near}?` })
    }
  },
})

/** No part of an allOf refuses what another one has. */
export const closedParts = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'wrong',
  check: (schema, report) => {
    const parts = schema.schemas('allOf')
    for (const [index, part] of parts.entries()) {
      if (part.others('additionalProperties') !== false) continue
      const others = [schema, ...parts].filter((other) => other !== part).flatMap((one) => [...one.properties.keys()])
      const refused = others.filter((name) => !part.properties.has(name))
      if (refused.length === 0) continue
      const message = `This part of the allOf is closed and refuses ${refused.join(', ')}, which other parts have.`
      const fix = 'Take additionalProperties: false away from the part.'
      report([...schema.at, 'allOf', String(index)], message, { fix })
    }
  },
})

/** A discriminator names a property, and schemas. */
export const discriminators = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'wrong',
  check: (schema, report, { model }) => {
    const { at, discriminator } = schema
    if (!discriminator) return
    const choices = [...schema.schemas('oneOf'), ...schema.schemas('anyOf')].filter((one) => !one.isNull)
    const lacks = (one: Schema): boolean => !hasProperty(one, discriminator.propertyName, new Set())
    if (choices.length > 0 ? lacks(schema) && choices.some(lacks) : lacks(schema)) {
      const owner = choices.length > 0 ? 'an alternative' : 'the schema'
      const message = `The discriminator names the property ${discriminator.propertyName}, which ${owner} does not have.`
      report([...at, 'discriminator'], message, { fix: 'Add the property, or correct the name.' })
    }
    const keyword = (['oneOf', 'anyOf'] as const).find((one) => schema.has(one))
    if (!keyword || !discriminated(schema, schema.schemas(keyword))) {
      const message = 'This discriminator chooses no schema; the value is checked against the others.'
      report([...at, 'discriminator'], message, { level: 'noted' })
    }
    checkMapping(schema, discriminator.mapping, choices, model.components('schemas'), report)
  },
})

function hasProperty({ target }: Schema, name: string, seen: Set<Schema>): boolean {
  if (seen.has(target)) return false
  seen.add(target)
  return (
    target.properties.has(name) ||
    target.schemas('allOf').some((part) => hasProperty(part, name, seen)) ||
    (['oneOf', 'anyOf'] as const).some((keyword) => {
      const choices = target.schemas(keyword)
      return choices.length > 0 && choices.every((one) => hasProperty(one, name, new Set(seen)))
    })
  )
}

/** Values of a discriminator lead to schemas that are alternatives. */
function checkMapping(
  schema: Schema,
  mapping: ReadonlyMap<string, string>,
  choices: readonly Schema[],
  schemas: Node,
  report: Report,
): void {
  const targets = new Set(choices.map(({ target }) => target))
  for (const [value, name] of mapping) {
    const isName = Object.hasOwn(schemas, name)
    const target =
      isName || name.includes('#') ? schema.refer(isName ? `#/components/schemas/${name}` : name).target : undefined
    const at: Path = [...schema.at, 'discriminator', 'mapping', value]
    if (!target || target.reference !== undefined || target.at === schema.at) {
      const near = nearest(name.replace(/^.*\//, ''), Object.keys(schemas))
      const fix = near === undefined ? 'Correct it.' : `Did you mean "#/components/schemas/${near}"?`
      report(at, 'The mapping leads to no schema.', { fix })
    } else if (choices.length > 0 && !targets.has(target)) {
      const fix = 'Add it to the alternatives, or correct the mapping.'
      report(at, 'The mapping leads to a schema that is no alternative.', { fix })
    }
  }
}
