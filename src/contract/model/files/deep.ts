import { Lexer } from 'yaml'
import { isNestedTooDeeply, maxNesting } from '../nesting.ts'

/** What is wrong with a file that is nested too deeply, and what to do about it. */
export const tooDeep = [
  `The file has more than ${maxNesting} levels of lists and mappings in each other.`,
  'Move inner parts to the components, and refer to them.',
] as const

/**
 * Where brackets of a text stand in too many others, for which the parsers have no room: Node.js ends if its stack
 * overflows in a regular expression. Undefined for any other text.
 */
export function deepPlace(text: string): { line: number; column: number } | undefined {
  // faster than the lexer, and takes brackets in texts for such as well
  if (!isNestedTooDeeply(text)) return undefined
  let [level, offset] = [0, 0]
  for (const token of new Lexer().lex(text)) {
    if (token === '{' || token === '[') level += 1
    else if (token === '}' || token === ']') level -= 1
    if (level > maxNesting) {
      const before = text.slice(0, offset).split('\n')
      return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
    }
    // marks of the lexer are not in the text
    if (text.startsWith(token, offset)) offset += token.length
  }
  return undefined
}
