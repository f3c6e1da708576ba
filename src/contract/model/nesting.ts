/**
 * The most levels of lists and objects in a value, or in a file of the contract: every function that follows one down has
 * room for them.
 */
export const maxNesting = 500

/** Whether a JSON text has more levels; one that is not JSON may have them or not. */
export function isNestedTooDeeply(text: string): boolean {
  if (text.length <= maxNesting) return false
  let level = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += 1
    else if (code === quote) inString = !inString
    else if (inString) continue
    else if (code === openBracket || code === openBrace) level += 1
    else if (code === closeBracket || code === closeBrace) level -= 1
    if (level > maxNesting) return true
  }
  return false
}

/** The path to a value below the allowed levels of lists and objects; undefined without one. */
export function tooDeepIn(value: unknown, levels = maxNesting): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return []
  for (const [key, inner] of Object.entries(value)) {
    const found = tooDeepIn(inner, levels - 1)
    if (found) return [key, ...found]
  }
  return undefined
}

const [quote, backslash, openBracket, openBrace, closeBracket, closeBrace] = Array.from('"\\[{]}', (character) =>
  character.charCodeAt(0),
)
