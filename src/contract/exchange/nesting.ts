import { InvalidRequest } from './invalid-request.ts'

/** The most levels of lists and objects in a value: every function that follows a value down has room for them. */
export const maxNesting = 500

/** The refusal of a value that has more levels. */
export const nestedTooDeeply = (place: string): InvalidRequest => new InvalidRequest(`${place} is nested too deeply`)

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

const [quote, backslash, openBracket, openBrace, closeBracket, closeBrace] = Array.from('"\\[{]}', (character) =>
  character.charCodeAt(0),
)
