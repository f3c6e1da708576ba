import type { ContractDocument } from './files/document.ts'
import { methods } from './grammar.ts'
import { kept } from '../../kept.ts'
import { entriesOf, isNode, listOf, nodeOf, type Node, type Path } from './node.ts'
import { Operation, Parameter, Response, type OperationSource, type PathItem } from './operation.ts'
import { isReference, resolver, type Resolved } from './reference.ts'
import { Schema } from './schema.ts'
import { SecurityScheme } from './security.ts'
import type { Server } from './server.ts'
import { serversIn } from './server.ts'
import { isOfJsonSchema } from './version.ts'
import { Value } from './value.ts'
import { reached, visit, type Part } from './visit.ts'

/**
 * A contract as everybody reads it. Its values are made when they are asked for. What is not as OpenAPI says reads as if
 * it were not there; `contract/rules` tells what that is.
 */
export class ContractModel implements OperationSource {
  /** The document in one dialect: schemas of OpenAPI 3.0 with the keywords of JSON Schema 2020-12 (`files/dialect.ts`). */
  readonly root: Node
  /** Whether its schemas are written in JSON Schema 2020-12: OpenAPI 3.1 or 3.2. */
  readonly isJsonSchema: boolean
  readonly resolve: (reference: string) => Resolved
  readonly #schemas = new WeakMap<Node, Schema>()
  readonly #parameters = new WeakMap<Node, Parameter>()
  readonly #responses = new WeakMap<Node, Response>()
  #operations: readonly Operation[] | undefined

  readonly document: ContractDocument

  constructor(document: ContractDocument) {
    this.document = document
    this.root = document.root as unknown as Node
    this.isJsonSchema = isOfJsonSchema(document.root)
    this.resolve = resolver(document.root)
  }

  /** The version of OpenAPI without its last part, such as `3.1`. */
  get version(): string {
    return /^3\.\d/.exec(String(this.root.openapi))?.[0] ?? ''
  }

  /** What it says of itself; a text that it lacks is empty. */
  get info(): Record<'title' | 'version' | 'description', string> {
    const { title, version, description } = nodeOf(this.root.info)
    return { title: textOf(title), version: textOf(version), description: textOf(description) }
  }

  /** A place in its files, such as `openapi.yaml:12:3`. */
  place(at: Path): string {
    return this.document.place(at)
  }

  /** The path items in the order of the contract, also those behind a `$ref`. */
  get pathItems(): PathItem[] {
    return entriesOf(this.root.paths).flatMap(([path, value]) => {
      const item = this.part(value, ['paths', path])
      return item ? { path, ...item } : []
    })
  }

  /** The operations in the order of the contract. */
  get operations(): readonly Operation[] {
    return (this.#operations ??= this.pathItems.flatMap((item) =>
      entriesOf(item.node).flatMap(([method, node]) =>
        methods.has(method) && isNode(node) ? new Operation(this, item, { method, node }) : [],
      ),
    ))
  }

  /** The operations of methods that no service here answers: QUERY, and those of `additionalOperations` (OpenAPI 3.2). */
  get otherOperations(): Operation[] {
    return this.pathItems.flatMap((item) => {
      const { query, additionalOperations } = item.node
      const additional = entriesOf(additionalOperations).flatMap(([name, node]) =>
        isNode(node) ? { method: name.toLowerCase(), node, within: ['additionalOperations', name] } : [],
      )
      const all = isNode(query) ? [{ method: 'query', node: query }, ...additional] : additional
      return all.map((declared) => new Operation(this, item, declared))
    })
  }

  /**
   * The path that all operations have in front, taken from the servers, such as `/v1`; empty for none. Of several
   * servers the first one counts.
   */
  get apiRoot(): string {
    const roots = this.operations.map(({ serverPath = '' }) => serverPath)
    const [first = this.servers[0]?.path ?? '', ...others] = new Set(roots)
    const segments = first.split('/')
    for (const other of others) {
      const theirs = other.split('/')
      const end = segments.findIndex((segment, index) => segment !== theirs[index])
      if (end >= 0) segments.length = end
    }
    return segments.join('/')
  }

  /** The servers of the contract itself. */
  get servers(): Server[] {
    return serversIn(this.root, [])
  }

  /** The tags that it declares. */
  get tags(): { name: string; parent: string | undefined; at: Path }[] {
    return listOf(this.root.tags).map((tag, index) => {
      const { name, parent } = nodeOf(tag)
      return {
        name: String(name),
        parent: typeof parent === 'string' ? parent : undefined,
        at: ['tags', String(index)],
      }
    })
  }

  /** What the files have at a place, in the dialect in which they are written. */
  written(at: Path): Value {
    return Value.of(this.document.source).find(at)
  }

  /** A security scheme of the components; undefined if it is not declared. */
  securityScheme(name: string): SecurityScheme | undefined {
    const schemes = this.components('securitySchemes')
    if (!Object.hasOwn(schemes, name)) return undefined
    const target = this.part(schemes[name], ['components', 'securitySchemes', name])
    return target && new SecurityScheme(name, target.node, target.at)
  }

  /** The components of a section by their names. */
  components(section: string): Node {
    return nodeOf(nodeOf(this.root.components)[section])
  }

  /** An object of the contract, or the one that a reference leads to; undefined for anything else. */
  part(value: unknown, at: Path): { node: Node; at: Path } | undefined {
    const target: Resolved = isReference(value) ? this.resolve(value.$ref) : { value, at }
    return 'why' in target || !isNode(target.value) ? undefined : { node: target.value, at: target.at }
  }

  schema(value: Node, at: Path): Schema {
    return kept(this.#schemas, value, () => new Schema(this, value, at))
  }

  parameter(node: Node, at: Path): Parameter {
    return kept(this.#parameters, node, () => new Parameter(this, node, at))
  }

  response(node: Node, at: Path): Response {
    return kept(this.#responses, node, () => new Response(this, node, at))
  }

  /** Visits each part, parents first, with references as they are. */
  visit(enter: (part: Part) => void): void {
    visit(this.root, enter)
  }

  /** Calls `enter` for each schema that is no reference, parents first. */
  eachSchema(enter: (schema: Schema) => void): void {
    this.visit(({ kind, node, at }) => {
      if (kind === 'schema' && !isReference(node)) enter(this.schema(node, at))
    })
  }

  /** Visits a part, and each part that it needs, once. Parts in `seen` are skipped, and added to it. */
  visitReached(start: Part, seen: Set<Node>, enter: (part: Part) => void): void {
    for (const part of reached(start, { resolve: this.resolve, seen })) if (!isReference(part.node)) enter(part)
  }
}

/** A text; a number, as of a version without quotes, is one as well. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const models = new WeakMap<object, ContractModel>()

/** The model of a document; the same one for everybody who reads it. */
export function modelOf(document: ContractDocument): ContractModel {
  return kept(models, document.root, () => new ContractModel(document))
}
