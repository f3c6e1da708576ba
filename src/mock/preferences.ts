/** What a client asks of a mock by the header `Prefer` (RFC 7240). */
export interface Preferences {
  /** One of the statuses that the operation declares. */
  code?: string
  /** The name of one of the examples of the answer. */
  example?: string
  /** Whether the body is made up from the schema, where there are examples. */
  dynamic?: string
}

const names = ['code', 'example', 'dynamic'] as const

/** Reads the header. Of several preferences of one name the first counts; unknown ones are ignored. */
export function readPreferences(header: unknown): Preferences {
  const read: Preferences = {}
  const parts = typeof header === 'string' ? header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) : null
  for (const part of parts ?? []) {
    const [, token = '', quoted, word = ''] =
      /^\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;"]*))/.exec(part) ?? []
    const name = names.find((one) => one === token.toLowerCase())
    if (name !== undefined) read[name] ??= quoted?.replaceAll(/\\(.)/g, '$1') ?? word
  }
  return read
}

/** The preferences that an answer meets, as the header `Preference-Applied` says them; undefined for none. */
export function appliedText(applied: Preferences): string | undefined {
  const texts = names.flatMap((name) => {
    const value = applied[name]
    if (value === undefined) return []
    return /^[\w!#$%&'*+.^`|~-]+$/.test(value)
      ? `${name}=${value}`
      : `${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  })
  return texts.length === 0 ? undefined : texts.join(', ')
}
