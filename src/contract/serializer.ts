import build from 'fast-json-stringify'
import { serializerSchema, type Schema } from './schema.ts'

export type Serialize = (body: unknown) => string

/**
 * Compiles the writer of a response body from its schema: exact for `bigint`, and silent about fields that the schema
 * does not declare. A schema it cannot honour throws an error that begins with `place`.
 */
export function serializer(schema: Schema, place: string): Serialize {
  return build(serializerSchema(schema, place))
}
