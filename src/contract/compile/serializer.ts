import build from 'fast-json-stringify'
import type { PlaceText } from '../document/document.ts'
import { serializerSchema, type Schema } from './schema.ts'

export type Serialize = (body: unknown) => string

/**
 * Compiles schemas of responses into functions that write bodies. They write each digit of a `bigint`, and leave out
 * fields that the schema does not declare. A schema that is not supported throws an error that begins with `place`.
 * Equal schemas share one function; most failures do.
 */
export function serializers(): (schema: Schema, place: PlaceText) => Serialize {
  const known = new Map<string, Serialize>()
  return (schema, place) => {
    const written = serializerSchema(schema, place)
    const name = JSON.stringify(written)
    const serialize = known.get(name) ?? build(written)
    known.set(name, serialize)
    return serialize
  }
}
