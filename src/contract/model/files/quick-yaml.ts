import { FAILSAFE_SCHEMA, load, Type, type State, type YAMLException } from 'js-yaml'
import { exactInteger } from '../../../integers.ts'
import type { Path } from '../node.ts'

/** The value of a text, and where in it the values of paths stand. */
export interface QuickYaml {
  root: unknown
  /** The offset of the key or the item at a path, or of the nearest parent that is there. */
  offsetOf: (path: Path) => number
}

/** A value and its place in the text. */
interface Found {
  offset: number
  value: unknown
  /** The items of a list, or the keys and values of a mapping in turn. */
  parts?: readonly Found[]
}

/** What js-yaml is reading; its types leave out two keys. */
type Reading = State & { anchor: string | null; kind: string | null }

/**
 * Reads a text of YAML by js-yaml, which takes a fifth of the time that the library yaml takes; undefined if it has a
 * fault, or something that the two read in different ways.
 */
export function quickYaml(text: string): QuickYaml | undefined {
  // js-yaml does not count it
  if (text.startsWith('\uFEFF')) return undefined
  const open: { offset: number; parts?: Found[] }[] = [{ offset: 0 }]
  /** The offset of a bracket that is not indented deeper than the key before it. */
  let bracket: number | undefined
  const enter = (event: 'open' | 'close', state: State): void => {
    if (event === 'open') {
      open.push({ offset: state.position })
      return
    }
    const { offset, parts = [] } = open.pop() ?? refuse()
    if (bracket === state.position - 1) {
      if (indentAt(text, offset) !== indentAt(text, bracket)) refuse()
      bracket = undefined
    }
    const around = open.at(-1) ?? refuse()
    around.parts ??= []
    around.parts.push(found(state as Reading, offset, parts))
  }
  const onWarning = ({ mark }: YAMLException): void => {
    if (bracket !== undefined || !/[\]}]/.test(text.charAt(mark.position))) refuse()
    bracket = mark.position
  }
  try {
    load(text, { schema, listener: enter, onWarning })
    if (bracket !== undefined) return undefined
  } catch {
    return undefined
  }
  const [root, second] = open[0]?.parts ?? []
  return root && !second ? { root: root.value, offsetOf: (path) => offsetOf(root, path) } : undefined
}

/** The spaces before a line, of which the first other one is no dash. */
function indentAt(text: string, offset: number): number {
  const start = text.lastIndexOf('\n', offset) + 1
  let end = start
  while (text[end] === ' ') end += 1
  return text[end] === '-' ? refuse() : end - start
}

function found({ anchor, input, kind, position, result }: Reading, offset: number, parts: readonly Found[]): Found {
  // an alias would be the same object again, a key stands behind its tag, a comment needs a space before it
  if (anchor !== null || input[offset] === '!' || (input[position] === '#' && /\S/.test(input[position - 1] ?? '')))
    refuse()
  const value: unknown = result
  if (typeof value !== 'object' || value === null) return { offset, value }
  const [first] = parts
  // js-yaml first tries a value as the first key of a mapping, and then reports it twice
  if (first?.value === value) return first
  if (kind === 'mapping') checkPairs(value as Readonly<Record<string, unknown>>, parts)
  else if (parts.length !== (value as unknown[]).length) refuse()
  return { offset, value, parts }
}

/** Refuses keys that are no single values, merge keys, and pairs of which one is not written. */
function checkPairs(mapping: Readonly<Record<string, unknown>>, parts: readonly Found[]): void {
  for (let index = 0; index < parts.length; index += 2) {
    const [{ value: key } = refuse(), { value } = refuse()] = [parts[index], parts[index + 1]]
    if (mapping[String(key)] !== value || key === '<<' || key === null || typeof key === 'object') refuse()
  }
}

function refuse(): never {
  throw new Error('not read')
}

/** What a scalar without quotes can be beside a text, in the core schema of YAML 1.2. */
const simple =
  /^(?:~|[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE|0[ox][\dA-Fa-f]+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN))$/

const schema = FAILSAFE_SCHEMA.extend({
  implicit: [
    new Type('simple', { kind: 'scalar', resolve: (text: string) => simple.test(text), construct: simpleValue }),
  ],
})

function simpleValue(text: string): unknown {
  // 0 has no sign
  if (/^[-+]?\d+$/.test(text)) return exactInteger(text) || 0
  if (/^[~n]/i.test(text)) return null
  if (/^[tf]/i.test(text)) return /^t/i.test(text)
  // 0x1f and .inf are rare
  return /^0[ox]|[fn]$/i.test(text) ? refuse() : Number(text)
}

function offsetOf(root: Found, path: Path): number {
  let { offset, parts = [], value } = { ...root, offset: 0 }
  for (const key of path) {
    const isList = Array.isArray(value)
    const index = isList ? Number(key) : parts.findIndex((one, at) => at % 2 === 0 && String(one.value) === key)
    const [marked, next] = [parts[index], parts[isList ? index : index + 1]]
    if (!marked || !next) break
    ;({ offset } = marked)
    ;({ parts = [], value } = next)
  }
  return offset
}
