import { parseContract, type ContractDocument } from '../../../src/contract/model/files/document.ts'
import { contractBytes, filesBeside, type ReadOptions } from '../../../src/contract/model/files/files.ts'
import { pointerOf, type Path } from '../../../src/contract/model/tree.ts'
import { messageOf } from '../../../src/failure.ts'
import { placeOf, placeText, splitMessage, type Finding, type Located } from '../finding.ts'
import { configurationOf } from './configuration.ts'
import { compileFinding, engineFindings } from './engine.ts'
import { exactIntegers } from './exact-integers.ts'
import { houseRules } from './house-rules.ts'
import { links, messages } from './message-rules.ts'
import { operations, references, repeatedParameter, securitySchemes, servers, tags } from './operation-rules.ts'
import { redoclyFindings } from './redocly-findings.ts'
import type { Rule } from './rule.ts'
import { defaults, dialect, schemas } from './schema-rules.ts'
import { commentFault, decoded, tagFaults, textFaults } from './text.ts'

/** How to lint. */
export interface LintOptions extends ReadOptions {
  /** A day in UTC, such as `2026-11-28`. */
  today: string
  /** Whether the house rules apply, whatever the configuration says. */
  house?: boolean | undefined
}

/** Rules for any contract, by the names in findings. The first ones find what makes others fail. */
const generalRules: Readonly<Record<string, Rule>> = {
  references,
  dialect,
  schemas,
  operations,
  defaults,
  'security-schemes': securitySchemes,
  tags,
  servers,
  messages,
  links,
  'repeated-parameter': repeatedParameter,
  'exact-integers': exactIntegers,
}

/** All faults of a contract, by files and lines. Throws when the file cannot be read or a tool fails. */
export async function lintContract(file: string, options: LintOptions): Promise<Finding[]> {
  const { today } = options
  const text = decoded(contractBytes(file), file)
  if (typeof text !== 'string') return [text]
  const comment = commentFault(text, file)
  if (comment) return [comment]
  let contract: ContractDocument
  try {
    contract = parseContract(text, file, filesBeside(file, options))
  } catch (error) {
    const faults = textFaults(text, file)
    if (faults.length > 0) return faults
    const { place, message } = splitMessage(messageOf(error), file)
    const [, first = message, mend = 'Correct it.'] = /^(.*?\.) (.*)$/s.exec(message) ?? []
    return [{ rule: 'contract', severity: 'error', place, message: first, mend }]
  }
  const unknownTags = text.includes('!') ? tagFaults(contract.yaml(), text, file) : []
  if (unknownTags.length > 0) return unknownTags
  const configuration = configurationOf(file, options.house)
  const { house } = configuration
  const own = ownFindings(contract, house ? { ...generalRules, ...houseRules } : generalRules, today)
  const found = withoutEffects([...own, ...(await redoclyOrNothing()), ...engineFindings(contract, { notes: house })])

  async function redoclyOrNothing(): Promise<Located[]> {
    try {
      return await redoclyFindings(contract, configuration)
    } catch (error) {
      // it fails with a reference to itself, which is a finding
      if (own.some(isCause)) return []
      if (/exceeded maxDepth/.test(messageOf(error))) return [tooDeep(file)]
      throw error
    }
  }

  const findings = found.some((one) => isCause(one) || isRefusal(one))
    ? found
    : withoutEffects([...found, ...(await compileFinding(contract))])
  return findings
    .map(({ at: _, ...one }) => one)
    .sort(
      (a, b) =>
        Number(a.place.file !== file) - Number(b.place.file !== file) ||
        (a.place.file < b.place.file ? -1 : Number(a.place.file > b.place.file)) ||
        a.place.line - b.place.line ||
        a.place.column - b.place.column,
    )
}

function tooDeep(file: string): Finding {
  const message = 'The contract is nested more than 100 levels deep, so the rules of the Redocly CLI were not applied.'
  const place = { file, line: 1, column: 1 }
  return { rule: 'contract', severity: 'warning', place, message, mend: 'Move inner schemas to the components.' }
}

function ownFindings(contract: ContractDocument, rules: Readonly<Record<string, Rule>>, today: string): Located[] {
  return Object.entries(rules).flatMap(([rule, check]) => {
    const findings: Located[] = []
    try {
      check(
        contract,
        (at, message, mend, severity) => {
          const part = typeof at === 'string' ? undefined : at
          const place = placeOf(typeof at === 'string' ? at : contract.place(at))
          findings.push({ rule, severity: severity ?? 'error', at: part, place, message, mend })
        },
        today,
      )
    } catch (error) {
      // a part is not what OpenAPI says, which is a finding of its own
      if (!(error instanceof TypeError)) throw error
    }
    return findings
  })
}

const causes = new Set([
  'references',
  'dialect',
  'schemas',
  'operations',
  'struct',
  'no-unresolved-refs',
  'no-duplicated-tag-names',
  'security-schemes',
])

/** Whether a fault can make other rules report what is right. */
function isCause(one: Finding): boolean {
  const { rule, severity } = one
  return severity === 'error' && (causes.has(rule) || isOfDefinition(one))
}

/** Whether the service does not start because of a fault. */
function isRefusal({ rule, severity }: Finding): boolean {
  return rule === 'engine' && severity === 'error'
}

/** Whether the engine says that a part is not what OpenAPI says, which rules with better words say of most parts. */
function isOfDefinition(one: Finding): boolean {
  return isRefusal(one) && one.message.startsWith('OpenAPI 3.')
}

/** What is reported of values when a schema is wrong, and of components when a reference is. */
const effects = /^(defaults|no-invalid-.*examples|no-enum-type-mismatch|no-schema-type-mismatch|no-unused-components)$/
/** The rules for any contract that are told better by a rule of our own. */
const doubled = [
  ...['struct', 'no-duplicated-enum-values', 'security-defined', 'no-required-schema-properties-undefined'],
]

/** The rules of redocly that tell what the engine tells too. */
const ofEngine = ['struct', 'path-not-include-query', 'no-identical-paths', 'path-declaration-must-exist']

/** Without what follows from other findings, and without what redocly says of a place that an own rule explains. */
function withoutEffects(findings: readonly Located[]): Located[] {
  const hasCause = findings.some(isCause)
  const told = findings.filter((one) => one.rule !== 'engine' && isCause(one)).flatMap(({ at }) => (at ? [at] : []))
  const ofLine = ({ place: { file, line } }: Finding): string => `${file}:${line}`
  const isOwn = ({ rule, severity }: Finding): boolean =>
    rule in generalRules && (severity === 'error' || rule !== 'operations')
  const explained = new Set(findings.filter(isOwn).map(ofLine))
  const malformed = new Set(findings.filter(({ rule }) => rule === 'struct').map(ofLine))
  const others = new Set(
    findings.filter(({ rule }) => rule in generalRules || ofEngine.includes(rule)).map(({ place }) => placeText(place)),
  )
  return findings.filter((one) => {
    if (hasCause && effects.test(one.rule)) return false
    if (one.severity === 'warning' && one.rule === 'operations' && malformed.has(ofLine(one))) return false
    if (one.rule === 'engine')
      return !(isOfDefinition(one) && told.some((at) => isNear(at, one.at))) && !others.has(placeText(one.place))
    return !doubled.includes(one.rule) || !explained.has(ofLine(one))
  })
}

/** Whether one part of a contract is the other, or holds it directly. The engine sees a `const` as an `enum`. */
function isNear(a: Path, b: Path = []): boolean {
  const length = Math.min(a.length, b.length)
  const pointer = (path: Path): string => pointerOf(path.slice(0, length)).replace(/\/const$/, '/enum')
  return Math.max(a.length, b.length) <= length + 1 && pointer(a) === pointer(b)
}
