import { invalidRequest } from '../../api-error.ts'
import { quotedName } from './faults.ts'

/**
 * Parses the query of a request target, the part after `?`. The parameters in `lists` may be repeated, and their values
 * are arrays; any other parameter that is repeated is refused. The parameters in `separated` are one value with commas.
 */
export function readQuery(text: string, lists: ReadonlySet<string>, separated: ReadonlySet<string>): Query {
  const query = Object.create(null) as Query
  if (text === '') return query
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : pair.slice(equals + 1)
    const known = query[name]
    if (separated.has(name) && known === undefined) query[name] = value.split(',').map(decode)
    else if (lists.has(name)) query[name] = [...((known ?? []) as string[]), decode(value)]
    else if (known === undefined) query[name] = decode(value)
    else throw invalidRequest(`query.${quotedName(name)} must not be given more than once.`)
  }
  return query
}

export type Query = Record<string, string | string[]>

/** Decodes a part of a path. Escapes that are not UTF-8 are refused. */
export function decodeSegment(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidRequest('The address contains a percent sign that is not part of a UTF-8 escape.')
  }
}

function decode(text: string): string {
  return decodeSegment(text.replaceAll('+', ' '))
}
