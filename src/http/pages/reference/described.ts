import { parse } from 'lossless-json'

/** A part of a contract, as JSON has it. */
export type Node = Readonly<Record<string, unknown>>

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
  schemas: [string, Node][]
  schemes: { name: string; description: string; type: string }[]
  /** Headers that every answer of every operation has. */
  headers: NamedHeader[]
  /** Whether an operation can be called with a key. */
  takesKeys: boolean
  /** A node, or the one that it refers to; keys beside a reference count. */
  resolve: (value: unknown) => Node
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
  parameters: Node[]
  body: { description: string; required: boolean; content: [string, Node][] } | undefined
  responses: { status: string; description: string; headers: NamedHeader[]; content: [string, Node][] }[]
  /** The alternatives to send a key: a list of places, which is empty where none is needed. */
  keys: KeyPlace[][]
}

export interface NamedHeader {
  name: string
  node: Node
}

/** In `Authorization` as Bearer or Basic, or under a name. */
export type KeyPlace = { in: 'bearer' | 'basic' } | { in: 'header' | 'query' | 'cookie'; name: string }

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** Reads the served document, whose first server is the running one. Integers beyond 2^53 - 1 become bigint. */
export function describedContract(json: string): Described {
  const root = nodeOf(parse(json, undefined, numberOf))
  const resolve = resolver(root)
  const operations = operationsOf(root, resolve)
  const info = nodeOf(root.info)
  const components = nodeOf(root.components)
  const headers = commonHeaders(operations)
  const common = new Set(headers.map(({ name }) => name))
  for (const { responses } of operations) {
    for (const one of responses) one.headers = one.headers.filter(({ name }) => !common.has(name))
  }
  return {
    title: textOf(info.title),
    version: textOf(info.version),
    description: [info.summary, info.description].map(textOf).filter(Boolean).join('\n\n'),
    guide: textOf(root['x-guide']),
    links: linksOf(root, info),
    tags: tagsOf(root, operations),
    schemas: entriesOf(components.schemas).map(([name, schema]) => [name, nodeOf(schema)]),
    schemes: entriesOf(components.securitySchemes).map(([name, value]) => {
      const { description, type, scheme, in: place, name: key } = resolve(value)
      const way = type === 'apiKey' ? `${textOf(key)} in the ${textOf(place)}` : textOf(scheme)
      return { name, description: textOf(description), type: [type, way].map(textOf).filter(Boolean).join(', ') }
    }),
    headers,
    takesKeys: operations.some(({ keys }) => keys.some((places) => places.length > 0)),
    resolve,
  }
}

/** A number without loss of a digit; one of many digits behind the point stays as it was written. */
function numberOf(text: string): unknown {
  const number = Number(text)
  if (String(number) === text || !/^-?\d+$/.test(text)) return number
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

function resolver(root: Node): Described['resolve'] {
  const resolve = (value: unknown, open: readonly string[] = []): Node => {
    const node = nodeOf(value)
    const { $ref, ...beside } = node
    if (typeof $ref !== 'string') return node
    if (!$ref.startsWith('#/') || open.includes($ref)) return beside
    const keys = $ref.slice(2).split('/').map(decodedKey)
    const target = keys.reduce<unknown>((at, key) => nodeOf(at)[key], root)
    return { ...resolve(target, [...open, $ref]), ...beside }
  }
  return (value) => resolve(value)
}

function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return key
  }
}

function operationsOf(root: Node, resolve: Described['resolve']): (DescribedOperation & { tag: string })[] {
  const [, own = listOf(root.servers)[0]] = listOf(root.servers)
  return entriesOf(root.paths).flatMap(([path, value]) => {
    const item = resolve(value)
    const all = Object.keys(item).filter((key) => methods.includes(key))
    return all.map((method) => {
      const node = nodeOf(item[method])
      const operationId = typeof node.operationId === 'string' ? node.operationId : method + path.replace(/\W/g, '_')
      const tag = textOf(listOf(node.tags)[0]) || 'default'
      const [server = own] = listOf(node.servers ?? item.servers)
      return {
        id: `/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`,
        tag,
        method,
        path,
        operationId,
        summary: textOf(node.summary) || path,
        description: textOf(node.description),
        badges: badgesOf(node),
        server: serverPath(nodeOf(server)),
        parameters: parametersOf(item, node, resolve),
        body: bodyOf(node, resolve),
        responses: entriesOf(node.responses)
          .filter(([status]) => !status.startsWith('x-'))
          .map(([status, response]) => {
            const { description, headers, content } = resolve(response)
            const named = entriesOf(headers).map(([name, header]) => ({ name, node: resolve(header) }))
            return { status, description: textOf(description), headers: named, content: mediaOf(content) }
          }),
        keys: keysOf(root, node, resolve),
      }
    })
  })
}

function parametersOf(item: Node, operation: Node, resolve: Described['resolve']): Node[] {
  const own = new Map<string, Node>()
  for (const value of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
    const node = resolve(value)
    own.set(`${textOf(node.in)}.${textOf(node.name)}`, node)
  }
  return [...own.values()]
}

function bodyOf({ requestBody }: Node, resolve: Described['resolve']): DescribedOperation['body'] {
  if (requestBody === undefined) return undefined
  const { description, required, content } = resolve(requestBody)
  return { description: textOf(description), required: required === true, content: mediaOf(content) }
}

function mediaOf(content: unknown): [string, Node][] {
  return entriesOf(content).map(([type, media]) => [type, nodeOf(media)])
}

/** The path of a server with the defaults of its variables. A request to another host is refused by the page's policy. */
function serverPath({ url, variables }: Node): string {
  const filled = textOf(url).replace(/\{([^}]+)\}/g, (_, name: string) => {
    return textOf(nodeOf(nodeOf(variables)[name]).default)
  })
  const base = 'http://host'
  return URL.canParse(filled, base) ? new URL(filled, base).pathname.replace(/\/+$/, '') : ''
}

function keysOf(root: Node, operation: Node, resolve: Described['resolve']): KeyPlace[][] {
  const requirements = listOf(operation.security ?? root.security)
  if (requirements.length === 0) return [[]]
  const schemes = nodeOf(nodeOf(root.components).securitySchemes)
  return requirements.map((requirement) =>
    Object.keys(nodeOf(requirement)).map((name): KeyPlace => {
      const { type, scheme, in: place, name: key } = resolve(schemes[name])
      if (type === 'apiKey') return { in: place as 'header', name: textOf(key) }
      return { in: textOf(scheme).toLowerCase() === 'basic' ? 'basic' : 'bearer' }
    }),
  )
}

/** What the contract says of an operation's life. */
function badgesOf({ deprecated, 'x-sunset': sunset, 'x-stability': stability }: Node): DescribedOperation['badges'] {
  const ended = typeof sunset === 'string' ? `deprecated, sunset ${sunset}` : 'deprecated'
  return [
    ...(deprecated === true ? [{ kind: 'deprecated', text: ended }] : []),
    ...(typeof stability === 'string' && stability !== 'stable' ? [{ kind: stability, text: stability }] : []),
  ]
}

/** The operations by their first tag: the tags in the order of their first operation. */
function tagsOf(root: Node, operations: readonly (DescribedOperation & { tag: string })[]): Described['tags'] {
  const described = listOf(root.tags).map(nodeOf)
  const names = [...new Set(operations.map(({ tag }) => tag))]
  return names.map((name) => ({
    name,
    description: textOf(described.find((tag) => tag.name === name)?.description),
    operations: operations.filter(({ tag }) => tag === name),
  }))
}

function commonHeaders(operations: readonly DescribedOperation[]): NamedHeader[] {
  const answers = operations.flatMap(({ responses }) => responses.map(({ headers }) => headers))
  const [first = [], ...others] = answers
  if (others.length === 0) return []
  return first.filter(({ name }) => others.every((headers) => headers.some((one) => one.name === name)))
}

function linksOf(root: Node, info: Node): Described['links'] {
  const [documents, license, contact] = [nodeOf(root.externalDocs), nodeOf(info.license), nodeOf(info.contact)]
  const links: [string, unknown][] = [
    [textOf(documents.description) || 'More documentation', documents.url],
    ['Terms of service', info.termsOfService],
    [`Contact: ${textOf(contact.name) || textOf(contact.url)}`, contact.url],
    [`License: ${textOf(license.name) || textOf(license.url)}`, license.url],
  ]
  return links.flatMap(([title, address]) => {
    return typeof address === 'string' && /^https?:/i.test(address) ? [{ title, address }] : []
  })
}

export function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(nodeOf(value))
}

/** A text; the empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
