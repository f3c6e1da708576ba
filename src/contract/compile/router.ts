import { OpenAPIRouter, type Document, type Operation, type Request } from 'openapi-backend'

/**
 * The result of matching a method and a path. `values` are the path parameters in the template's order, still encoded.
 */
export type Match =
  | { found: 'operation'; operation: Operation; values: readonly string[] }
  | { found: 'path'; allow: string }
  | { found: 'nothing' }

interface Route {
  operation: Operation
  pattern: RegExp
  /** How many segments the path has. */
  segments: number
  first: string
}

/**
 * openapi-backend's router, with everything about the contract computed once. The stock router lists all operations and
 * builds their patterns again for each request. The results are the same, except that trailing slashes are not ignored.
 */
export class ContractRouter extends OpenAPIRouter {
  readonly #operations: Operation[]
  readonly #exact = new Map<string, Map<string, Operation>>()
  /** Routes by number of segments, then by first segment. */
  readonly #templates = new Map<number, Map<string, Route[]>>()

  constructor(definition: Document, apiRoot: string) {
    super({ definition, apiRoot, ignoreTrailingSlashes: false })
    this.#operations = super.getOperations()
    for (const operation of this.#operations) {
      const methods = this.#exact.get(operation.path) ?? new Map<string, Operation>()
      methods.set(operation.method, operation)
      this.#exact.set(operation.path, methods)
    }
    // the template with the most literal characters first, as in the stock router
    const routes = this.#operations
      .filter(({ path }) => path.includes('{'))
      .sort((a, b) => literalLength(b.path) - literalLength(a.path))
      .map((operation): Route => {
        const { path } = operation
        return { operation, pattern: patternOf(path), segments: segmentCount(path), first: firstSegment(path) }
      })
    for (const { segments, first } of routes) {
      const buckets = this.#templates.get(segments) ?? new Map<string, Route[]>()
      this.#templates.set(segments, buckets)
      if (buckets.has(first)) continue
      const alike = routes.filter((one) => one.segments === segments && [first, parameter].includes(one.first))
      buckets.set(first, alike)
    }
  }

  /** `method` is lower case; `path` is relative to the API root, without query. */
  match(method: string, path: string): Match {
    const exact = this.#exact.get(path)?.get(method)
    if (exact && !exact.path.includes('{')) return { found: 'operation', operation: exact, values: [] }
    for (const { operation, pattern } of this.#candidates(path)) {
      if (operation.method !== method) continue
      const values = pattern.exec(path)
      if (values) return { found: 'operation', operation, values: values.slice(1) }
    }
    const methods = this.#methods(path)
    return methods.length > 0 ? { found: 'path', allow: allowOf(methods) } : { found: 'nothing' }
  }

  override getOperations(): Operation[] {
    return this.#operations
  }

  override getOperation(operationId: string): Operation | undefined {
    return this.#operations.find((operation) => operation.operationId === operationId)
  }

  override matchOperation(request: Request): Operation | undefined
  override matchOperation(request: Request, strict: boolean): Operation
  override matchOperation(request: Request, strict = false): Operation | undefined {
    const { method, path } = this.normalizeRequest(request)
    const match: Match = this.#isBelowRoot(path) ? this.match(method, this.normalizePath(path)) : { found: 'nothing' }
    if (match.found === 'operation') return match.operation
    if (!strict) return undefined
    throw new Error(match.found === 'path' ? '405-methodNotAllowed: no such method' : '404-notFound: no such path')
  }

  #isBelowRoot(path: string): boolean {
    return this.apiRoot === '/' || path.startsWith(`${this.apiRoot}/`)
  }

  #candidates(path: string): readonly Route[] {
    const buckets = this.#templates.get(segmentCount(path))
    return buckets?.get(firstSegment(path)) ?? buckets?.get(parameter) ?? []
  }

  #methods(path: string): string[] {
    const exact = this.#exact.get(path)?.keys() ?? []
    const templates = this.#candidates(path).filter(({ pattern }) => pattern.test(path))
    return [...new Set([...exact, ...templates.map(({ operation }) => operation.method)])]
  }
}

/** The value of `Allow`: HEAD is allowed where GET is, and OPTIONS everywhere. */
function allowOf(methods: string[]): string {
  const all = methods.flatMap((method) => (method === 'get' ? ['get', 'head'] : method))
  return [...new Set([...all, 'options'])].map((method) => method.toUpperCase()).join(', ')
}

/** The key of routes whose first segment has a parameter. */
const parameter = '{'

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  const segment = path.slice(1, end < 0 ? undefined : end)
  return segment.includes('{') ? parameter : segment
}

function segmentCount(path: string): number {
  let count = 0
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count += 1
  return count
}

/** The names of a path template's parameters, in its order. */
export function templateNames(path: string): string[] {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name = '']) => name)
}

function patternOf(path: string): RegExp {
  const literals = path.split(/\{[^}]+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${literals.join('([^/]+)')}$`)
}

function literalLength(path: string): number {
  return path.replace(/\{[^}]*\}/g, '').length
}
