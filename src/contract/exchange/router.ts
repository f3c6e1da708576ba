import { kept } from '../../kept.ts'
import { isMalformed, normalized } from '../model/path.ts'

/** An operation with its method in lower case and its path template, relative to the API root. */
export interface Route<T> {
  method: string
  path: string
  operation: T
}

/**
 * The result of matching a method and a path. `values` are the path parameters in the template's order, still encoded. A
 * malformed path has a percent sign that begins no escape.
 */
export type Match<T> =
  | { found: 'operation'; operation: T; values: readonly string[] }
  | { found: 'path'; allow: string }
  | { found: 'malformed' | 'nothing' }

/** The text of a segment without parameters; or the literals around its parameters, which are empty for a single one. */
type Segment = string | readonly string[]

interface Template<T> extends Route<T> {
  segments: readonly Segment[]
}

/**
 * Finds the operation of a request, as openapi-backend's router does, with everything about the contract computed once.
 * There are two differences: slashes at the end are not ignored, and literals match whichever of their characters are
 * percent-encoded (RFC 3986 section 6.2.2).
 */
export class ContractRouter<T> {
  readonly #routes: readonly Route<T>[]
  readonly #exact = new Map<string, Map<string, T>>()
  /** Templates by number of segments, then by first segment. */
  readonly #templates = new Map<number, Map<string, Template<T>[]>>()

  /** Routes of the same path are in the order of their methods in `Allow`. */
  constructor(routes: readonly Route<T>[]) {
    this.#routes = routes
    for (const { method, path, operation } of routes.filter((one) => !one.path.includes('{'))) {
      const methods = kept(this.#exact, normalized(path), () => new Map<string, T>())
      if (!methods.has(method)) methods.set(method, operation)
    }
    // the template with the most literal characters first, as in openapi-backend's router
    const templates = routes
      .filter(({ path }) => path.includes('{'))
      .sort((a, b) => literalLength(b.path) - literalLength(a.path))
      .map((route): Template<T> => ({ ...route, segments: segmentsOf(route.path) }))
    for (const { segments } of templates) {
      const buckets = kept(this.#templates, segments.length, () => new Map<string, Template<T>[]>())
      const first = bucketOf(segments)
      if (buckets.has(first)) continue
      const alike = templates.filter((one) => one.segments.length === segments.length)
      buckets.set(
        first,
        alike.filter((one) => [first, anyFirst].includes(bucketOf(one.segments))),
      )
    }
  }

  /** The path templates of all operations. */
  paths(): string[] {
    return [...new Set(this.#routes.map(({ path }) => path))]
  }

  /** The same routes with other operations. */
  map<U>(to: (operation: T) => U): ContractRouter<U> {
    return new ContractRouter(this.#routes.map((route) => ({ ...route, operation: to(route.operation) })))
  }

  /** `method` is in lower case; `path` is relative to the API root, without query. */
  match(method: string, path: string): Match<T> {
    if (isMalformed(path)) return { found: 'malformed' }
    const plain = normalized(path)
    const exact = this.#exact.get(plain)?.get(method)
    if (exact !== undefined) return { found: 'operation', operation: exact, values: [] }
    const [matched] = this.#matches(path, plain, method)
    if (matched) return { found: 'operation', operation: matched.template.operation, values: matched.values }
    const allow = this.allowOf(path)
    return allow === undefined ? { found: 'nothing' } : { found: 'path', allow }
  }

  /** The value of `Allow`: HEAD is allowed where GET is, and OPTIONS everywhere. Undefined if no operation has the path. */
  allowOf(path: string): string | undefined {
    const plain = normalized(path)
    const templates = this.#matches(path, plain).map(({ template }) => template.method)
    const methods = [...(this.#exact.get(plain)?.keys() ?? []), ...templates]
    if (methods.length === 0) return undefined
    const all = methods.flatMap((method) => (method === 'get' ? ['get', 'head'] : method))
    return [...new Set([...all, 'options'])].map((method) => method.toUpperCase()).join(', ')
  }

  /**
   * The templates that match, best first; of a method the best alone. Within a segment that has parameters, an escape is data if the segment matches
   * that way, so `/items/a%3Aclose` is the item `a:close` and not `/items/{id}:close` of `a`.
   */
  #matches(path: string, plain: string, method?: string): { template: Template<T>; values: string[] }[] {
    const texts = textsOf(plain)
    const buckets = this.#templates.get(texts.length)
    const candidates = buckets?.get(texts[0] ?? '') ?? buckets?.get(anyFirst) ?? []
    const sent = path === plain ? texts : textsOf(path)
    const matches = []
    for (const mixed of sent === texts ? [sent] : [sent, texts]) {
      for (const template of candidates) {
        if (method !== undefined && template.method !== method) continue
        const values = valuesOf(template, { sent, texts, mixed })
        if (!values) continue
        matches.push({ template, values })
        if (method !== undefined) return matches
      }
    }
    return matches
  }
}

/** The key of templates whose first segment has a parameter; no segment has a slash. */
const anyFirst = '/'

function bucketOf([first]: readonly Segment[]): string {
  return typeof first === 'string' ? first : anyFirst
}

function segmentsOf(path: string): Segment[] {
  return textsOf(path.replace(/\{[^}]+\}/g, '{}')).map((segment) => {
    const [first = '', ...others] = segment.split('{}').map(normalized)
    return others.length === 0 ? first : [first, ...others]
  })
}

/**
 * The values of a path, if the template matches its segments: as they were sent, as normalized `texts`, and as those of
 * the two by which a segment is matched that has literals beside its parameters (`mixed`).
 */
function valuesOf(
  { segments }: Pick<Template<unknown>, 'segments'>,
  { sent, texts, mixed }: Record<'sent' | 'texts' | 'mixed', readonly string[]>,
): string[] | undefined {
  const values: string[] = []
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index] ?? ''
    if (typeof segment === 'string') {
      if (segment !== texts[index]) return undefined
    } else if (segment.length === 2 && segment[0] === '' && segment[1] === '') {
      const value = sent[index] ?? ''
      if (value === '') return undefined
      values.push(value)
    } else {
      const found = valuesBetween(segment, mixed[index] ?? '')
      if (!found) return undefined
      values.push(...found)
    }
  }
  return values
}

/** What a text has between literals: the first value as long as can be, then the second, and none of them empty. */
function valuesBetween(literals: readonly string[], text: string): string[] | undefined {
  const [first = ''] = literals
  const last = literals.at(-1) ?? ''
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined
  const values: string[] = []
  let end = text.length - last.length
  for (const literal of literals.slice(1, -1).reverse()) {
    const latest = end - 1 - literal.length
    const at = latest < 0 ? -1 : text.lastIndexOf(literal, latest)
    if (at < 0) return undefined
    values.unshift(text.slice(at + literal.length, end))
    end = at
  }
  return end > first.length ? [text.slice(first.length, end), ...values] : undefined
}

/** The segments of a path. `split` takes 0.1 µs more of each request. */
function textsOf(path: string): string[] {
  const texts: string[] = []
  let from = 1
  for (let to = path.indexOf('/', from); to >= 0; to = path.indexOf('/', from)) {
    texts.push(path.slice(from, to))
    from = to + 1
  }
  texts.push(path.slice(from))
  return texts
}

function literalLength(path: string): number {
  return path.replace(/\{[^}]*\}/g, '').length
}
