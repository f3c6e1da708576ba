import type { ErrorObject } from 'ajv'
import { stringify } from 'lossless-json'
import { pathOf } from '../document/tree.ts'

/** The most faults that a message names: a large body must not cause a large answer. */
const maxFaults = 10

/**
 * One sentence that names each fault and its place: `body.name is required; query.limit must be <= 100.` For a value
 * that is not a whole request, `root` is its name.
 */
export function describeFaults(errors: readonly ErrorObject[], root?: string): string {
  const first = errors.slice(0, 10 * maxFaults)
  // when a value has another fault, its pattern tells nothing new
  const useful = first.filter(
    (error) =>
      // told of the name, not of what is wrong with it
      error.propertyName === undefined &&
      // a condition fails only with what depends on it
      error.keyword !== 'if' &&
      (error.keyword !== 'pattern' ||
        first.every((other) => other === error || other.instancePath !== error.instancePath)),
  )
  const told = [...new Set(useful.map((error) => describe(error, root)))]
  const rest = errors.length > maxFaults && told.length > maxFaults ? '; and more' : ''
  return `${told.slice(0, maxFaults).join('; ')}${rest}.`
}

function describe({ instancePath, keyword, params, message }: ErrorObject, root: string | undefined): string {
  const place = placeFor(instancePath, root)
  const { missingProperty, additionalProperty, allowedValues, limit } = params as Record<string, unknown>
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
      return `${place} must be ${[params.type].flat().map(String).map(article).join(' or ')}`
    case 'enum':
      return `${place} must be one of ${(allowedValues as unknown[]).map(valueText).join(', ')}`
    case 'minLength':
      return limit === 1 ? `${place} must not be empty` : `${place} must have at least ${String(limit)} characters`
    case 'maxLength':
      return `${place} must have at most ${String(limit)} characters`
    case 'pattern':
      return `${place} is not in the form that the contract gives`
    default:
      return `${place} ${message ?? 'is not valid'}`
  }
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (stringify(value) ?? '')
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
