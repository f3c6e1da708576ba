import type { ErrorObject } from 'ajv'
import { stringify } from 'lossless-json'
import { formatRule } from '../model/formats.ts'
import { pathOf, type Node } from '../model/node.ts'
import { Value } from '../model/value.ts'
import type { EitherParams } from './error-selection.ts'
import { alternativeNames, numericKeyword, patternMessage } from './keywords.ts'

/** The most faults that a message names: a large body must not cause a large answer. */
const maxFaults = 10

/** The longest place of a fault, in characters: of a longer one, the middle is left out. */
const maxPlace = 200

/** The most values that a message lists. */
const maxListed = 20

/**
 * One sentence that names each fault and its place: `body.name is required; query.limit must be <= 100.` For a value
 * that is not a whole request, `root` is its name.
 */
export function describeFaults(errors: readonly ErrorObject[], root?: string): string {
  return `${faultTexts(errors, root).join('; ')}.`
}

/** What the sentence of `describeFaults` says of each fault; the last text says if there are more. */
export function faultTexts(errors: readonly ErrorObject[], root?: string): string[] {
  const texts = [...new Set(errors.slice(0, 10 * maxFaults).map((error) => describe(error, root)))]
  const [first] = errors
  // other faults begin with the name of a place, which is written as it is
  const isPlaced = first?.keyword !== 'required' || placeFor(first.instancePath, root) !== ''
  if (!isPlaced) texts[0] = texts[0]?.replace(/^./, (letter) => letter.toUpperCase()) ?? ''
  return texts.length > maxFaults ? [...texts.slice(0, maxFaults), 'and more'] : texts
}

function describe(error: ErrorObject, root: string | undefined): string {
  const place = placeFor(error.instancePath, root)
  const { missingProperty, additionalProperty, unevaluatedProperty, property, either } = error.params as Params
  switch (error.keyword) {
    case 'required':
      return place === '' ? 'a body is required' : `${inside(place, missingProperty)} is required`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${inside(place, additionalProperty ?? unevaluatedProperty)} is not a ${place === 'query' ? 'parameter of this operation' : 'known field'}`
    case 'dependentRequired':
      return `${inside(place, missingProperty)} is required beside ${inside(place, property)}`
    case 'oneOf':
    case 'anyOf':
      if (either) return eitherText(either.map((one) => describe(one, root)))
  }
  const { propertyName } = error
  const whole = propertyName === undefined ? place : `the name of ${inside(place, propertyName)}`
  return `${whole} ${ruleOf(error)}`
}

type Params = Partial<EitherParams> & Record<string, unknown>

/** Faults of which a value has one or another; how they begin is said once: `body must be a string or null`. */
function eitherText(texts: readonly string[]): string {
  const [first = '', ...others] = new Set(texts)
  const begins = [/^.* must be /, /^.* (?=must )/].flatMap((pattern) => pattern.exec(first) ?? [])
  const shared = begins.find((begin) => others.every((text) => text.startsWith(begin))) ?? ''
  return [first, ...others.map((text) => text.slice(shared.length))].join(' or ')
}

/** What a value must be, after its name. */
function ruleOf({ keyword, params, message, schema, parentSchema }: ErrorObject): string {
  const { allowedValues, limit, type, minContains } = params as Params
  switch (keyword) {
    case 'unevaluatedItems':
      return limit === undefined ? 'is no item that the contract gives' : `must have at most ${counted(limit, 'item')}`
    case 'type':
      return `must be ${typesText(type)}`
    case 'enum':
      return `must be ${oneOf(allowedValues)}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${counted(limit, 'character')}`
    case 'maxLength':
      return `must have at most ${counted(limit, 'character')}`
    case 'minItems':
      return `must have at least ${counted(limit, 'item')}`
    case 'maxItems':
      return `must have at most ${counted(limit, 'item')}`
    case 'minProperties':
      return `must have at least ${counted(limit, 'field')}`
    case 'maxProperties':
      return `must have at most ${counted(limit, 'field')}`
    case 'contains': {
      const most = params.maxContains === undefined ? '' : ` and at most ${String(params.maxContains)}`
      return `must have at least ${counted(minContains, 'item')}${most} of the form that the contract gives`
    }
    case 'uniqueItems':
      return `must not have the same item twice (items ${String(params.i)} and ${String(params.j)})`
    case 'multipleOf':
      return `must be a multiple of ${String(params.multipleOf)}`
    case 'format':
      return formatFault(params, message)
    case 'not':
      return exclusionOf(Value.of(schema).node)
    case 'anyOf':
    case 'oneOf':
      return choiceRule(keyword, params, Value.of(parentSchema).get(alternativeNames, keyword))
    case 'pattern':
      return patternRule(Value.of(parentSchema).node)
    default:
      return message ?? 'is not valid'
  }
}

function choiceRule(keyword: 'oneOf' | 'anyOf', { passingSchemas }: Params, names: unknown): string {
  if (!Array.isArray(names)) {
    return `must be in ${keyword === 'oneOf' ? 'exactly ' : ''}one of the forms that the contract gives`
  }
  if (!Array.isArray(passingSchemas)) return `must be one of: ${listed(names)}`
  const both = passingSchemas.map((index: number) => String(names[index]))
  return `must be exactly one of: ${listed(names)}, and is both ${both.join(' and ')}`
}

/** What a value must not be, by the schema of a `not`. */
function exclusionOf({ [numericKeyword]: rule, ...own }: Node): string {
  const schema = { ...own, ...Value.of(rule).node }
  const keywords = Object.keys(schema).filter((keyword) => schema[keyword] !== undefined)
  const has = (...all: string[]): boolean => keywords.every((keyword) => all.includes(keyword))
  if (keywords.length === 0) return 'must not be given'
  if (has('type')) return `must not be ${typesText(schema.type)}`
  if (has('type', 'enum')) return `must not be ${oneOf(schema.enum)}`
  const fields = Value.of(schema.required).list.map(quotedName)
  if (has('required')) return `must not have ${fields.join(' and ')}${fields.length > 1 ? ' together' : ''}`
  return 'must not be what the contract excludes'
}

function typesText(types: unknown): string {
  return String(types).split(',').map(article).join(' or ')
}

function oneOf(values: unknown): string {
  const texts = Value.of(values).list.map(valueText)
  return texts.length === 1 ? (texts[0] ?? '') : `one of ${listed(texts)}`
}

function listed(texts: readonly string[]): string {
  if (texts.length <= maxListed) return texts.join(', ')
  return `${texts.slice(0, maxListed).join(', ')} and ${texts.length - maxListed} more`
}

/** A value of the contract: a text without quotes only where that is no other value, and has an end. */
function valueText(value: unknown): string {
  return typeof value === 'string' && /^(?!null$|true$|false$)[^\s\d",-][^\s",]*$/.test(value)
    ? value
    : (stringify(value) ?? '')
}

function patternRule(schema: Record<string, unknown>): string {
  const message = schema[patternMessage]
  return typeof message === 'string' ? message : 'is not in the form that the contract gives'
}

function formatFault(params: Record<string, unknown>, message: string | undefined): string {
  // an integer without a format
  if ('format' in params && params.format === undefined) return 'must be between -(2^53 - 1) and 2^53 - 1'
  return formatRule(String(params.format)) ?? message ?? 'is not valid'
}

function counted(limit: unknown, noun: string): string {
  return `${String(limit)} ${noun}${limit === 1 ? '' : 's'}`
}

function article(type: string): string {
  if (type === 'null') return type
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** Turns `/requestBody/tags/0` into `body.tags.0`. */
function placeFor(instancePath: string, root: string | undefined): string {
  const keys = pathOf(instancePath)
  const first = root ?? keys.shift() ?? ''
  const place = keys.reduce(inside, first === 'requestBody' ? 'body' : first)
  return place.length > maxPlace
    ? `${place.slice(0, maxPlace / 2)}…${place.slice(-maxPlace / 2)}`.toWellFormed()
    : place
}

/** The place of a part with a name: `body.name`, or `body["a b"]` where the name could be taken for something else. */
export function inside(place: string, name: unknown): string {
  const shown = quotedName(name)
  if (shown.startsWith('"')) return `${place}[${shown}]`
  return shown.includes('.') ? `${place}["${shown}"]` : `${place}.${shown}`
}

/** A name from the client for a message: shortened, and without characters that could fake a line of the log. */
export function quotedName(text: unknown): string {
  const plain = String(text)
  const shown = /^[\w$.[\]-]{1,64}$/.test(plain) ? plain : JSON.stringify(plain.slice(0, 64).toWellFormed())
  return shown.replace(/[\u007f-\u009f\u2028\u2029]/g, '?')
}
