/** A place in a contract's file; lines and columns count from 1. */
export interface Place {
  file: string
  line: number
  column: number
}

/** A fault of a contract, and how to correct it. */
export interface Finding {
  rule: string
  severity: 'error' | 'warning'
  place: Place
  /** What is wrong, as a sentence. */
  message: string
  /** What to do about it, as a sentence. */
  fix: string
  /** The lines around the place, if they help. */
  excerpt?: string
}

/** Parses a place such as `openapi.yaml:12:3`, with which messages about a contract begin. */
export function placeOf(text: string): Place {
  const [, file = text, line = '1', column = '1'] = /^(.*):(\d+):(\d+)$/.exec(text) ?? []
  return { file, line: Number(line), column: Number(column) }
}

/** A place in the form that editors and terminals turn into a link. */
export function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`
}

/** Splits a message that begins with a place into the place and the rest. */
export function splitMessage(message: string, file: string): { place: Place; message: string } {
  const [, place, rest = ''] = /^(.*?:\d+:\d+) ([\s\S]*)$/.exec(message) ?? []
  return place === undefined
    ? { place: { file, line: 1, column: 1 }, message }
    : { place: placeOf(place), message: rest }
}

/** An annotation of GitHub Actions (docs.github.com, workflow commands). */
export function annotation(
  level: 'error' | 'warning' | 'notice',
  place: Place,
  title: string,
  message: string,
): string {
  const { file, line, column } = place
  const properties = [`title=${property(title)}`, `file=${property(file)}`, `line=${line}`, `col=${column}`]
  return `::${level} ${properties.join(',')}::${escaped(message)}`
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
