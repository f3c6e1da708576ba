/** White space, control and format characters, and letters that have no width or no ink. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Says which character of a setting cannot be seen, such as `its character 11 is \r`. A space between two visible
 * characters can be. Returns undefined if there is none.
 */
export function strayCharacter(text: string): string | undefined {
  const characters = Array.from(text)
  const isStray = (character: string, at: number): boolean =>
    invisible.test(character) && !(character === ' ' && at > 0 && at < characters.length - 1)
  const at = characters.findIndex(isStray)
  return at === -1 ? undefined : `its character ${at + 1} is ${escapeOf(characters[at] ?? '')}`
}

/** A text in quotes, with escapes for all that cannot be seen. */
export function quoted(text: string): string {
  const characters = Array.from(JSON.stringify(text))
  return characters.map((one) => (one !== ' ' && invisible.test(one) ? escapeOf(one) : one)).join('')
}

/** A text without the characters that cannot be seen. */
export function visible(text: string): string {
  return Array.from(text)
    .filter((one) => !invisible.test(one))
    .join('')
}

function escapeOf(character: string): string {
  const escape = JSON.stringify(character).slice(1, -1)
  if (escape !== character) return escape
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
}

/** What is wrong with a value: a fragment for the end of a sentence about it. */
export class Wrong {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** A text without what may be credentials of a URL. */
export function withoutPassword(text: string): string {
  return text.replace(/.*@/s, '…@')
}
