import {
  isMap,
  isScalar,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type ParsedNode,
  type YAMLError,
} from 'yaml'
import type { Finding, Place } from './finding.ts'

/** The text of a contract, or the fault that it is no text in UTF-8. */
export function decoded(bytes: Uint8Array, file: string): string | Finding {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
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

/** What keeps a text from being one YAML document of OpenAPI. */
export function textFaults(text: string, file: string): Finding[] {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const [document, second] = 'empty' in documents ? [] : documents
  const rows = text.split('\n')
  const faults = causes(document?.errors ?? [], text).map((error) => {
    const place = placeAt(error.offset)
    const first = document && error.code === 'DUPLICATE_KEY' ? firstOf(document, error.offset) : undefined
    return {
      ...yamlFault(error, { place, text, first: first === undefined ? undefined : placeAt(first) }),
      excerpt: excerptOf(rows, place.line),
    }
  })
  if (faults.length > 0) return faults
  if (second) {
    const mend = 'Take away what begins with the line "---", or move it to a file of its own.'
    return [fault(placeAt(second.range[0]), 'The file has more than one YAML document.', mend)]
  }
  return versionFault(document?.contents, placeAt)
}

const ofIndent = ['TAB_AS_INDENT', 'BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY', 'IMPOSSIBLE']

/** The errors without those that follow from a wrong indentation further up. */
function causes(errors: readonly YAMLError[], text: string): Fault[] {
  const first = errors.findIndex(({ code }) => ofIndent.includes(code))
  return errors
    .filter(({ code }, index) => index === first || !ofIndent.includes(code))
    .map(({ code, message, pos: [offset] }) => {
      if (code !== 'BLOCK_AS_IMPLICIT_KEY') return { code, message, offset }
      // YAML takes a line that is indented deeper for a part of the value above it
      const [, indent = '', next = ''] =
        /^( *).*\n( *)(?=\S)/.exec(text.slice(text.lastIndexOf('\n', offset) + 1)) ?? []
      const isDeeper = next.length > indent.length
      return isDeeper
        ? { code: 'BAD_INDENT', message, offset: text.indexOf('\n', offset) + 1 }
        : { code, message, offset }
    })
}

interface Fault {
  code: YAMLError['code']
  message: string
  offset: number
}

function versionFault(contents: unknown, placeAt: (offset: number) => Place): Finding[] {
  const mend = 'Begin the file with "openapi: 3.0.3".'
  if (contents === undefined || contents === null || (isScalar(contents) && contents.value === null)) {
    return [fault(placeAt(0), 'The file is empty.', mend)]
  }
  if (!isMap(contents)) return [fault(placeAt(0), 'The file is not an OpenAPI document.', mend)]
  const pairOf = (name: string): { offset: number; value: unknown } | undefined => {
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === name)
    if (!pair || !isScalar(pair.key)) return undefined
    return {
      offset: pair.key.range?.[0] ?? 0,
      value: isScalar(pair.value) ? (pair.value.source ?? pair.value.value) : undefined,
    }
  }
  const [swagger, version] = [pairOf('swagger'), pairOf('openapi')]
  if (swagger) {
    const message = `The file is a document of Swagger ${String(swagger.value)}.`
    return [fault(placeAt(swagger.offset), message, 'Convert it to OpenAPI 3.0 first.')]
  }
  if (!version) return [fault(placeAt(0), 'The file names no version of OpenAPI.', mend)]
  if (typeof version.value === 'string' && /^\d+\.\d+\.\d+/.test(version.value)) return []
  const message = `The version ${String(version.value)} is incomplete; it has three parts.`
  return [fault(placeAt(version.offset), message, 'Write "openapi: 3.0.3".')]
}

/** What the errors of the YAML library mean, and what to do. */
const sentences: Partial<Record<YAMLError['code'], readonly [message: string, mend: string]>> = {
  BAD_INDENT: ['The line is not indented like its neighbours.', 'Indent it by as many spaces as they have.'],
  TAB_AS_INDENT: ['Tabs are not allowed as indentation.', 'Indent by spaces.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'The line has a key inside a value.',
    'Correct the indentation, or put a text with ": " in quotes.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'The line is no key with a value.',
    'Add the colon that is missing, or correct the indentation.',
  ],
}

function yamlFault(
  { code, message, offset }: Fault,
  { place, text, first }: { place: Place; text: string; first: Place | undefined },
): Finding {
  if (code === 'DUPLICATE_KEY') {
    const key = /^[^:\n]*/.exec(text.slice(offset))?.[0].trim() ?? ''
    const where = first ? ` It stands in line ${first.line} already.` : ''
    return fault(place, `The key ${key} is not unique.${where}`, 'Take one away, or join them.')
  }
  const [what, mend] = sentences[code] ?? [`${message.replace(/\.$/, '')}.`, 'Correct the YAML here.']
  return fault(place, what, mend)
}

/** The offset of the key that the key at an offset repeats. */
function firstOf(document: Document<ParsedNode>, offset: number): number | undefined {
  let first: number | undefined
  visit(document, {
    Map(_, { items }) {
      const keys = items.flatMap(({ key }) =>
        isScalar(key) && key.range ? [{ name: key.value, offset: key.range[0] }] : [],
      )
      const again = keys.find((key) => key.offset === offset)
      if (again) first = keys.find(({ name }) => name === again.name)?.offset
    },
  })
  return first
}

/** Some lines around a line, with their numbers. */
function excerptOf(rows: readonly string[], line: number): string {
  const from = Math.max(line - 3, 0)
  return rows
    .slice(from, line + 1)
    .map(
      (content, index) =>
        `${from + index + 1 === line ? '>' : ' '} ${String(from + index + 1).padStart(4)} | ${content}`,
    )
    .join('\n')
}

function fault(place: Place, message: string, mend: string): Finding {
  return { rule: 'contract', severity: 'error', place, message, mend }
}
