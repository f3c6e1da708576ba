import { readFileSync } from 'node:fs'
import { compileContract } from '../../../src/contract/contract.ts'
import { parseContract, type ContractDocument } from '../../../src/contract/document/document.ts'
import { anchors } from './anchors.ts'
import { exactIntegers } from './exact-integers.ts'
import { placeOf, splitMessage, type Finding } from '../finding.ts'
import { redocly } from '../redocly.ts'
import { rules, type Rule } from './rules.ts'
import { messageOf } from '../../../src/failure.ts'

/**
 * All faults of a contract, in the order of its lines. `today` is a day in UTC such as `2026-11-28`. Throws when the
 * file cannot be read or a tool fails.
 */
export async function lintContract(file: string, { today }: { today: string }): Promise<Finding[]> {
  let contract: ContractDocument
  try {
    contract = parseContract(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (isSystemError(error)) throw error
    return [fault('contract', error, file, 'Nothing else can be checked until this is mended.')]
  }
  const [ofRedocly, ofEngine] = await Promise.all([redoclyFindings(file), engineFindings(contract)])
  const findings = [...ofRedocly, ...ofEngine, ...ownFindings(contract, today)]
  return findings.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
}

const ownRules: Readonly<Record<string, Rule>> = { ...rules, 'exact-integers': exactIntegers, anchors }

function ownFindings(contract: ContractDocument, today: string): Finding[] {
  return Object.entries(ownRules).flatMap(([rule, check]) => {
    const findings: Finding[] = []
    check(
      contract,
      (at, message, mend) => {
        findings.push({ rule, severity: 'error', place: placeOf(contract.place(at)), message, mend })
      },
      today,
    )
    return findings
  })
}

/** The fault with which the service would refuse the contract at its start. */
async function engineFindings(contract: ContractDocument): Promise<Finding[]> {
  try {
    await compileContract(contract, { checked: false, checkResponses: true, publicUrl: '' })
    return []
  } catch (error) {
    return [fault('engine', error, contract.name, 'The service does not start with it; write it in another way.')]
  }
}

function fault(rule: string, error: unknown, file: string, mend: string): Finding {
  return { rule, severity: 'error', ...splitMessage(messageOf(error), file), mend }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

interface Problem {
  ruleId: string
  severity: 'error' | 'warn'
  message: string
  reference?: string
  suggest?: readonly string[]
  location: readonly { start?: { line: number; col: number } }[]
}

async function redoclyFindings(file: string): Promise<Finding[]> {
  const { problems } = (await redocly('lint', [file], ['--max-problems', '1000'])) as { problems: Problem[] }
  return problems.map(({ ruleId, severity, message, reference, suggest = [], location }): Finding => {
    const { line = 1, col = 1 } = location[0]?.start ?? {}
    return {
      rule: ruleId,
      severity: severity === 'error' ? 'error' : 'warning',
      place: { file, line, column: col },
      message,
      mend:
        suggest.length > 0
          ? `Did you mean ${suggest.join(' or ')}?`
          : `See ${reference ?? 'the rules of the Redocly CLI'}.`,
    }
  })
}
