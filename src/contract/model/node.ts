/** An object of a contract whose keys are keywords of OpenAPI. */
export type Node = Record<string, unknown>

/** The keys from the root of a contract to a value in it. */
export type Path = readonly string[]

/** A value in a contract, with its path. */
export interface Located {
  at: Path
  value: unknown
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. The keys of a list are its indexes. */
export function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}
}

/** The keys and values of a value that may be a mapping. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isNode(value) ? Object.entries(value) : []
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value of a key that an object has itself. */
export function ownValue<T>(values: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/** The keys of a JSON pointer such as `/paths/~1pets` (RFC 6901), or `#/paths/~1pets`. */
export function pathOf(pointer: string): string[] {
  const keys = pointer.replace(/^#?\/?/, '')
  return keys === '' ? [] : keys.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function pointerOf(path: Path): string {
  let pointer = ''
  for (const key of path) pointer += `/${/[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key}`
  return pointer
}
