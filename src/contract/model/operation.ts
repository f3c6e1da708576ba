import { templateNames } from './path.ts'
import { isJson } from './media-type.ts'
import { Described, Message, type Media, type PartSource } from './media.ts'
import { operationName } from './names.ts'
import { entriesOf, listOf, type Node, type Path } from './node.ts'
import type { Server } from './server.ts'
import { serversIn } from './server.ts'
import { shapeOf } from './shape.ts'
import { keyAlternatives, requirementsIn, type KeyPlace, type Requirement, type SecurityScheme } from './security.ts'

/** What an operation needs of its contract. */
export interface OperationSource extends PartSource {
  /** The contract itself. */
  root: Node
  securityScheme: (name: string) => SecurityScheme | undefined
  /** The parameter that an object is; the same one for the same object. */
  parameter: (node: Node, at: Path) => Parameter
  /** The answer that an object is; the same one for the same object, as for all references to it. */
  response: (node: Node, at: Path) => Response
}

/** Where a path item stands, and what all operations of its path share. */
export interface PathItem {
  path: string
  node: Node
  at: Path
}

interface DeclaredOperation {
  /** In lower case. */
  method: string
  node: Node
  within?: Path
}

/** An operation of the contract. What is not as OpenAPI says reads as if it were not there. */
export class Operation {
  readonly #source: OperationSource
  #parameters: readonly Parameter[] | undefined
  #responses: ReadonlyMap<string, Response> | undefined

  readonly item: PathItem
  /** In lower case. */
  readonly method: string
  /** The keywords as the contract has them. */
  readonly node: Node
  /** Where it stands, also when its path is a reference. */
  readonly at: Path

  /** `within` is where it stands in its path item. */
  constructor(source: OperationSource, item: PathItem, { method, node, within = [method] }: DeclaredOperation) {
    this.item = item
    this.method = method
    this.node = node
    this.at = [...item.at, ...within]
    this.#source = source
  }

  /** The name in messages: `GET /pets/{petId}`. */
  get name(): string {
    return `${this.method.toUpperCase()} ${this.path}`
  }

  get path(): string {
    return this.item.path
  }

  /** The operationId as the contract has it, if it has one. */
  get declaredId(): string | undefined {
    const { operationId } = this.node
    return typeof operationId === 'string' ? operationId : undefined
  }

  /** Names the handler, its file and its function: the operationId, or what `operationName` makes of it. */
  get operationId(): string {
    return operationName(this.declaredId, `${this.method} ${this.path}`)
  }

  /** The names of the parameters in its path, in its order. */
  get templateNames(): string[] {
    return templateNames(this.path)
  }

  /** The servers that apply to it: its own, else those of its path, else those of the contract. */
  get servers(): Server[] {
    const owners = [
      { node: this.node, at: this.at },
      { node: this.item.node, at: this.item.at },
    ]
    const owner = owners.find(({ node }) => listOf(node.servers).length > 0)
    return owner ? serversIn(owner.node, owner.at) : serversIn(this.#source.root, [])
  }

  /** The path of its first server, such as `/v1`; undefined if its url is no address. */
  get serverPath(): string | undefined {
    return this.servers[0]?.path
  }

  /** All parameters that it or its path declares, in the order of the contract, also those that have no effect. */
  get declaredParameters(): Parameter[] {
    return [...this.ownParameters, ...this.sharedParameters]
  }

  /** The parameters that it declares itself. */
  get ownParameters(): Parameter[] {
    return this.#parametersOf(this.node, this.at)
  }

  /** The parameters that its path declares for all its operations. */
  get sharedParameters(): Parameter[] {
    return this.#parametersOf(this.item.node, this.item.at)
  }

  #parametersOf({ parameters }: Node, at: Path): Parameter[] {
    return listOf(parameters).flatMap((value, index) => {
      const target = this.#source.part(value, [...at, 'parameters', String(index)])
      return target ? this.#source.parameter(target.node, target.at) : []
    })
  }

  /** The parameters that apply: its own, and those of its path that it does not override. */
  get parameters(): readonly Parameter[] {
    return (this.#parameters ??= this.#applying())
  }

  #applying(): Parameter[] {
    const found = new Map<string, Parameter>()
    for (const parameter of this.declaredParameters) {
      const key = `${parameter.in} ${parameter.key}`
      if (!found.has(key) && !parameter.isIgnored) found.set(key, parameter)
    }
    return [...found.values()]
  }

  get body(): Body | undefined {
    const target = this.#source.part(this.node.requestBody, [...this.at, 'requestBody'])
    return target && new Body(this.#source, target.node, target.at)
  }

  /** The statuses of its answers, also of those whose `$ref` leads to nothing. */
  get statuses(): string[] {
    return entriesOf(this.node.responses).flatMap(([status]) => (status.startsWith('x-') ? [] : status))
  }

  /** The answers by status, range or `default`, in the order of the contract. */
  get responses(): ReadonlyMap<string, Response> {
    return (this.#responses ??= new Map(
      entriesOf(this.node.responses).flatMap(([status, value]): [string, Response][] => {
        const target = this.#source.part(value, [...this.at, 'responses', status])
        if (status.startsWith('x-') || !target) return []
        return [[status, this.#source.response(target.node, target.at)]]
      }),
    ))
  }

  /** The places of the key, of which one list is needed; an empty list needs no key. */
  get security(): readonly (readonly KeyPlace[])[] {
    return keyAlternatives(this.requirements, (name) => this.#source.securityScheme(name))
  }

  /** The lists of security schemes, of which it needs one: its own, else those of the contract. */
  get requirements(): Requirement[][] {
    return Array.isArray(this.node.security)
      ? requirementsIn(this.node, this.at)
      : requirementsIn(this.#source.root, [])
  }

  /** Whether it declares a header of requests, whose name is given in lower case. */
  takesHeader(name: string): boolean {
    return this.parameters.some((one) => one.in === 'header' && one.key === name)
  }

  /** Whether it declares what conditional requests (RFC 9110 section 13) need: one of their headers, `ETag`, 304 or 412. */
  get isConditional(): boolean {
    const answered = [...this.responses.values()].flatMap((response) => [...response.headers.keys()])
    return (
      ['304', '412'].some((status) => this.responses.has(status)) ||
      ['if-match', 'if-none-match'].some((name) => this.takesHeader(name)) ||
      answered.some((name) => name.toLowerCase() === 'etag')
    )
  }

  get tags(): string[] {
    return listOf(this.node.tags).map(String)
  }
}

/** Where this service reads parameters. */
export const parameterPlaces = ['path', 'query', 'header', 'cookie'] as const

/** Where a parameter stands in a request. */
export type ParameterPlace = (typeof parameterPlaces)[number]

/** A parameter of an operation. */
export class Parameter extends Described {
  get name(): string {
    return String(this.node.name)
  }

  /** Where it stands; the query for a place that is not known. */
  get in(): ParameterPlace {
    return this.isPlaced ? (this.node.in as ParameterPlace) : 'query'
  }

  /** Whether it stands where this service reads parameters. */
  get isPlaced(): boolean {
    return (parameterPlaces as readonly unknown[]).includes(this.node.in)
  }

  /** The name under which the values of its place have it: names of headers ignore letter case. */
  get key(): string {
    return this.in === 'header' ? this.name.toLowerCase() : this.name
  }

  /** Whether it has no effect, since other parts of a contract tell it (OpenAPI 3.0.3, Parameter Object). */
  get isIgnored(): boolean {
    return this.in === 'header' && ['accept', 'authorization', 'content-type'].includes(this.key)
  }

  /** The style as the contract has it, or the usual one of its place. */
  get style(): string {
    const usual = this.in === 'query' || this.in === 'cookie' ? 'form' : 'simple'
    return typeof this.node.style === 'string' ? this.node.style : usual
  }

  /** Whether each of its parts is written by itself, as `form` is by default. */
  get explode(): boolean {
    return typeof this.node.explode === 'boolean' ? this.node.explode : this.style === 'form'
  }

  /** Whether it is written as JSON, as its `content` says. */
  get isJson(): boolean {
    return this.node.content !== undefined
  }

  /** Whether its values have parts: `object`, also beside other types, or `list`; undefined for single values. */
  get structure(): 'object' | 'list' | undefined {
    const types = this.schema && shapeOf(this.schema).types
    if (types?.has('object')) return 'object'
    return types?.has('array') ? 'list' : undefined
  }
}

/** The body of a request. */
export class Body extends Message {}

/** An answer of an operation. */
export class Response extends Message {
  #headers: ReadonlyMap<string, Header> | undefined

  get headers(): ReadonlyMap<string, Header> {
    return (this.#headers ??= new Map(
      entriesOf(this.node.headers).map(([name, value]): [string, Header] => {
        const at = [...this.at, 'headers', name]
        const target = this.source.part(value, at)
        return [name, new Header(this.source, target?.node ?? {}, target?.at ?? at)]
      }),
    ))
  }

  /** The content that is answered: JSON if it is declared, else the first one that can be written. */
  get answered(): Media | undefined {
    const all = this.content
    return (
      all.find(({ type }) => type === 'application/json') ??
      all.find(({ type }) => isJson(type)) ??
      all.find(({ kind }) => kind === 'json' || kind === 'text' || kind === 'bytes')
    )
  }
}

/** A header of an answer. */
export class Header extends Described {}
