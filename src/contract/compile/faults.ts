import type { ErrorObject } from 'ajv'
import { stringify } from 'lossless-json'
import { nodeOf, pathOf } from '../document/tree.ts'
import { patternMessage } from './schemas/schema.ts'

/** The most faults that a message names: a large body must not cause a large answer. */
const maxFaults = 10

/**
 * One sentence that names each fault and its place: `body.name is required; query.limit must be <= 100.` For a value
 * that is not a whole request, `root` is its name.
 */
export function describeFaults(errors: readonly ErrorObject[], root?: string): string {
  const first = errors.slice(0, 10 * maxFaults)
  const useful = first.filter((error) => {
    const others = first.filter((other) => other !== error && other.instancePath === error.instancePath)
    // told of the name, not of what is wrong with it; and a condition fails only with what depends on it
    if (error.propertyName !== undefined || error.keyword === 'if') return false
    // when a value has another fault, its pattern tells nothing new, nor its type beside the values that it may have
    if (error.keyword === 'pattern') return others.every(({ keyword }) => keyword === 'pattern')
    return error.keyword !== 'type' || others.every(({ keyword }) => keyword !== 'enum')
  })
  const told = [...new Set(useful.map((error) => describe(error, root)))]
  const rest = errors.length > maxFaults && told.length > maxFaults ? '; and more' : ''
  return `${told.slice(0, maxFaults).join('; ')}${rest}.`
}

function describe(error: ErrorObject, root: string | undefined): string {
  const { keyword, params, message } = error
  const place = placeFor(error.instancePath, root)
  const { missingProperty, additionalProperty, allowedValues, allowedValue, limit } = params as Record<string, unknown>
  switch (keyword) {
    case 'required':
      return place === '' ? 'a body is required' : `${place}.${quotedName(missingProperty)} is required`
    case 'additionalProperties':
      return place === 'query'
        ? `query.${quotedName(additionalProperty)} is not a parameter of this operation`
        : `${place}.${quotedName(additionalProperty)} is not a known field`
    case 'unevaluatedProperties':
      return `${place}.${quotedName(params.unevaluatedProperty)} is not a known field`
    case 'dependentRequired':
      return `${place}.${quotedName(missingProperty)} is required beside ${place}.${quotedName(params.property)}`
    case 'propertyNames':
      return `${place}.${quotedName(params.propertyName)} has a name that the contract does not allow`
    case 'unevaluatedItems':
      return `${place} must have at most ${String(limit)} items`
    case 'type':
      return `${place} must be ${String(params.type).split(',').map(article).join(' or ')}`
    case 'enum':
      return `${place} must be one of ${(allowedValues as unknown[]).map(valueText).join(', ')}`
    case 'const':
      return `${place} must be ${stringify(allowedValue) ?? ''}`
    case 'minLength':
      return limit === 1 ? `${place} must not be empty` : `${place} must have at least ${counted(limit, 'character')}`
    case 'maxLength':
      return `${place} must have at most ${counted(limit, 'character')}`
    case 'minItems':
      return `${place} must have at least ${counted(limit, 'item')}`
    case 'maxItems':
      return `${place} must have at most ${counted(limit, 'item')}`
    case 'minProperties':
      return `${place} must have at least ${counted(limit, 'field')}`
    case 'maxProperties':
      return `${place} must have at most ${counted(limit, 'field')}`
    case 'uniqueItems':
      return `${place} must not have the same item twice (items ${String(params.i)} and ${String(params.j)})`
    case 'multipleOf':
      return `${place} must be a multiple of ${String(params.multipleOf)}`
    case 'format':
      return `${place} ${formatRule(params, message)}`
    case 'not':
      return `${place} must not be what the contract excludes`
    case 'anyOf':
      return `${place} must be in one of the forms that the contract gives`
    case 'oneOf':
      return `${place} must be in exactly one of the forms that the contract gives`
    case 'pattern':
      return `${place} ${patternRule(nodeOf(error.parentSchema))}`
    default:
      return `${place} ${message ?? 'is not valid'}`
  }
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (stringify(value) ?? '')
}

function patternRule(schema: Record<string, unknown>): string {
  const message = schema[patternMessage]
  return typeof message === 'string' ? message : 'is not in the form that the contract gives'
}

/** What values of a format look like. */
const formats: Readonly<Record<string, string>> = {
  'date-time': 'must be a date and time such as 2026-11-28T09:30:00Z',
  date: 'must be a date such as 2026-11-28',
  time: 'must be a time with its offset such as 09:30:00Z',
  duration: 'must be a duration such as P3DT12H',
  email: 'must be an email address',
  hostname: 'must be a host name',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
  uri: 'must be a URI such as https://example.com/a',
  'uri-reference': 'must be a URI or a relative reference',
  regex: 'must be a regular expression',
  uuid: 'must be a UUID such as 8e03978e-40d5-43dd-bc93-6894a57f9324',
  byte: 'must be in base64',
  int32: 'must fit in 32 bits',
  int64: 'must fit in 64 bits',
}

function formatRule(params: Record<string, unknown>, message: string | undefined): string {
  // an integer without a format
  if ('format' in params && params.format === undefined) return 'must be between -(2^53 - 1) and 2^53 - 1'
  return formats[String(params.format)] ?? message ?? 'is not valid'
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
  const keys = pathOf(instancePath).map(quotedName)
  if (root !== undefined) keys.unshift(root)
  else if (keys[0] === 'requestBody') keys[0] = 'body'
  return keys.join('.')
}

/** A name from the client for a message: shortened, and without characters that could fake a line of the log. */
export function quotedName(text: unknown): string {
  const plain = String(text)
  const shown = /^[\w$.[\]-]{1,64}$/.test(plain) ? plain : JSON.stringify(plain.slice(0, 64).toWellFormed())
  return shown.replace(/[\u007f-\u009f\u2028\u2029]/g, '?')
}
