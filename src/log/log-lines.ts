import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { escaped } from './escaped.ts'

/** What of a line of the log is shown in its own way. */
interface Line extends Record<string, unknown> {
  level: number
  time: number
  msg?: string
  err?: Fault
}

/** An error as `loggable` has it. */
interface Fault {
  type?: string
  message: string
  stack?: string
  cause?: Fault
}

/** What is shown of a level, by pino's numbers; nothing of those that are not there. */
const levels: Readonly<Record<number, string>> = {
  10: styleText('dim', 'TRACE '),
  20: styleText('dim', 'DEBUG '),
  40: styleText('yellow', 'WARN '),
  50: styleText('red', 'ERROR '),
  60: styleText('red', 'FATAL '),
}

/** An API key; `auth/key` makes them longer. */
const apiKey = /ak_[0-9A-Za-z]{20,}/g

/** The longest path that is shown, in characters. */
const maxPath = 100

/** Turns a JSON line of the log into text for people. Colours are those of standard output, and follow NO_COLOR. */
export function readableLine(json: string): string {
  const { level, time, pid: _, msg = '', err, ...fields } = JSON.parse(json) as Line
  const at = styleText('dim', new Date(time).toTimeString().slice(0, 8))
  const told =
    'method' in fields && 'status' in fields ? requestText(fields) : [plain(msg), ...fieldTexts(fields)].join(' ')
  const lines = [`${at} ${levels[level] ?? ''}${told}`, ...(err ? faultLines(err) : [])]
  return `${lines.join('\n')}\n`
}

function requestText({ method, path, status, durationMs, operationId, code, keyId, requestId }: Partial<Line>): string {
  const shown = styleText(Number(status) < 400 ? 'green' : Number(status) < 500 ? 'yellow' : 'red', String(status))
  const took = `${Number(durationMs).toFixed(1)} ms`
  // whoever looks for the cause of a failure needs them
  const traces = code === undefined ? {} : { code, keyId, requestId }
  const target = path === undefined ? [] : [plain(path).slice(0, maxPath)]
  const operation = operationId === undefined ? [] : [plain(operationId)]
  return [plain(method), ...target, shown, took, ...operation, ...fieldTexts(traces)].join(' ')
}

function fieldTexts(fields: Record<string, unknown>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    const shown = typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
    return styleText('dim', `${name}=${plain(shown)}`)
  })
}

/** The stack of an error in the files of the project, the line of the source that it comes from, and its causes. */
function faultLines({ type = 'Error', message, stack, cause }: Fault): string[] {
  const [head, frames] = splitStack(stack ?? '', `${type}: ${message}`)
  const own = frames.filter((frame) => !/node:|[\\/]node_modules[\\/]/.test(frame))
  return [
    ...head.split('\n').map((line) => `    ${styleText('red', plain(line))}`),
    ...excerptOf(own[0]).map((line) => `    ${line}`),
    ...own.map((frame) => `    ${styleText('dim', plain(shortened(frame.trim())))}`),
    ...(cause ? ['    caused by', ...faultLines(cause)] : []),
  ]
}

/** The message, which may have several lines, and the frames. */
function splitStack(stack: string, otherwise: string): [head: string, frames: string[]] {
  const begin = stack.search(/^ {4}at /m)
  return begin < 0 ? [stack || otherwise, []] : [stack.slice(0, begin).trimEnd(), stack.slice(begin).split('\n')]
}

/** The line of the source that a frame names, with a mark at its column; nothing if the file cannot be read. */
function excerptOf(frame: string | undefined): string[] {
  const [, place = '', line, column] = /(file:\/\/\/[^()]+|\/[^()]+):(\d+):(\d+)\)?$/.exec(frame ?? '') ?? []
  if (place === '') return []
  try {
    const file = place.startsWith('file:') ? fileURLToPath(place) : place
    const text = readFileSync(file, 'utf8').split('\n')[Number(line) - 1]
    if (text === undefined) return []
    const indent = text.length - text.trimStart().length
    const mark = Math.max(0, Number(column) - 1 - indent)
    return [
      plain(`${relative(process.cwd(), file)}:${line}:${column}`),
      plain(`  ${text.trim()}`),
      `  ${' '.repeat(mark)}${styleText('red', '^')}`,
    ]
  } catch {
    return []
  }
}

function shortened(frame: string): string {
  return frame.replace(`file://${process.cwd()}/`, '').replace(`${process.cwd()}/`, '')
}

/** A text without keys, and with escapes for what a terminal would act on. */
function plain(text: unknown): string {
  return escaped(String(text).replaceAll(apiKey, 'ak_…'))
}
