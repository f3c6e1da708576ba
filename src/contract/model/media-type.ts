/** A media type without its parameters, in lower case. */
export function plainType(mediaType: string): string {
  const end = mediaType.indexOf(';')
  return (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}

export function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** Whether a media type of a request is the declared one, or within its range such as `image/*`. */
export function isWithin(type: string, declared: string): boolean {
  if (declared === type || declared === '*/*') return true
  return declared.endsWith('/*') && type.startsWith(declared.slice(0, -1))
}
