import type { ErrorObject } from 'ajv'
import { describeFaults } from '../exchange/error-messages.ts'
import { fixOfName, nearest } from '../model/nearest.ts'
import { isNode, pathOf, type Path } from '../model/node.ts'
import { isReference } from '../model/reference.ts'
import { Value } from '../model/value.ts'
import type { Part } from '../model/visit.ts'
import type { Definition, JsonSchema } from './definitions.ts'

/** What is said of a fault. */
export interface Said {
  /** The keys from the part to what is wrong. */
  at: Path
  message: string
  fix?: string
}

/** What is wrong by an error of a definition. */
export function sentence(error: ErrorObject, part: Part, of: { definition: Definition; version: string }): Said {
  const { keyword, instancePath, params, schema } = error
  const at = pathOf(instancePath)
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unexpected(unexpectedKeys([error])[0] ?? '', at, error, part, of)
    case 'false schema':
      return unexpected(at.at(-1) ?? '', at.slice(0, -1), error, part, of)
    case 'required':
      return {
        at,
        message: `The field \`${String(params.missingProperty)}\` must be present on this level.`,
        fix: 'Add it.',
      }
    case 'enum':
    case 'const':
      return unknownValue(at, keyword === 'const' ? [schema] : (schema as unknown[]), error.data)
    case 'oneOf':
    case 'anyOf':
      return choice(at, error)
    case 'not':
      return excluded(at, error)
    case 'uniqueItems':
      return twice(at, error)
    case 'exclusiveMinimum':
      if (at.at(-1) === 'multipleOf')
        return {
          at,
          message: `multipleOf ${String(error.data)} is not above 0.`,
          fix: 'Write a number above 0, or take it away.',
        }
      break
    case 'pattern':
      if (part.kind === 'components')
        return {
          at: [...at, String(error.propertyName)],
          message: `The name ${String(error.propertyName)} of a component has other characters than letters, digits, ".", "-" and "_".`,
          fix: 'Choose another name.',
        }
  }
  return { at, message: `OpenAPI ${of.version}: ${described(error, part, at)}` }
}

function described(error: ErrorObject, part: Part, at: Path): string {
  const [last = part.at.at(-1) ?? 'the contract', parent = part.at.at(at.length === 1 ? -1 : -2) ?? ''] = [
    ...at,
  ].reverse()
  if (last === '$ref') return `${parent} must not be a $ref.`
  // a position says nothing without the name of its list
  const name = /^\d+$/.test(last) ? `${parent}.${last}` : last
  return describeFaults([{ ...error, instancePath: '' }], name)
}

function unexpected(
  key: string,
  at: Path,
  error: ErrorObject,
  part: Part,
  of: { definition: Definition; version: string },
): Said {
  const where = [...at, key]
  const value = Value.of(error.data).get(key)
  if (isMisspeltReference(key, value)) return { at: where, message: `${key} is no keyword.`, fix: 'Write $ref.' }
  const [last] = [...part.at, ...at].slice(-1)
  if (last === 'responses' && part.kind === 'operation') {
    const message = `OpenAPI ${of.version}: responses.${key} must be a status such as 404, a range such as 4XX, or default.`
    return { at: where, message }
  }
  if (last === 'paths' && part.kind === 'document') {
    return { at: where, message: `The path ${key} does not begin with a slash.`, fix: `Write /${key}.` }
  }
  if ((part.kind === 'parameter' || part.kind === 'header') && schemaKeys.includes(key)) {
    const message = `Property \`${key}\` is not expected here, but in its schema.`
    return { at: where, message, fix: 'Put it there: "schema: { … }".' }
  }
  const known = keysAround(error, of.definition).filter((name) => Value.of(error.data).get(name) === undefined)
  const near = nearest(key, known)
  const fix = near === undefined || near === key ? 'Take it away, or correct its name.' : `Did you mean ${near}?`
  return { at: where, message: `Property \`${key}\` is not expected here.`, fix }
}

/** Whether a key with this value is meant as `$ref`. */
export function isMisspeltReference(key: string, value: unknown): boolean {
  return /^[$#]?_?ref$/i.test(key) && key !== '$ref' && typeof value === 'string' && value.includes('#/')
}

function unknownValue(at: Path, values: readonly unknown[], data: unknown): Said {
  const name = at.at(-1) ?? ''
  const texts = values.map(String)
  const message = `\`${name}\` can be one of the following only: ${texts.map((text) => JSON.stringify(text)).join(', ')}.`
  const fix = 'Write one of them.'
  return { at, message, fix: typeof data === 'string' ? fixOfName(data, texts, fix) : fix }
}

function choice(at: Path, { schema, params }: ErrorObject): Said {
  const keys = [...new Set((schema as JsonSchema[]).flatMap(keysOf))]
  if (Array.isArray(params.passingSchemas)) return together(at, keys)
  const message = `One of the fields ${quoted(keys).join(', ')} must be present on this level.`
  return { at, message, fix: 'Add one.' }
}

function excluded(at: Path, { schema, propertyName }: ErrorObject): Said {
  const keys = keysOf(schema as JsonSchema)
  if (keys.length > 0) return together(at, keys)
  if (propertyName === undefined) {
    const message = 'A parameter that is the whole query does not go together with parameters of the query.'
    return { at, message, fix: 'Keep one of the two.' }
  }
  const method = propertyName.toLowerCase()
  const message = `${propertyName} is no other method, but has the key ${method}.`
  return { at: [...at, propertyName], message, fix: `Write it under ${method}.` }
}

function together(at: Path, keys: readonly string[]): Said {
  const [first = ''] = keys
  if (first === 'example')
    return { at: [...at, first], message: 'There are an example and examples.', fix: 'Keep one of the two.' }
  const message = `The fields ${quoted(keys).join(' and ')} do not go together.`
  return { at, message, fix: 'Keep one of the two.' }
}

function quoted(keys: readonly string[]): string[] {
  return keys.map((key) => `\`${key}\``)
}

function twice(at: Path, { params, data }: ErrorObject): Said {
  const second = Math.max(Number(params.i), Number(params.j))
  const value = Value.of(data).get(String(second))
  const where = [...at, String(second)]
  const name = isNode(value) ? (isReference(value) ? value.$ref : value.name) : value
  const what =
    at.at(-1) === 'parameters' && !isReference(value)
      ? `The ${String(Value.of(value).get('in'))} parameter ${String(name)}`
      : String(name)
  return { at: where, message: `${what} is declared twice.`, fix: 'Take one away.' }
}

export function keysOf({ required = [] }: JsonSchema): readonly string[] {
  return required
}

/** Keys of a schema that parameters and headers of Swagger 2.0 had themselves. */
export const schemaKeys = 'type format items enum default minimum maximum pattern minLength maxLength'.split(' ')

export function unexpectedKeys(errors: readonly ErrorObject[]): string[] {
  return errors.flatMap(({ params }) => {
    const { additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>
    return additionalProperty ?? unevaluatedProperty ?? []
  })
}

/** The keys that the object around a key may have. */
export function keysAround({ instancePath, parentSchema }: ErrorObject, { keys }: Definition): readonly string[] {
  return instancePath === '' ? keys : Object.keys((parentSchema as JsonSchema).properties ?? {})
}
