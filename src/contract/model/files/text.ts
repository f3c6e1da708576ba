/** A place in a file; lines and columns count from 1. */
export interface Place {
  file: string
  line: number
  column: number
}

/** Why a text is not a contract. */
export interface TextFault {
  place: Place
  /** What is wrong, as a sentence. */
  message: string
  /** What to do about it, as a sentence. */
  fix: string
  /** The lines around the place, if they help. */
  excerpt?: string
}

/** A fault as one message, which begins with its place. */
export function faultText({ place, message, fix }: TextFault): string {
  return `${placeText(place)} ${message} ${fix}`
}

/** A place in the form that editors and terminals turn into a link. */
export function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`
}

/** A fault without an excerpt. */
export function fault(place: Place, message: string, fix: string): TextFault {
  return { place, message, fix }
}

/** The text of a file with these bytes. Throws a sentence if it is no text in UTF-8. */
export function textOf(bytes: Uint8Array, file: string): string {
  const text = decoded(bytes, file)
  if (typeof text === 'string') return text
  throw new Error(faultText(text))
}

/** The text of a contract, or the fault that it is no text in UTF-8. */
export function decoded(bytes: Uint8Array, file: string): string | TextFault {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const message = 'The lines of the file end with carriage returns alone.'
    if (/\r(?!\n)/.test(text) && !text.includes('\n'))
      return fault({ file, line: 1, column: 1 }, message, 'Save it with the line ends of Unix or Windows.')
    return text
  } catch {
    const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex')
    const start = bytes.subarray(0, 200)
    // each second byte of most texts in UTF-16 is 0
    const isUtf16 = mark === 'fffe' || mark === 'feff' || start.filter((byte) => byte === 0).length > start.length / 3
    if (!isUtf16 && start.includes(0)) {
      return fault({ file, line: 1, column: 1 }, 'The file is not a text.', 'Name a contract in YAML or JSON.')
    }
    const message = `The file is not UTF-8${isUtf16 ? ', but UTF-16' : ''}.`
    return fault({ file, line: 1, column: 1 }, message, 'Save it in UTF-8.')
  }
}

/** The first comment in a file that begins as JSON, which YAML would take for a key. */
export function commentFault(text: string, file: string): TextFault | undefined {
  if (!/^\s*\{/.test(text)) return undefined
  const found = /^[ \t]*(\/\/|\/\*)/m.exec(text)
  if (!found) return undefined
  const line = text.slice(0, found.index).split('\n').length
  return fault({ file, line, column: found[0].search(/\S/) + 1 }, 'JSON has no comments.', 'Take it away.')
}
