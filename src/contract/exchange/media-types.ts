import { partsOf, typesOf } from '../compile/schemas/parts.ts'
import type { ResolvedMedia } from '../compile/resolve.ts'

/** What a body is, as handlers get and return it: a JSON value, an object of fields, a text, or bytes. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes'

/** A media type without its parameters, in lower case. */
export function plainType(mediaType: string): string {
  const end = mediaType.indexOf(';')
  return (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}

/** What a body of a declared media type is; undefined when the service cannot read or write it. */
export function kindOf(root: unknown, mediaType: string, { schema }: ResolvedMedia): BodyKind | undefined {
  const type = plainType(mediaType)
  const types = typesOf(partsOf(root, schema))
  const structured = types.has('object') || types.has('array')
  if (isJson(type)) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type === 'multipart/form-data') return 'multipart'
  if (type.startsWith('multipart/')) return undefined
  // what accepts anything is JSON where the schema has parts
  if (structured) return type === '*/*' || type === 'application/*' ? 'json' : undefined
  return type.startsWith('text/') ? 'text' : 'bytes'
}

export function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** Whether a media type of a request is the declared one, or within its range such as `image/*`. */
export function isWithin(type: string, declared: string): boolean {
  if (declared === type || declared === '*/*') return true
  return declared.endsWith('/*') && type.startsWith(declared.slice(0, -1))
}
