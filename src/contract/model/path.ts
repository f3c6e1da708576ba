/** The names of a path template's parameters, in its order. */
export function templateNames(path: string): string[] {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name = '']) => name)
}

/** Whether braces of a path are not in pairs around a name. */
export function hasOddBraces(path: string): boolean {
  return /[{}]/.test(path.replace(/\{[^{}]+\}/g, ''))
}

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

/** A path of the contract as requests have it: characters that a path cannot have are percent-encoded. */
export function encoded(path: string): string {
  return path.replace(/[^\w.~!$&'()*+,;=:@%/{}-]+/gu, encodeURIComponent)
}

/** The form in which two path templates are equal that match the same paths: normalized, without the names of parameters. */
export function templateShape(path: string): string {
  return path
    .split(/\{[^}]+\}/)
    .map((text) => normalized(encoded(text)))
    .join('{}')
}

/**
 * The target of a request below a base path, with the base path as the contract has it, however its characters are
 * percent-encoded; undefined for any other target.
 */
export function targetBelow(basePath: string): (target: string) => string | undefined {
  const depth = basePath.split('/').length
  return (target) => {
    if (target.startsWith(basePath)) {
      const next = target[basePath.length]
      if (next === '/' || next === '?' || next === undefined) return target
    }
    if (!target.includes('%')) return undefined
    const start = target.split('?', 1)[0]?.split('/', depth).join('/') ?? ''
    return normalized(start) === basePath ? basePath + target.slice(start.length) : undefined
  }
}
