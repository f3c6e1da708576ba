import { compileJudged } from '../../../src/contract/contract.ts'
import { parseContract, type ContractDocument } from '../../../src/contract/model/files/document.ts'
import { commentFault, decoded, type TextFault } from '../../../src/contract/model/files/text.ts'
import { tagFaults, textFaults } from '../../../src/contract/model/files/text-faults.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { judge, type RuleBook } from '../../../src/contract/rules/judge.ts'
import { isRefusal, type Finding as Judged, type Level } from '../../../src/contract/rules/rule.ts'
import { rules } from '../../../src/contract/rules/rules.ts'
import { messageOf } from '../../../src/failure.ts'
import { placeIn, placeOf, placeText, splitMessage, type Finding } from '../finding.ts'
import { onDisk, type Input } from '../input.ts'
import { configurationOf, type Configuration } from './configuration.ts'
import { houseRules } from './house-rules.ts'
import { plans } from './plans.ts'
import { ofTools, redoclyFindings } from './redocly-findings.ts'
import { tasteRules } from './taste-rules.ts'

/** How to lint. */
export interface LintOptions {
  /** A day in UTC, such as `2026-11-28`. */
  today: string
  /** Whether the house rules apply, whatever the configuration says. */
  house?: boolean | undefined
  /** Whether to show what the service does in a way of its own, as the house rules do. */
  notes?: boolean
  /** Where the files are read; by default on disk. */
  input?: Input
}

/** What the rules of this program found in a contract. */
export interface Judgement {
  contract: ContractDocument
  judged: readonly Judged[]
}

/** All faults of a contract, by files and lines. Throws when the file cannot be read, or a rule or tool fails. */
export async function lintContract(file: string, options: LintOptions): Promise<Finding[]> {
  return (await lint(file, options)).findings
}

/** The faults of a contract, and where it can be read what they are made from. */
export async function lint(
  file: string,
  { today, house, notes = false, input = onDisk(file) }: LintOptions,
): Promise<{ findings: Finding[]; judgement?: Judgement }> {
  const read = contractOf(file, input)
  if (Array.isArray(read)) return { findings: read }
  const configuration = configurationOf(file, house, input.text)
  // it runs beside the rules of this program
  const ofRedocly = redoclyFindings(read, configuration)
  ofRedocly.catch(() => undefined)
  const judged = judge(modelOf(read), bookFor(configuration), { today })
  const isRefused = judged.some(isRefusal)
  const shown = judged.flatMap((one) => findingOf(read, one, { ...configuration, notes }))
  const findings = [...shown, ...(await ofTools(ofRedocly, { file, isRefused }))]
  if (!isRefused) compile(read)
  return { findings: findings.sort((a, b) => order(a, b, file)), judgement: { contract: read, judged } }
}

/** The contract in a file, or why there is none. */
function contractOf(file: string, { bytes, files }: Input): ContractDocument | Finding[] {
  const text = decoded(bytes(), file)
  if (typeof text !== 'string') return [ofText(text)]
  const comment = commentFault(text, file)
  if (comment) return [ofText(comment)]
  try {
    const contract = parseContract(text, file, files)
    const unknownTags = tagFaults(contract.sources[0]?.warnings ?? [], text, file)
    return unknownTags.length > 0 ? unknownTags.map(ofText) : contract
  } catch (error) {
    const faults = textFaults(text, file)
    if (faults.length > 0) return faults.map(ofText)
    const { place, message } = splitMessage(messageOf(error), file)
    const [, first = message, fix = 'Correct it.'] = /^(.*?\.) (.*)$/s.exec(message) ?? []
    return [ofText({ place, message: first, fix })]
  }
}

function ofText(fault: TextFault): Finding {
  return { rule: 'contract', severity: 'error', ...fault }
}

function bookFor({ house, isConfigured }: Configuration): RuleBook {
  return {
    ...rules,
    plans: [...(rules.plans ?? []), plans],
    ...(isConfigured ? {} : { taste: tasteRules }),
    ...(house ? { house: houseRules } : {}),
  }
}

/** What to do about a finding of which no rule says more. */
const usualFixes: Readonly<Record<Level, string>> = {
  refused: 'Correct it; the service does not start with it.',
  unserved: 'The service cannot serve this; write it in another way.',
  wrong: 'Correct it.',
  warned: 'Correct it.',
  noted: 'Leave it if that is meant.',
}

/** A finding as it is shown; none for what the service does in a way of its own, where nobody asks for that. */
function findingOf(
  contract: ContractDocument,
  finding: Judged,
  configuration: Configuration & { notes: boolean },
): Finding[] {
  const { rule, at, place, message, fix } = finding
  const severity = severityOf(finding, configuration)
  if (severity === undefined) return []
  const where = place === undefined ? placeIn(contract, at) : placeOf(place)
  return [{ rule, severity, place: where, message, fix: fix ?? usualFixes[finding.level] }]
}

function severityOf(
  { rule, level }: Judged,
  { house, notes, severityOf: configured }: Configuration & { notes: boolean },
): Finding['severity'] | undefined {
  switch (level) {
    case 'refused':
      return 'error'
    case 'unserved':
      return house ? 'error' : 'warning'
    case 'wrong':
    case 'warned':
      return configured(rule, level === 'wrong' ? 'error' : 'warning')
    case 'noted':
      return house || notes ? 'warning' : undefined
  }
}

/** What no rule has found, and the service cannot compile, is a bug of this program. */
function compile(contract: ContractDocument): void {
  try {
    compileJudged(contract, { checkResponses: true, publicUrl: '', trial: true })
  } catch (error) {
    const { place, message } = splitMessage(messageOf(error), contract.name)
    const what = `${placeText(place)} The service cannot compile this part: ${message.replace(/\.?$/, '.')}`
    throw new Error(
      `${what} No rule says why, so that is a bug of this program and no fault of the contract; please report it with this part.`,
      { cause: error },
    )
  }
}

/** Findings of the contract's first file come first, each file from its top. */
function order(a: Finding, b: Finding, file: string): number {
  return (
    Number(a.place.file !== file) - Number(b.place.file !== file) ||
    (a.place.file < b.place.file ? -1 : Number(a.place.file > b.place.file)) ||
    a.place.line - b.place.line ||
    a.place.column - b.place.column
  )
}
