import { inside } from './error-messages.ts'
import { InvalidRequest } from './invalid-request.ts'
import type { Parameter } from '../model/operation.ts'
import { decodeSegment } from './query.ts'

/**
 * Compiles how a path parameter is read: as its text, or as the texts of its parts when it has some. The styles are those
 * of OpenAPI 3.0.3 (Parameter Object, Style Values): `3,4`, `.3.4` for `label`, `;id=3,4` or `;id=3;id=4` for `matrix`.
 */
export function segmentReader({ name, style, explode, structure }: Parameter): (text: string) => string | string[] {
  const split = (text: string, separator: RegExp | string): string[] =>
    text.split(separator).map((part) => decodeSegment(part))
  const after = (text: string, mark: string): string => {
    if (text.startsWith(mark)) return text.slice(mark.length)
    throw new InvalidRequest(`${inside('path', name)} must begin with ${mark}`)
  }
  switch (style) {
    case 'label':
      // RFC 6570 section 3.2.5 has commas where the parts are not exploded, and OpenAPI 3.0 has dots
      return (text) => {
        const rest = after(text, '.')
        return structure === undefined ? decodeSegment(rest) : split(rest, !explode && rest.includes(',') ? ',' : '.')
      }
    case 'matrix': {
      const own = `;${encodeURIComponent(name)}=`
      if (structure === undefined) return (text) => decodeSegment(after(text, own))
      if (!explode) return (text) => split(after(text, own), ',')
      if (structure === 'object') return (text) => split(after(text, ';'), ';')
      return (text) =>
        after(text, ';')
          .split(';')
          .map((part) => decodeSegment(after(`;${part}`, own)))
    }
    default:
      return structure === undefined ? (text) => decodeSegment(text) : (text) => split(text, ',')
  }
}
