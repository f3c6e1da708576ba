import type { Operation, Parameter } from '../../../src/contract/model/operation.ts'
import { shapeOf } from '../../../src/contract/model/shape.ts'
import { isRoadHeader } from '../../../src/contract/road-headers.ts'
import { answerText, leftTo, type HandlerText, type Left } from './message.ts'
import { answerOf, itemsOf, type ResourcePlan } from './plan.ts'
import { propertyName } from './table-text.ts'

/** The most rows of a list whose contract names no number. */
const most = 1000

/** The handler of a list: filters, and pages by the key where the contract has `limit` and `cursor`. */
export function listText(plan: ResourcePlan, operation: Operation): HandlerText | undefined {
  const answer = answerOf(operation)
  const list = itemsOf(operation)
  const item = list && answerText(plan, list.items, 'row')
  if (!answer || !list || item === undefined) return undefined
  const query = operation.parameters.filter((one) => one.in === 'query')
  const named = (name: string): Parameter | undefined => query.find((one) => one.name === name)
  const [limit, cursor] = [named('limit'), named('cursor')]
  const others = query.filter((one) => one !== limit && one !== cursor && !plan.filters.includes(one.name))
  const count = limitText(limit, answer.schema.get('maxItems'))
  const rows =
    item === 'row' ? (name: string): string => name : (name: string): string => `${name}.map((row) => ${item})`
  const body = (name: string): string =>
    list.property === undefined ? rows(name) : `{ ${propertyName(list.property)}: ${rows(name)} }`
  const filters = plan.filters.map(
    (name) => `${propertyName(name)}: query${propertyName(name) === name ? `.${name}` : `[${propertyName(name)}]`}`,
  )
  const headers = [...(operation.responses.get(answer.status)?.headers.keys() ?? [])].filter(
    (name) => !isRoadHeader(name),
  )
  const left: Left[] = [
    ...others.map(({ name }) => leftTo(`what the parameter ${name} does`)),
    ...(limit || answer.schema.get('maxItems') !== undefined
      ? []
      : [leftTo(`the end of the list: the contract has no limit, so at most ${most} are answered`, String(most))]),
  ]
  if (!cursor || !limit) {
    return {
      imports: {},
      takes: query.length > others.length ? ['query'] : [],
      lines: [
        `const found = await ${plan.name}.list({ ${[`limit: ${count}`, ...filters].join(', ')} })`,
        `return { status: ${answer.status}, body: ${body('found')} }`,
      ],
      left: [...left, ...headers.map((name) => leftTo(`the header ${name}`))],
    }
  }
  const known: Readonly<Record<string, string>> = {
    link: "link('next', address, { ...query, cursor: next })",
    'x-next-cursor': 'next',
  }
  const set = headers.flatMap((name) =>
    known[name.toLowerCase()] === undefined ? [] : `'${name}': ${known[name.toLowerCase()]}`,
  )
  const needsLink = set.some((one) => one.includes('link('))
  return {
    imports: { '../api-error.ts': ['invalidRequest'], '../contract/link.ts': needsLink ? ['link'] : [] },
    takes: ['query', ...(needsLink ? ['address'] : [])],
    lines: [
      `const limit = ${count}`,
      'const after = query.cursor === undefined ? undefined : readCursor(query.cursor)',
      `const found = await ${plan.name}.list({ ${['limit: limit + 1', 'after', ...filters].join(', ')} })`,
      'const page = found.slice(0, limit)',
      'const last = page.at(-1)',
      `if (!last || found.length <= limit) return { status: ${answer.status}, body: ${body('page')} }`,
      `const next = Buffer.from(${keyText(plan)}).toString('base64url')`,
      `return { status: ${answer.status}, body: ${body('page')}${set.length > 0 ? `, headers: { ${set.join(', ')} }` : ''} }`,
    ],
    functions: [cursorText(plan)],
    left: [
      ...left,
      ...headers.flatMap((name) => (known[name.toLowerCase()] === undefined ? leftTo(`the header ${name}`) : [])),
      ...(set.length === 0 ? [leftTo('where the answer has the cursor of the next page', 'const next')] : []),
      ...(cursor.schema?.get('pattern') === undefined
        ? []
        : [leftTo('a cursor that has the pattern of the contract', 'const next')]),
    ],
  }
}

/** The key of the last row as text. */
function keyText({ key }: ResourcePlan): string {
  const value = `last.${key.property}`
  return key.kind === 'text' || key.kind === 'oneOf' ? value : `String(${value})`
}

function limitText(limit: Parameter | undefined, maxItems: unknown): string {
  const last = typeof maxItems === 'number' ? maxItems : most
  if (!limit?.schema) return String(last)
  const maximum = limit.schema.get('maximum')
  const fallback =
    limit.schema.get('default') === undefined ? ` ?? ${typeof maximum === 'number' ? maximum : last}` : ''
  const isLarge = shapeOf(limit.schema).parts.some(({ format }) => format === 'int64')
  return isLarge ? `Number(query.limit${fallback})` : `query.limit${fallback}`
}

/** Reads a cursor, which is the key of the last row before. */
function cursorText({ key }: ResourcePlan): string {
  const isText = key.kind === 'text' || key.kind === 'oneOf'
  const type = { int64: 'bigint', integer: 'number' }[key.kind as string] ?? 'string'
  const value =
    key.kind === 'int64' ? 'BigInt.asIntN(64, BigInt(text))' : key.kind === 'integer' ? 'Number(text)' : 'text'
  const form = isText ? '.' : String.raw`^-?\d{1,${key.kind === 'int64' ? 19 : 15}}$`
  return `
/** A cursor is the ${key.property} of the last row before. */
function readCursor(cursor: string): ${type} {
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!/${form}/.test(text)) throw invalidRequest('query.cursor must be taken from an earlier page.')
  return ${value}
}
`
}
