/** Characters that could move the cursor, hide or turn what follows, or fake a line. */
const moving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text with escapes for characters that a terminal would act on. */
export function escaped(text: string): string {
  return text.replace(moving, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
}

/** A value as JSON with escapes for the same characters, which changes nothing for programs. */
export function escapedJson(value: unknown): string {
  const units = (text: string): string[] => Array.from({ length: text.length }, (_, at) => unit(text.charCodeAt(at)))
  return JSON.stringify(value).replace(moving, (one) => units(one).join(''))
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
