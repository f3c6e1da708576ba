import { stringify } from 'lossless-json'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { transform } from '../../../src/contract/model/transform.ts'
import type { Node } from '../../../src/contract/model/node.ts'

/** A contract of OpenAPI 3.0 in the spelling of OpenAPI 3.1, as JSON. */
export function movedTo31(text: string): string {
  const { source } = parseContract(text, 'openapi.yaml')
  const moved = transform(source, (value, kind) =>
    typeof value === 'object' && kind === 'schema' ? schemaOf(value) : value,
  ) as Node
  return stringify({ ...moved, openapi: '3.1.0' }, null, 2) ?? ''
}

function schemaOf({ type, nullable, example, enum: values, ...schema }: Node): Node {
  const only = Array.isArray(values) && values.length === 1 ? { const: values[0] as unknown } : { enum: values }
  return {
    ...(type !== undefined && { type: nullable === true ? [type, 'null'] : [type] }),
    ...(example !== undefined && { examples: [example] }),
    ...(values !== undefined && only),
    ...schema,
    ...limitOf(schema, 'minimum', 'exclusiveMinimum'),
    ...limitOf(schema, 'maximum', 'exclusiveMaximum'),
  }
}

function limitOf(schema: Node, inclusive: string, exclusive: string): Node {
  return schema[exclusive] === true ? { [exclusive]: schema[inclusive], [inclusive]: undefined } : {}
}
