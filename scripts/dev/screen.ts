import { styleText } from 'node:util'
import { placeText, type Finding } from '../workshop/finding.ts'
import type { ContractDiff, Verdict } from './protocol.ts'
import { counted } from '../command-line/wording.ts'

/** A line of output. */
export interface Line {
  label: string
  text: string
  color?: 'red' | 'yellow' | 'green' | 'dim'
}

export interface Screen {
  /** Clears the screen. The old lines stay in the scroll-back. */
  clear: () => void
  print: (lines: readonly Line[]) => void
}

const labelWidth = 10

/** Writes lines: in columns with colours on a terminal, otherwise as `label: text` for programs. */
export function screen(output: NodeJS.WriteStream): Screen {
  if (!output.isTTY) {
    return {
      clear: () => undefined,
      print: (lines) => {
        for (const { label, text } of lines) output.write(`${label}: ${text}\n`)
      },
    }
  }
  let last = ''
  return {
    clear: () => {
      last = ''
      // scrolls the old lines up before it clears
      output.write(`${'\n'.repeat(output.rows)}\u001b[H\u001b[J`)
    },
    print: (lines) => {
      for (const { label, text, color } of lines) {
        const shown = (label === last ? '' : label).padEnd(labelWidth)
        last = label
        output.write(`${styleText('bold', shown)} ${color ? styleText(color, text) : text}\n`)
      }
    },
  }
}

/** The most lines that are shown of one kind. */
const maxLines = 12

/** The lines for a verdict, with the summary last. `took` is the time since the save, in ms. */
export function verdictLines(verdict: Verdict, took: number): Line[] {
  const { findings, sound, diff, written, faults, missing } = verdict
  const shown = sound ? findings : findings.filter(({ severity }) => severity === 'error')
  // an edit that breaks examples is told before them
  const examples = shown.filter(isExample)
  return [
    ...limited(shown.filter((finding) => !isExample(finding)).map(findingLine)),
    ...(sound ? diffLines(diff) : []),
    ...limited(examples.map(findingLine)),
    ...(written.length > 0 ? [{ label: 'generated', text: written.join(', ') }] : []),
    ...limited(
      faults.map(({ place, message }) => ({
        label: place.file.startsWith('src/handlers/') ? 'handler' : 'types',
        text: `${placeText(place)} ${message}`,
        color: 'red',
      })),
    ),
    ...limited(
      missing.map(({ file, operation }) => ({
        label: 'handler',
        text: `${file} is missing; ${operation} is mocked.`,
        color: 'yellow',
      })),
    ),
    { label: 'verdict', ...verdictOf(verdict), text: `${verdictOf(verdict).text} (${(took / 1000).toFixed(2)} s)` },
  ]
}

function isExample({ rule }: Finding): boolean {
  return /^no-invalid-.*examples$/.test(rule)
}

function findingLine({ severity, place, message, fix, rule }: Finding): Line {
  const told = [message, fix]
    .join(' ')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
  return {
    label: 'contract',
    text: `${placeText(place)} ${severity} ${told} (${rule})`,
    color: severity === 'error' ? 'red' : 'yellow',
  }
}

const colors = { breaking: 'red', risky: 'yellow', compatible: 'green' } as const

function diffLines(diff: ContractDiff | string): Line[] {
  if (typeof diff === 'string') return [{ label: 'diff', text: diff, color: 'yellow' }]
  const lines = diff.changes.map(({ level, place, message, excused }): Line => {
    const why = excused === undefined ? '' : ` (excused: ${excused})`
    return { label: 'diff', text: `${placeText(place)} ${level} ${message}${why}`, color: colors[level] }
  })
  const { version } = diff
  const grown: Line[] =
    version && !version.enough && version.needed !== 'none'
      ? [{ label: 'version', text: `${version.head} must become the next ${version.needed} version.`, color: 'yellow' }]
      : []
  return [...limited(lines), ...grown]
}

function verdictOf({ findings, sound, diff, faults, missing }: Verdict): Omit<Line, 'label'> {
  if (!sound) return { text: 'invalid contract, not taken over', color: 'red' }
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const files = new Set(faults.map(({ place }) => place.file))
  const level = levelOf(diff)
  const parts = [
    level === undefined ? 'not compared' : level === 'none' ? unchanged(diff) : level,
    ...(errors > 0 ? [counted(errors, 'error of the contract', 'errors of the contract')] : []),
    ...(files.size > 0 ? [`${counted(files.size, 'file', 'files')} to change`] : []),
    ...(missing.length > 0 ? [`${counted(missing.length, 'handler', 'handlers')} to write`] : []),
  ]
  const isFine = errors === 0 && files.size === 0
  return {
    text: parts.join(', '),
    color: level === 'breaking' || !isFine ? 'red' : level === 'risky' ? 'yellow' : 'green',
  }
}

function unchanged(diff: ContractDiff | string): string {
  return typeof diff !== 'string' && (diff.editorial ?? 0) > 0
    ? 'only texts for readers changed'
    : 'contract as committed'
}

/** The worst level of the changes that are not excused. */
function levelOf(diff: ContractDiff | string): 'breaking' | 'risky' | 'compatible' | 'none' | undefined {
  if (typeof diff === 'string') return undefined
  if (diff.changes.length === 0) return 'none'
  const counting = new Set(diff.changes.filter(({ excused }) => excused === undefined).map(({ level }) => level))
  return (['breaking', 'risky'] as const).find((level) => counting.has(level)) ?? 'compatible'
}

function limited(lines: Line[]): Line[] {
  const rest = lines.length - maxLines
  const [last] = lines.slice(-1)
  return rest > 1 && last ? [...lines.slice(0, maxLines), { label: last.label, text: `and ${rest} more` }] : lines
}
