/** What must be percent-encoded in a path (RFC 3986 section 3.3), and the sign of what is. */
const special = /[^\w.~!$&'()*+,;=:@/-]/
const escapeOrCharacter = /%[\da-f]{2}|[ -~]/gi

/**
 * The one form of all spellings of a path (RFC 3986 section 6.2.2): characters that may stand in a segment are decoded,
 * and others are encoded, with capital digits. An encoded slash stays part of its segment.
 */
export function normalized(path: string): string {
  if (!special.test(path)) return path
  return path.replace(escapeOrCharacter, (text) => {
    const isEscape = text.length > 1
    const character = isEscape ? String.fromCharCode(Number.parseInt(text.slice(1), 16)) : text
    if (special.test(character) || (isEscape && character === '/'))
      return isEscape ? text.toUpperCase() : `%${text.charCodeAt(0).toString(16).toUpperCase()}`
    return character
  })
}

/** Whether a path has a percent sign that begins no escape, or escapes that are not UTF-8. */
export function isMalformed(path: string): boolean {
  if (!path.includes('%')) return false
  try {
    decodeURIComponent(path)
    return false
  } catch {
    return true
  }
}
