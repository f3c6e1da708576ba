import type { ContractModel } from '../../../src/contract/model/model.ts'
import type { Schema } from '../../../src/contract/model/schema.ts'
import { shapeOf } from '../../../src/contract/model/shape.ts'
import { identifier } from '../../../src/store/identifier.ts'
import type { ColumnType } from '../../../src/store/table.ts'

/** How a property of a row is stored; the names are those of `store/table.ts`. */
export type Kind = 'int64' | 'integer' | 'double' | 'boolean' | 'time' | 'text' | 'oneOf' | 'json'

export interface PlannedColumn {
  property: string
  kind: Kind
  /** Whether a row may be without it. */
  optional: boolean
  schema: Schema
}

/** What the engines have for each kind. */
export const storedTypes: Readonly<Record<Kind, ColumnType>> = {
  ...{ int64: 'int64', integer: 'int64', double: 'double', boolean: 'int64' },
  ...{ time: 'text', text: 'text', oneOf: 'text', json: 'text' },
}

/** The columns of a row. Throws a sentence that begins with the place of a schema that has none. */
export function columnsOf(model: ContractModel, row: Schema): PlannedColumn[] {
  const shape = shapeOf(row)
  const alternatives = shape.parts.find((part) => part.schemas('oneOf').length + part.schemas('anyOf').length > 0)
  if (alternatives) {
    throw new Error(
      `${model.place(alternatives.at)} A row is one of several schemas, so it has no columns. ` +
        'Put what differs into a property of an object that has the key: that is stored as JSON.',
    )
  }
  if (shape.isOpen || shape.patterns.length > 0) {
    throw new Error(
      `${model.place(row.target.at)} A row may have properties without a name, which would be lost. ` +
        'Put them into a property of their own: that is stored as JSON.',
    )
  }
  const schemas = new Map<string, Schema>()
  for (const part of shape.parts) for (const [name, schema] of part.properties) schemas.set(name, schema)
  const names = new Map<string, string>()
  return Array.from(schemas, ([property, schema]) => {
    const other = names.get(identifier(property))
    if (other !== undefined) {
      throw new Error(
        `${model.place(schema.at)} ${property} and ${other} would have one column, ${identifier(property)}. Rename one.`,
      )
    }
    names.set(identifier(property), property)
    const isAlways =
      shape.required.has(property) || (schema.reference === undefined && schema.get('default') !== undefined)
    return { property, kind: kindOf(model, schema), optional: !isAlways, schema }
  })
}

function kindOf(model: ContractModel, schema: Schema): Kind {
  const { parts, types } = shapeOf(schema)
  const isNullable = parts.some((part) => part.isNullable || part.types.includes('null') || part.isNull)
  const isMixed = parts.some((part) => part.schemas('oneOf').length + part.schemas('anyOf').length > 0)
  const [type, ...others] = types
  if (parts.some(({ format }) => format === 'binary')) {
    throw new Error(
      `${model.place(schema.at)} Bytes cannot be stored as a property. Send them as base64 (format: byte).`,
    )
  }
  if (isNullable || isMixed || others.length > 0) return 'json'
  const formats = new Set(parts.flatMap(({ format }) => format ?? []))
  switch (type) {
    case 'integer':
      return formats.has('int64') || hasLarge(schema) ? 'int64' : 'integer'
    case 'number':
      return 'double'
    case 'boolean':
      return 'boolean'
    case 'string':
      if (parts.some((part) => part.enum)) return 'oneOf'
      return formats.has('date-time') ? 'time' : 'text'
    default:
      return 'json'
  }
}

/** Whether a value that it names is beyond 2^53 - 1, so that its type is of 64 bits. */
function hasLarge(schema: Schema): boolean {
  return shapeOf(schema).parts.some((part) => part.enum?.some((one) => typeof one === 'bigint') === true)
}
