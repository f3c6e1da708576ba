import { maxNesting } from '../model/nesting.ts'
import { inside } from './error-messages.ts'
import { InvalidRequest, nestedTooDeeply } from './invalid-request.ts'

/** How the parameters of a query, or the fields of a form, are written. */
export interface QueryShape {
  /** Names that may be repeated; their values are arrays. */
  lists: ReadonlySet<string>
  /** Names of one value with separators; the values between them are an array. */
  separated: ReadonlyMap<string, RegExp | string>
  /** Names of objects whose fields are written as `name[field]`. */
  deep: ReadonlySet<string>
}

/** Parses the query of a request target, the part after `?`. A name that is repeated but no list is refused. */
export function readQuery(text: string, { lists, separated, deep }: QueryShape, place = 'query'): Query {
  const query = Object.create(null) as Query
  if (text === '') return query
  const whole = place === 'query' ? undefined : `The ${place}`
  const decode = (part: string): string => decodeSegment(part.replaceAll('+', ' '), whole)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : pair.slice(equals + 1)
    const known = query[name]
    const separator = known === undefined ? separated.get(name) : undefined
    if (separator !== undefined) query[name] = value.split(separator).map(decode)
    else if (lists.has(name)) addItem(query, name, decode(value))
    else if (deep.size > 0 && deep.has(name.split('[', 1)[0] ?? '')) putDeep(query, name, decode(value), place)
    else if (known === undefined) query[name] = decode(value)
    else throw repeated(place, name)
  }
  return query
}

/** Puts the value of `b[c]` into the object `b`, and of `b[]` into the list `b`. */
function putDeep(query: Query, name: string, value: string, place: string): void {
  const keys = name.split('[').map((key) => key.replace(/\]$/, ''))
  if (keys.length > maxNesting) throw nestedTooDeeply(inside(place, keys[0]))
  const isItem = keys.at(-1) === ''
  if (isItem) keys.pop()
  const last = keys.pop() ?? ''
  let node = query
  for (const key of keys) {
    const inner = (node[key] ??= Object.create(null) as Query)
    if (typeof inner === 'string' || Array.isArray(inner)) throw repeated(place, name)
    node = inner
  }
  const known = node[last]
  if (isItem && (known === undefined || Array.isArray(known))) addItem(node, last, value)
  else if (known === undefined) node[last] = value
  else throw repeated(place, name)
}

/** Adds to a list in its place: a copy for each item would cost the square of their number. */
function addItem(node: Query, name: string, value: string): void {
  const known = node[name]
  if (Array.isArray(known)) known.push(value)
  else node[name] = [value]
}

export interface Query {
  [name: string]: string | string[] | Query
}

/** The refusal of a text with a percent sign that begins no escape. */
export function malformedEscape(name = 'The address'): InvalidRequest {
  return new InvalidRequest(`${name} contains a percent sign that is not part of a UTF-8 escape`)
}

/** Decodes a part of an address, or of what has another name. Escapes that are not UTF-8 are refused. */
export function decodeSegment(text: string, name?: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformedEscape(name)
  }
}

function repeated(place: string, name: string): Error {
  return new InvalidRequest(`${inside(place, name)} must not be given more than once`)
}
