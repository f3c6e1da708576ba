import { parse } from 'lossless-json'
import { methods } from '../../../contract/model/grammar.ts'
import { isReference, pathOfReference } from '../../../contract/model/reference.ts'
import { keyAlternatives, requirementsIn, SecurityScheme, type KeyPlace } from '../../../contract/model/security.ts'
import { serversIn } from '../../../contract/model/server.ts'
import { Value } from '../../../contract/model/value.ts'

/** What the reference shows of a contract. It is read from the served document alone. */
export interface Described {
  title: string
  version: string
  /** Markdown. */
  description: string
  /** Markdown. */
  guide: string
  links: { title: string; address: string }[]
  tags: { name: string; description: string; operations: DescribedOperation[] }[]
  schemas: [string, Value][]
  schemes: { name: string; description: string; type: string }[]
  /** Headers that every answer of every operation has. */
  headers: NamedHeader[]
  /** Whether an operation can be called with a key. */
  takesKeys: boolean
}

export interface DescribedOperation {
  /** The address of the operation on the page, without `#`. */
  id: string
  method: string
  path: string
  operationId: string
  summary: string
  description: string
  /** `deprecated, sunset 2030-12-05`, `beta`. */
  badges: { kind: string; text: string }[]
  /** Where the paths stand below the address of the service, such as `/v1`. */
  server: string
  parameters: Value[]
  body: { description: string; required: boolean; content: [string, Value][] } | undefined
  responses: { status: string; description: string; headers: NamedHeader[]; content: [string, Value][] }[]
  /** The alternatives to send a key: a list of places, which is empty where none is needed. */
  keys: KeyPlace[][]
}

export interface NamedHeader {
  name: string
  header: Value
}

/** Reads the served document, whose first server is the running one. Integers beyond 2^53 - 1 become bigint. */
export function describedContract(json: string): Described {
  const root = Value.of(parse(json, undefined, numberOf))
  const operations = operationsOf(root)
  const info = root.field('info')
  const headers = commonHeaders(operations)
  const common = new Set(headers.map(({ name }) => name))
  for (const { responses } of operations) {
    for (const one of responses) one.headers = one.headers.filter(({ name }) => !common.has(name))
  }
  return {
    title: info.field('title').text,
    version: info.field('version').text,
    description: textsIn(info, 'summary', 'description').join('\n\n'),
    guide: root.field('x-guide').text,
    links: linksOf(root, info),
    tags: tagsOf(root, operations),
    schemas: root.field('components', 'schemas').entries,
    schemes: root.field('components', 'securitySchemes').entries.map(([name, value]) => {
      const scheme = deref(value)
      const type = scheme.field('type').text
      const way =
        type === 'apiKey'
          ? `${scheme.field('name').text} in the ${scheme.field('in').text}`
          : scheme.field('scheme').text
      return { name, description: scheme.field('description').text, type: [type, way].filter(Boolean).join(', ') }
    }),
    headers,
    takesKeys: operations.some(({ keys }) => keys.some((places) => places.length > 0)),
  }
}

function textsIn(value: Value, ...keys: string[]): string[] {
  return keys.map((key) => value.field(key).text).filter(Boolean)
}

/** A number without loss of a digit; one of many digits behind the point stays as it was written. */
function numberOf(text: string): unknown {
  const number = Number(text)
  if (String(number) === text || !/^-?\d+$/.test(text)) return number
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

/** A value, or the one that it refers to, whose keys give way to those beside the reference. */
export function deref(value: Value, open: readonly string[] = []): Value {
  if (!isReference(value.value)) return value
  const { $ref, ...beside } = value.value
  if (!$ref.startsWith('#') || open.includes($ref)) return value.with(beside)
  const target = deref(value.find(pathOfReference($ref)), [...open, $ref])
  return target.with({ ...target.node, ...beside })
}

function operationsOf(root: Value): (DescribedOperation & { tag: string })[] {
  const [running, own = running] = serversIn(root.node, [])
  return root.field('paths').entries.flatMap(([path, value]) => {
    const item = deref(value)
    const all = item.entries.filter(([key]) => methods.has(key) || key === 'query')
    return all.map(([method, operation]) => {
      const { operationId: id, servers = item.get('servers'), deprecated } = operation.node
      const operationId = typeof id === 'string' ? id : method + path.replace(/\W/g, '_')
      const tag = operation.field('tags', '0').text || 'default'
      const [server] = Array.isArray(servers) && servers.length > 0 ? serversIn({ servers }, []) : [own]
      return {
        id: `/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`,
        tag,
        method,
        path,
        operationId,
        summary: operation.field('summary').text || path,
        description: operation.field('description').text,
        badges: badgesOf(deprecated === true, operation.field('x-sunset').text, operation.field('x-stability').text),
        server: server?.path ?? '',
        parameters: parametersOf(item, operation),
        body: bodyOf(operation.field('requestBody')),
        responses: operation
          .field('responses')
          .entries.filter(([status]) => !status.startsWith('x-'))
          .map(([status, response]) => responseOf(status, deref(response))),
        keys: keysOf(operation, root),
      }
    })
  })
}

function responseOf(status: string, response: Value): DescribedOperation['responses'][number] {
  const headers = response.field('headers').entries.map(([name, header]) => ({ name, header: deref(header) }))
  return { status, description: response.field('description').text, headers, content: contentOf(response) }
}

function parametersOf(item: Value, operation: Value): Value[] {
  const own = new Map<string, Value>()
  for (const value of [...item.field('parameters').items, ...operation.field('parameters').items]) {
    const parameter = deref(value)
    own.set(`${parameter.field('in').text}.${parameter.field('name').text}`, parameter)
  }
  return [...own.values()]
}

function bodyOf(value: Value): DescribedOperation['body'] {
  if (!value.isThere) return undefined
  const body = deref(value)
  return {
    description: body.field('description').text,
    required: body.get('required') === true,
    content: contentOf(body),
  }
}

function contentOf(part: Value): [string, Value][] {
  return part.field('content').entries.map(([type, media]) => [type, deref(media)])
}

/** The alternatives to send a key for an operation. */
function keysOf(operation: Value, root: Value): KeyPlace[][] {
  const { node } = operation.field('security').isThere ? operation : root
  return keyAlternatives(requirementsIn(node, []), (name) => {
    const scheme = deref(root.field('components', 'securitySchemes', name))
    return new SecurityScheme(name, scheme.node, scheme.at)
  })
}

/** What the contract says of an operation's life. */
function badgesOf(isDeprecated: boolean, sunset: string, stability: string): DescribedOperation['badges'] {
  const ended = sunset === '' ? 'deprecated' : `deprecated, sunset ${sunset}`
  return [
    ...(isDeprecated ? [{ kind: 'deprecated', text: ended }] : []),
    ...(!['', 'stable'].includes(stability) ? [{ kind: stability, text: stability }] : []),
  ]
}

/** The operations by their first tag: the tags in the order of their first operation. */
function tagsOf(root: Value, operations: readonly (DescribedOperation & { tag: string })[]): Described['tags'] {
  const described = root.field('tags').items
  const names = [...new Set(operations.map(({ tag }) => tag))]
  return names.map((name) => ({
    name,
    description: described.find((tag) => tag.get('name') === name)?.field('description').text ?? '',
    operations: operations.filter(({ tag }) => tag === name),
  }))
}

function commonHeaders(operations: readonly DescribedOperation[]): NamedHeader[] {
  const answers = operations.flatMap(({ responses }) => responses.map(({ headers }) => headers))
  const [first = [], ...others] = answers
  if (others.length === 0) return []
  return first.filter(({ name }) => others.every((headers) => headers.some((one) => one.name === name)))
}

function linksOf(root: Value, info: Value): Described['links'] {
  const [documents, license, contact] = [root.field('externalDocs'), info.field('license'), info.field('contact')]
  const nameOf = (value: Value): string => textsIn(value, 'name', 'url')[0] ?? ''
  const links: [string, Value][] = [
    [documents.field('description').text || 'More documentation', documents.field('url')],
    ['Terms of service', info.field('termsOfService')],
    [`Contact: ${nameOf(contact)}`, contact.field('url')],
    [`License: ${nameOf(license)}`, license.field('url')],
  ]
  return links.flatMap(([title, { text }]) => (/^https?:/i.test(text) ? [{ title, address: text }] : []))
}
