import type { ContractModel } from '../../../src/contract/model/model.ts'
import { operationName } from '../../../src/contract/model/names.ts'
import type { Operation } from '../../../src/contract/model/operation.ts'
import type { Schema } from '../../../src/contract/model/schema.ts'
import { shapeOf } from '../../../src/contract/model/shape.ts'
import { identifier } from '../../../src/store/identifier.ts'
import { columnsOf, type PlannedColumn } from './columns.ts'

/** What the operations of a resource do. */
export interface Verbs {
  list?: Operation | undefined
  create?: Operation | undefined
  find?: Operation | undefined
  put?: Operation | undefined
  patch?: Operation | undefined
  remove?: Operation | undefined
}
export type Verb = keyof Verbs

/** A resource of the contract, as it is stored and served. */
export interface ResourcePlan {
  /** The name of its table in programs, such as `books`. */
  name: string
  /** The name of its table in the engines. */
  table: string
  /** What one is called, such as `book`. */
  one: string
  collection: string
  /** The path of one; undefined where the contract has only the collection. */
  item: string | undefined
  verbs: Verbs
  /** The schema of a row. */
  row: Schema
  /** Its type in TypeScript, by `components` or `operations` of the generated types. */
  type: string
  columns: readonly PlannedColumn[]
  key: PlannedColumn
  /** The parameter of the path that is the key. */
  parameter: string
  /** Whether the engine gives the key, the service makes it (a UUID), or the client. */
  keyBy: 'engine' | 'service' | 'client'
  /** Properties by which lists are filtered. */
  filters: readonly string[]
}

/** Reads a path of the contract. Throws a sentence for one that is no resource, or that cannot be stored. */
export function planOf(model: ContractModel, path: string): ResourcePlan {
  const collection = path.replace(/\/(?:\{[^{}/]+\})?$/, '')
  const { item, verbs } = verbsOf(model, collection, path)
  const segment = collection.split('/').at(-1) ?? ''
  const name = operationName(segment, segment)
  const one = segment
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/([^s])s$/, '$1')
  const parameter = /\{([^{}/]+)\}$/.exec(item ?? '')?.[1] ?? 'id'
  const { row, type, keyName } = rowOf(model, verbs, parameter, one)
  const columns = columnsOf(model, row)
  const key = columns.find(({ property }) => property === keyName)
  if (!key) throw new Error(`${model.place(row.at)} The row has no property ${keyName}.`)
  if (key.kind === 'json' || key.kind === 'double' || key.kind === 'boolean' || key.kind === 'time') {
    throw new Error(
      `${model.place(key.schema.at)} The key ${keyName} must be an integer or a text that is never null: rows are found by it.`,
    )
  }
  const plan = { name, table: identifier(segment), one, collection, item, verbs, row, type, columns, key, parameter }
  return { ...plan, keyBy: keyBy(verbs.create, key), filters: filtersOf(verbs.list, columns, keyName) }
}

function verbsOf(model: ContractModel, collection: string, path: string): { item: string | undefined; verbs: Verbs } {
  const isItem = (one: string): boolean =>
    one.startsWith(`${collection}/`) && /^\/\{[^{}/]+\}$/.test(one.slice(collection.length))
  const found = model.operations.filter((one) => one.path === collection || isItem(one.path))
  if (found.length === 0) {
    const paths = [...new Set(model.operations.map((one) => one.path))]
    throw new Error(`The contract has no path ${path}. It has ${paths.join(', ')}.`)
  }
  if (collection.includes('{') || !/\w/.test(collection.split('/').at(-1) ?? '')) {
    throw new Error(`${path} has a parameter before its end. Write its table by hand, and its handlers with --stub.`)
  }
  const of = (method: string, ofItem: boolean): Operation | undefined =>
    found.find((one) => one.method === method && isItem(one.path) === ofItem)
  return {
    item: found.find((one) => isItem(one.path))?.path,
    verbs: {
      list: of('get', false),
      create: of('post', false),
      find: of('get', true),
      put: of('put', true),
      patch: of('patch', true),
      remove: of('delete', true),
    },
  }
}

/** The first success of an operation that has a JSON body. */
export function answerOf(operation: Operation | undefined): { status: string; schema: Schema } | undefined {
  for (const [status, response] of operation?.responses ?? []) {
    const schema = response.answered?.type === 'application/json' ? response.answered.schema : undefined
    if (/^2\d\d$/.test(status) && schema) return { status, schema }
  }
  return undefined
}

/** The schema of the items of a list, and the property of the answer that holds them; undefined for the answer itself. */
export function itemsOf(list: Operation | undefined): { items: Schema; property: string | undefined } | undefined {
  const schema = answerOf(list)?.schema
  const direct = schema && itemsIn(schema)
  if (direct) return { items: direct, property: undefined }
  const lists = Array.from(schema?.properties ?? []).flatMap(([property, one]) => {
    const items = itemsIn(one)
    return items ? [{ items, property }] : []
  })
  const required = schema?.required ?? []
  return lists.length === 1 && required.every((name) => name === lists[0]?.property) ? lists[0] : undefined
}

function itemsIn(schema: Schema): Schema | undefined {
  return schema.parts.flatMap(({ items }) => items ?? [])[0]
}

/** The schema of a JSON body of a request. */
export function bodyOf(operation: Operation | undefined): Schema | undefined {
  return operation?.body?.content.find(({ type, kind }) => kind === 'json' && type !== 'application/json-patch+json')
    ?.schema
}

/** The first schema that has a key: of one, of what was created, of an item of the list, or of what is put. */
function rowOf(
  model: ContractModel,
  { list, create, find, put }: Verbs,
  parameter: string,
  one: string,
): { row: Schema; type: string; keyName: string } {
  const answered = [find, create, put].flatMap((operation) => {
    const answer = answerOf(operation)
    return answer && operation ? [{ schema: answer.schema, type: typeOfAnswer(operation, answer.status) }] : []
  })
  const items = itemsOf(list)
  const inList = items && list
  const listed = inList
    ? [
        {
          schema: items.items,
          type: `${typeOfAnswer(list, answerOf(list)?.status ?? '')}${items.property === undefined ? '' : `['${items.property}']`}[number]`,
        },
      ]
    : []
  const sent = [put, create].flatMap((operation) => {
    const schema = bodyOf(operation)
    return schema && operation
      ? [
          {
            schema,
            type: `NonNullable<operations['${operation.operationId}']['requestBody']>['content']['application/json']`,
          },
        ]
      : []
  })
  const names = [parameter, 'id', `${one}Id`, `${one}_id`]
  for (const { schema, type } of [...answered, ...listed, ...sent]) {
    const { properties } = shapeOf(schema)
    const keyName = names.find((name) => properties.has(name)) ?? keyLike(properties, parameter)
    if (keyName !== undefined) return { row: schema, type: componentType(schema) ?? type, keyName }
  }
  const [first] = [...answered, ...listed, ...sent]
  const place = first ? `${model.place(first.schema.at)} ` : ''
  throw new Error(
    `${place}No body of ${one} has a property that is its key. Give one the name of the parameter of the path, ${parameter}, or id.`,
  )
}

/** A property that a parameter such as `bookId` or `book_id` means by its end. */
function keyLike(properties: ReadonlyMap<string, unknown>, parameter: string): string | undefined {
  const plain = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
  return [...properties.keys()].find(
    (name) => plain(parameter) === plain(name) || plain(parameter).endsWith(plain(name)),
  )
}

function typeOfAnswer({ operationId }: Operation, status: string): string {
  return `operations['${operationId}']['responses'][${status}]['content']['application/json']`
}

/** The type of a schema that is a component. */
function componentType({ reference }: Schema): string | undefined {
  const name = /^#\/components\/schemas\/([^/]+)$/.exec(reference ?? '')?.[1]
  return name === undefined ? undefined : `components['schemas']['${name}']`
}

/** Who gives the key: the client, if a new one must be sent with it, or if only PUT makes one. */
function keyBy(create: Operation | undefined, { property, kind, schema }: PlannedColumn): ResourcePlan['keyBy'] {
  if (!create) return 'client'
  const sentBody = bodyOf(create)
  const body = sentBody && shapeOf(sentBody)
  const sent = body?.properties.get(property)
  const isSent = body?.required.has(property) === true && sent?.parts.every(({ isReadOnly }) => !isReadOnly) === true
  if (isSent) return 'client'
  if (kind === 'int64' || kind === 'integer') return 'engine'
  return shapeOf(schema).parts.some(({ format }) => format === 'uuid') ? 'service' : 'client'
}

/** What a list of the store takes beside its filters. */
const ofLists = ['limit', 'after', 'order']

/** The properties that are parameters of the query, of the same type. */
function filtersOf(list: Operation | undefined, columns: readonly PlannedColumn[], key: string): string[] {
  const parameters = (list?.parameters ?? []).filter((one) => one.in === 'query' && one.structure === undefined)
  return columns.flatMap(({ property, schema, kind }) => {
    const parameter = parameters.find(({ name }) => name === property)
    if (!parameter?.schema || property === key || kind === 'json' || ofLists.includes(property)) return []
    const types = (one: Schema): string => [...shapeOf(one).types].join()
    return types(parameter.schema) === types(schema) ? [property] : []
  })
}
