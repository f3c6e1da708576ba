import fc from 'fast-check'
import { stringify } from 'lossless-json'
import { forms, models, scalars, type Model } from './schemas.ts'

/** A place of a request that carries a value of a schema. */
export interface Carrier {
  /** What the contract declares: a parameter, or a media type with its schema. */
  declared: Record<string, unknown>
  model: Model
}

export interface Parameter extends Carrier {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  /** The value as it stands in its place. */
  text: (value: never) => string
}

export interface Body extends Carrier {
  type: string
  required: boolean
  bytes: (value: never) => string | Buffer
}

export interface Answer {
  /** The key in `responses`. */
  status: string
  /** The status that is answered. */
  code: number
  /** Whether the response is one of the components, and that a reference to another. */
  how: 'inline' | 'shared' | 'alias'
  content?: { type: string; model: Model; kind: 'json' | 'text' | 'bytes' }
  /** A header that must be there. */
  counted: boolean
}

export interface Operation {
  method: string
  operationId: string | undefined
  parameters: Parameter[]
  body: Body | undefined
  answer: Answer
  /** Which of the contract's ways to send a key it names; undefined for that of the whole contract. */
  security: 'public' | 'own' | undefined
}

const one = (value: unknown): string => encodeURIComponent(String(value))

/** How a list or a single value stands in a query, by the style of its parameter. */
const styles: Record<string, { declared: object; join: (name: string, values: unknown[]) => string }> = {
  form: { declared: {}, join: (name, values) => values.map((value) => `${name}=${one(value)}`).join('&') },
  commas: { declared: { explode: false }, join: (name, values) => `${name}=${values.map(one).join(',')}` },
  spaces: {
    declared: { style: 'spaceDelimited', explode: false },
    join: (name, values) => `${name}=${values.map(one).join('%20')}`,
  },
  pipes: {
    declared: { style: 'pipeDelimited', explode: false },
    join: (name, values) => `${name}=${values.map(one).join('|')}`,
  },
}

function listOf(items: Model): Model {
  return {
    schema: { type: 'array', items: items.schema },
    accepts: (value) => Array.isArray(value) && value.every(items.accepts),
    values: fc.array(items.values, { minLength: 1, maxLength: 3 }),
  }
}

const inQuery = fc
  .tuple(scalars, fc.constantFrom('single', 'deep', 'json', ...Object.keys(styles)), fc.nat(99))
  .map(([model, style, number]): Parameter => {
    const name = `q${number}`
    const place = { name, in: 'query' as const }
    if (style === 'single') {
      const text = (value: unknown): string => `${name}=${one(value)}`
      return { ...place, declared: { schema: model.schema }, model, text }
    }
    if (style === 'json') {
      const text = (value: unknown): string => `${name}=${encodeURIComponent(stringify(value) ?? '')}`
      return { ...place, declared: { content: { 'application/json': { schema: model.schema } } }, model, text }
    }
    if (style === 'deep') {
      const schema = { type: 'object', properties: { part: model.schema }, required: ['part'] }
      const text = ({ part }: { part: unknown }): string => `${name}%5Bpart%5D=${one(part)}`
      const values = model.values.map((part) => ({ part }))
      const accepts = (value: unknown): boolean => model.accepts((value as { part?: unknown } | null)?.part)
      return {
        ...place,
        declared: { style: 'deepObject', explode: true, schema },
        model: { schema, values, accepts },
        text,
      }
    }
    const { declared, join } = styles[style] ?? { declared: {}, join: () => '' }
    const list = listOf(model)
    return {
      ...place,
      declared: { ...declared, schema: list.schema },
      model: list,
      text: (value: unknown[]) => join(name, value),
    }
  })

const inHeader = fc.tuple(scalars, fc.boolean(), fc.nat(99)).map(([model, isList, number]): Parameter => {
  const list = isList ? listOf(model) : model
  const text = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(',') : String(value))
  return { name: `X-H${number}`, in: 'header', declared: { schema: list.schema }, model: list, text }
})

const inCookie = fc.tuple(scalars, fc.nat(99)).map(([model, number]): Parameter => {
  const name = `c${number}`
  return { name, in: 'cookie', declared: { schema: model.schema }, model, text: (value) => `${name}=${one(value)}` }
})

const inPath = fc.tuple(scalars, fc.constantFrom('petId', 'id', 'toString')).map(([model, name]): Parameter => {
  return { name, in: 'path', declared: { schema: model.schema }, model, text: one }
})

const json = (value: unknown): string => stringify(value) ?? ''

const bodies: fc.Arbitrary<Body> = fc
  .tuple(
    models,
    forms,
    fc.boolean(),
    fc.constantFrom('application/json', 'application/vnd.a+json', 'form', 'text/plain', 'image/png'),
  )
  .map(([model, form, required, type]): Body => {
    switch (type) {
      case 'form':
        return {
          type: 'application/x-www-form-urlencoded',
          declared: { schema: form.schema },
          model: form,
          required,
          bytes: (value: object) =>
            new URLSearchParams(
              Object.entries(value).map(([name, child]): [string, string] => [name, String(child)]),
            ).toString(),
        }
      case 'text/plain':
        return { type, ...plain, required, bytes: (value) => value }
      case 'image/png':
        return { type, ...bytes, required, bytes: (value) => value }
      default:
        return { type, declared: { schema: model.schema }, model, required, bytes: json }
    }
  })

const plain: Carrier = {
  declared: { schema: { type: 'string' } },
  model: {
    schema: { type: 'string' },
    accepts: (value) => typeof value === 'string',
    values: fc.constantFrom('a', 'é 😀\r\n', '{"a":1}'),
  },
}

const bytes: Carrier = {
  declared: { schema: { type: 'string', format: 'binary' } },
  model: {
    schema: { type: 'string', format: 'binary' },
    accepts: (value) => Buffer.isBuffer(value),
    values: fc.constantFrom(Buffer.from([0, 255, 10]), Buffer.from('PNG')),
  },
}

const answers: fc.Arbitrary<Answer> = fc
  .record({
    status: fc.constantFrom('200', '201', '2XX', 'default', '204'),
    how: fc.constantFrom<Answer['how']>('inline', 'shared', 'alias'),
    type: fc.constantFrom('application/json', 'application/json', 'application/problem+json', 'text/csv', 'image/png'),
    model: models,
    counted: fc.boolean(),
  })
  .map(({ status, how, type, model, counted }): Answer => {
    const code = /^\d+$/.test(status) ? Number(status) : status === '2XX' ? 202 : 200
    const kind = type === 'text/csv' ? 'text' : type === 'image/png' ? 'bytes' : 'json'
    const carried = kind === 'text' ? plain.model : kind === 'bytes' ? bytes.model : model
    const content = code === 204 ? {} : { content: { type, kind, model: carried } as const }
    return { status, code, how, counted, ...content }
  })

/** Names of operations: good ones, ones that no function can have, ones that every object has, and none. */
const operationIds = [
  'listThings',
  'things/list-all',
  'constructor',
  'toString',
  '404',
  'delete',
  'Get Thing',
  undefined,
]

export const operations: fc.Arbitrary<Operation[]> = fc
  .array(
    fc.record({
      method: fc.constantFrom('get', 'post', 'put', 'patch', 'delete'),
      operationId: fc.constantFrom(...operationIds),
      inPath: fc.option(inPath, { nil: undefined }),
      others: fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: inQuery }, inHeader, inCookie), {
        selector: ({ name }) => name,
        maxLength: 3,
      }),
      body: fc.option(bodies, { nil: undefined }),
      answer: answers,
      security: fc.constantFrom<Operation['security']>(undefined, undefined, 'public', 'own'),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) =>
    all.map(({ inPath: first, others, body, ...operation }, index) => ({
      ...operation,
      // two operations of one name are a fault
      operationId:
        all.findIndex((other) => other.operationId === operation.operationId) === index
          ? operation.operationId
          : undefined,
      parameters: first ? [first, ...others] : others,
      body: ['post', 'put', 'patch'].includes(operation.method) ? body : undefined,
    })),
  )
