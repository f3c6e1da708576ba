import type { Operation } from '../../../src/contract/model/operation.ts'
import type { Schema } from '../../../src/contract/model/schema.ts'
import { shapeOf } from '../../../src/contract/model/shape.ts'
import { bodyOf, type ResourcePlan } from './plan.ts'
import { propertyName } from './table-text.ts'

/** What a person still has to write: where the text of a file has it, and what it is. */
export interface Left {
  marker: string
  text: string
}

/** Something left to write, by default where the handler begins. */
export function leftTo(text: string, marker = 'export const'): Left {
  return { marker, text }
}

/** The parts of a handler. */
export interface HandlerText {
  /** Names that it imports, by module. */
  imports: Readonly<Record<string, readonly string[]>>
  /** What it takes of the request. */
  takes: readonly string[]
  lines: readonly string[]
  /** Functions behind it. */
  functions?: readonly string[]
  left?: readonly Left[]
}

/** A row from a body, with the lines before it and the functions that a person writes. */
export interface RowText {
  before: string[]
  row: string
  functions: string[]
  left: Left[]
}

/** How an answer has a row; undefined for an answer that is neither a row nor a property of it. */
export function answerText(plan: ResourcePlan, schema: Schema, row: string): string | undefined {
  if (isRow(plan, schema)) return row
  if (shapeOf(schema).properties.size === 0 && shapeOf(schema).types.has('object')) return '{}'
  const property = propertyOf(plan, schema)
  return property === undefined ? undefined : `${row}${access(property)}`
}

/** The success that a verb answers. */
export interface Success {
  status: string
  /** The body, as text; undefined for none. */
  body: string | undefined
  headers: readonly string[]
}

/** The success of an operation with a row; undefined for one that cannot be made of it. */
export function successOf(
  plan: ResourcePlan,
  operation: Operation,
  { row, status: wanted = /^2\d\d$/ }: { row: string; status?: RegExp },
): Success | undefined {
  const all = [...operation.responses].filter(([one]) => /^2\d\d$/.test(one))
  const [status, response] = all.find(([one]) => wanted.test(one)) ?? []
  if (status === undefined || !response) return undefined
  const headers = [...response.headers.keys()]
  const { answered } = response
  if (!answered) return { status, body: undefined, headers }
  const schema = answered.kind === 'json' ? answered.schema : undefined
  const body = schema && answerText(plan, schema, row)
  return body === undefined ? undefined : { status, body, headers }
}

/** Whether a schema names the properties of a row; the compiler compares their types. */
function isRow({ row }: ResourcePlan, schema: Schema): boolean {
  if (schema.target === row.target) return true
  const [ours, theirs] = [shapeOf(row).properties, shapeOf(schema).properties]
  return theirs.size === ours.size && [...theirs.keys()].every((name) => ours.has(name))
}

/** The only property beside the key, if its schema is this one. */
function propertyOf({ columns, key }: ResourcePlan, schema: Schema): string | undefined {
  const others = columns.filter((one) => one !== key)
  const [only] = others
  return others.length === 1 && only?.schema.target === schema.target ? only.property : undefined
}

function access(property: string): string {
  return propertyName(property) === property ? `.${property}` : `[${propertyName(property)}]`
}

/**
 * The row that the body of an operation means. `key` is the value of the key as text, where it is not in the body: that of
 * the path or of the service.
 */
export function rowText(plan: ResourcePlan, operation: Operation, key: string | undefined): RowText | undefined {
  const schema = bodyOf(operation)
  if (!schema) return undefined
  const isGiven = key === undefined && plan.keyBy === 'engine'
  const own = key === undefined ? [] : [`${propertyName(plan.key.property)}: ${key}`]
  const single = propertyOf(plan, schema)
  if (single !== undefined)
    return { before: [], row: `{ ${[`${propertyName(single)}: body`, ...own].join(', ')} }`, functions: [], left: [] }
  const { properties, required } = shapeOf(schema)
  if (properties.size === 0) return undefined
  const rest = plan.columns.filter((one) => one !== plan.key || (key === undefined && !isGiven))
  const isSure = (name: string): boolean =>
    required.has(name) ||
    shapeOf(schema).parts.some(
      (part) =>
        part.properties.get(name)?.reference === undefined && part.properties.get(name)?.get('default') !== undefined,
    )
  const lacking = rest.filter(({ property, optional }) => !optional && !isSure(property))
  const added = lacking.map(({ property }) => {
    const name = propertyName(property)
    const call = `${functionName(property)}()`
    return `${name}: ${properties.has(property) ? `body${access(property)} ?? ${call}` : call}`
  })
  const drops = isGiven && properties.has(plan.key.property)
  const source = drops ? 'given' : 'body'
  const parts = [...added, ...own]
  return {
    before: drops ? [`const { ${propertyName(plan.key.property)}: _, ...given } = body`] : [],
    row: parts.length === 0 ? source : `{ ...${source}, ${parts.join(', ')} }`,
    functions: lacking.map(({ property }) => missingText(plan, operation, property)),
    left: [
      ...lacking.map(({ property }) => leftTo(`where ${property} comes from`, `function ${functionName(property)}(`)),
      ...notStored(plan, properties),
    ],
  }
}

/** What a body has and no column is for. */
export function notStored({ columns }: ResourcePlan, properties: ReadonlyMap<string, unknown>): Left[] {
  const others = [...properties.keys()].filter((name) => !columns.some(({ property }) => property === name))
  return others.map((name) => leftTo(`what ${name} of the body is for; it is not stored`))
}

function functionName(property: string): string {
  return `new${property.replace(/[^A-Za-z0-9]+/g, '_').replace(/^./, (letter) => letter.toUpperCase())}`
}

function missingText({ name }: ResourcePlan, { operationId }: Operation, property: string): string {
  return `
function ${functionName(property)}(): never {
  throw new Error('${operationId} cannot make ${property} of a row of ${name} yet.')
}
`
}
