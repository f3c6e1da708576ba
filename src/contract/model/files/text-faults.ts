import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type ParsedNode,
  type YAMLError,
  type YAMLWarning,
} from 'yaml'
import { deepPlace, tooDeep } from './deep.ts'
import { fault, faultText, placeText, type Place, type TextFault } from './text.ts'

/** What keeps a text from being one YAML document of OpenAPI. */
export function textFaults(text: string, file: string): TextFault[] {
  const deep = deepPlace(text)
  if (deep) return [fault({ file, ...deep }, ...tooDeep)]
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const mark = conflict.exec(text)
  if (mark) {
    const message = 'The file has the marks of a merge that is not finished.'
    return [fault(placeAt(mark.index), message, 'Choose between the two versions, and take the marks away.')]
  }
  const [document, second] = 'empty' in documents ? [] : documents
  const rows = text.split('\n')
  const faults = causes(document?.errors ?? [], text).map((error) => {
    const open = document && openedBefore(document, error)
    const further = open && furtherLine(text, open)
    if (further !== undefined) {
      const place = placeAt(further)
      const message = 'The line is a part of the text in quotes above it, and is not indented.'
      return {
        ...fault(place, message, 'Indent it deeper than the key of the text.'),
        excerpt: excerptOf(rows, place.line),
      }
    }
    if (open) {
      const place = placeAt(open.offset)
      const fix = `Add the ${open.closing} that is missing.`
      return {
        ...fault(place, `What begins here with ${open.opening} does not end.`, fix),
        excerpt: excerptOf(rows, place.line),
      }
    }
    const place = placeAt(error.offset)
    const first = document && error.code === 'DUPLICATE_KEY' ? firstOf(document, error.offset) : undefined
    return {
      ...yamlFault(error, { place, text, first: first === undefined ? undefined : placeAt(first) }),
      excerpt: excerptOf(rows, place.line),
    }
  })
  const first = new Map(faults.toReversed().map((one) => [placeText(one.place), one]))
  if (faults.length > 0) return faults.filter((one) => first.get(placeText(one.place)) === one)
  if (second) {
    const fix = 'Take away what begins with the line "---", or move it to a file of its own.'
    return [fault(placeAt(second.range[0]), 'The file has more than one YAML document.', fix)]
  }
  return versionFault(document?.contents, placeAt)
}

/** Throws the first fault of a text. */
export function requireText(text: string, file: string): void {
  const [first] = textFaults(text, file)
  if (first) throw new Error(faultText(first))
}

/** Lines that git writes where two versions of a file do not go together. */
const conflict = /^(<{7}|={7}|>{7})( |$)/m

const ofIndent = [
  'UNEXPECTED_TOKEN',
  'TAB_AS_INDENT',
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'MULTILINE_IMPLICIT_KEY',
  'IMPOSSIBLE',
]

/** The errors without those that follow from a wrong indentation further up. */
function causes(errors: readonly YAMLError[], text: string): Fault[] {
  // what follows a quote that is not closed counts as its text, so other errors mean nothing
  const open = errors.find(({ message }) => message.startsWith('Missing closing'))
  if (open) return [{ code: open.code, message: open.message, offset: open.pos[0] }]
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

function versionFault(contents: unknown, placeAt: (offset: number) => Place): TextFault[] {
  const fix = 'Begin the file with "openapi: 3.0.3".'
  if (contents === undefined || contents === null || (isScalar(contents) && contents.value === null)) {
    return [fault(placeAt(0), 'The file is empty.', fix)]
  }
  if (!isMap(contents)) return [fault(placeAt(0), 'The file is not an OpenAPI document.', fix)]
  const pairOf = (name: string): { offset: number; value: unknown } | undefined => {
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === name)
    if (!pair || !isScalar(pair.key)) return undefined
    return {
      offset: pair.key.range?.[0] ?? 0,
      value: isScalar(pair.value) ? (pair.value.source ?? pair.value.value) : undefined,
    }
  }
  const [swagger, version] = [pairOf('swagger'), pairOf('openapi')]
  const other = ['asyncapi', 'arazzo', 'overlay'].find((name) => pairOf(name))
  if (other !== undefined && !version) {
    const message = `The file is a document of ${other === 'asyncapi' ? 'AsyncAPI' : capital(other)}.`
    return [fault(placeAt(pairOf(other)?.offset ?? 0), message, 'Only OpenAPI 3.0, 3.1 and 3.2 are read.')]
  }
  if (swagger) {
    const message = `The file is a document of Swagger ${String(swagger.value)}.`
    return [fault(placeAt(swagger.offset), message, 'Convert it to OpenAPI 3.0 first.')]
  }
  if (!version) return [fault(placeAt(0), 'The file names no version of OpenAPI.', fix)]
  if (typeof version.value === 'string' && /^3\.[012]\.\d+$/.test(version.value)) return []
  if (typeof version.value !== 'string' || !/^\d+(\.\d+)?$/.test(version.value)) {
    const subject = typeof version.value === 'string' ? `The version ${version.value}` : 'The version'
    return [
      fault(
        placeAt(version.offset),
        `${subject} is not of OpenAPI 3.0, 3.1 or 3.2.`,
        'Write such as "openapi: 3.0.3".',
      ),
    ]
  }
  const message = `The version ${version.value} is incomplete; it has three parts.`
  const whole = /^3\.[12]$/.test(version.value) ? `${version.value}.0` : '3.0.3'
  return [fault(placeAt(version.offset), message, `Write "openapi: ${whole}".`)]
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Tags of YAML that are not known, which other programs refuse; a text that begins with `!` is read as one. */
export function tagFaults(warnings: readonly YAMLWarning[], text: string, file: string): TextFault[] {
  return warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    .map(({ pos: [offset] }) => {
      const before = text.slice(0, offset).split('\n')
      const tag = /^\S*/.exec(text.slice(offset))?.[0] ?? ''
      const place = { file, line: before.length, column: (before.at(-1) ?? '').length + 1 }
      return fault(place, `${tag} is no tag of YAML.`, 'Take it away, or put a text with "!" in quotes.')
    })
}

/** What the errors of the YAML library mean, and what to do. */
const sentences: Partial<Record<YAMLError['code'], readonly [message: string, fix: string]>> = {
  BAD_INDENT: ['The line is not indented like its neighbours.', 'Indent it by as many spaces as they have.'],
  RESOURCE_EXHAUSTION: tooDeep,
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
): TextFault {
  if (code === 'DUPLICATE_KEY') {
    const key = /^[^:\n]*/.exec(text.slice(offset))?.[0].trim() ?? ''
    const where = first ? ` It stands in line ${first.line} already.` : ''
    return fault(place, `The key ${key} is not unique.${where}`, 'Take one away, or join them.')
  }
  const [what, fix] = sentences[code] ?? [`${message.replace(/\.$/, '')}.`, 'Correct the YAML here.']
  return fault(place, what, fix)
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

/** What an error is about if a quote or a bracket further up is not closed. */
function openedBefore(
  document: Document<ParsedNode>,
  { code, message, offset }: Fault,
): { offset: number; opening: string; closing: string } | undefined {
  const isInFlow = /^Flow (map|sequence)/.test(message)
  if (code !== 'MISSING_CHAR' && !(code === 'BAD_INDENT' && isInFlow)) return undefined
  let found: { offset: number; opening: string; closing: string } | undefined
  visit(document, {
    Node(_, node) {
      const [start, end] = node.range ?? []
      if (start === undefined || end === undefined || start >= offset || end < offset) return
      if (isSeq(node) || isMap(node)) {
        const [opening, closing] = isSeq(node) ? ['[', ']'] : ['{', '}']
        if (isInFlow && node.flow === true) found = { offset: start, opening, closing }
      } else if (isScalar(node) && /^Missing closing/.test(message)) {
        const quote = node.type === 'QUOTE_SINGLE' ? "'" : '"'
        found = { offset: start, opening: quote, closing: quote }
      }
    },
  })
  return found
}

/** The offset of the next line of a text in quotes, if it begins at the left edge and is no key. */
function furtherLine(text: string, { opening, offset }: { opening: string; offset: number }): number | undefined {
  if (opening !== '"' && opening !== "'") return undefined
  const start = text.indexOf('\n', offset) + 1
  const [line = ''] = text.slice(start).split('\n', 1)
  const isFurther = start > 0 && /^[^\s#]/.test(line) && !/:(\s|$)/.test(line)
  return isFurther ? start : undefined
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
