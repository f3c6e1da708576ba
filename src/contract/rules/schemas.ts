import { exactText } from '../../integers.ts'
import { isKnownFormat, knownFormats } from '../model/formats.ts'
import { applicators } from '../model/keywords.ts'
import { distance, fixOfName, nearest } from '../model/nearest.ts'
import { circularSchemas, endlessSchemas } from '../model/recursion.ts'
import { isReference } from '../model/reference.ts'
import { isMisspeltReference } from './structure-sentences.ts'
import { ofSchema, type Rule, rule } from './rule.ts'

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object']

/** The types that a schema names exist. */
const typesExist = rule({
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
      const fix = fixOfName(String(one), known, `Write one of ${known.join(', ')}.`)
      report(at, `There is no type ${JSON.stringify(one)}.`, { fix })
    }
    if (isList && type.length === 0) report(at, 'The list has no types, so no value is valid.', { fix: 'Add types.' })
    if (isList && new Set(type).size < type.length) report(at, 'The list has a type twice.', { fix: 'Take one away.' })
  },
})

/** A list of OpenAPI 3.0 has items. */
const itemsOfLists = rule({
  ...ofSchema,
  level: 'wrong',
  check: (schema, report, { model }) => {
    if (model.isJsonSchema || schema.get('type') !== 'array' || schema.has('items')) return
    report([...schema.at, 'type'], 'The array has no items.', { fix: 'Add the schema of its items.' })
  },
})

/** An enum has different values. JSON Schema allows one without any, which no value meets, and equal ones. */
const enums = rule({
  ...ofSchema,
  level: 'refused',
  check: (schema, report, { model }) => {
    const { at, enum: values } = schema
    if (values === undefined) return
    const level = model.isJsonSchema ? 'wrong' : 'refused'
    const written = model.written(at)
    if (written.field('const').isThere) {
      if (Array.isArray(written.get('enum')) && values.length === 0) {
        const message = 'The const is not a value of the enum, so no value is valid.'
        report([...at, 'const'], message, { fix: 'Correct one of the two.', level })
      }
      return
    }
    if (values.length === 0) {
      const fix = 'Add values, or take it away.'
      report([...at, 'enum'], 'The enum has no values, so no value is valid.', { fix, level })
    }
    const texts = values.map((value) => exactText([value]))
    for (const [index, text] of texts.entries()) {
      if (texts.indexOf(text) === index) continue
      const message = `The enum has the value ${text.slice(1, -1)} twice.`
      report([...at, 'enum', String(index)], message, { fix: 'Take one away.', level: 'warned' })
    }
  },
})

/** No property has a name that objects of JavaScript cannot have as a property. */
const names = rule({
  ...ofSchema,
  level: 'refused',
  check: (schema, report) => {
    if (!schema.properties.has('__proto__')) return
    const fix = 'Choose another name: JavaScript gives this one a meaning of its own.'
    report([...schema.at, 'properties', '__proto__'], 'A property cannot have the name __proto__.', { fix })
  },
})

/** Each default is one that the validators can fill in. */
const defaults = rule({
  id: 'engine',
  on: 'schema',
  stage: 'schemas',
  level: 'unserved',
  check: (schema, report) => {
    if (typeof schema.get('default') === 'bigint')
      report([...schema.at, 'default'], 'A default beyond 2^53 - 1 is not supported.')
  },
})

/** No schema contains itself so that its check, or each of its values, would never end. */
const recursion = rule({
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
const formats = rule({
  ...ofSchema,
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
const effects = rule({
  ...ofSchema,
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
const misspelt = rule({
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
const closedParts = rule({
  ...ofSchema,
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

/** The rules on the keywords of schemas. */
export const schemaRules: readonly Rule[] = [
  ...[typesExist, misspelt, itemsOfLists, enums, names],
  ...[defaults, recursion, formats, effects, closedParts],
]
