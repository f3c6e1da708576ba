/** A node of a contract: an object whose keys are keywords of OpenAPI, or names where `keyedByName` says so. */
export type Node = Record<string, unknown>

/** Under these keys an object's own keys are names and not keywords. */
export const keyedByName = new Set(['properties', 'responses', 'headers', 'content', 'parameters', 'schemas', 'paths'])

/** Under these keys stands data of the contract's author, which only looks like the contract. */
const data = new Set(['example', 'examples', 'default', 'enum', 'variables', 'mapping'])

/** Visits every object of a contract that is not data, each before what it holds. */
export function walkContract(
  value: unknown,
  visit: (node: Node, path: readonly string[]) => void,
  path: readonly string[] = [],
): void {
  if (typeof value !== 'object' || value === null) return
  const isNode = !Array.isArray(value) && !keyedByName.has(path.at(-1) ?? '')
  if (isNode) visit(value as Node, path)
  for (const [key, child] of Object.entries(value)) {
    if (isNode && (data.has(key) || key.startsWith('x-'))) continue
    walkContract(child, visit, [...path, key])
  }
}
