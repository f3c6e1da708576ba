import { compileContract } from '../../../src/contract/contract.ts'
import { contractFindings } from '../../../src/contract/rules/coverage.ts'
import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { readPlans } from '../../../src/quota/plans.ts'
import { messageOf } from '../../../src/failure.ts'
import { placeOf, splitMessage, type Located } from '../finding.ts'

/**
 * Why the service would refuse the contract at its start, all of it; references are told by a rule of their own. With
 * `notes` also what the service does in a way of its own, as warnings.
 */
export function engineFindings(contract: ContractDocument, { notes }: { notes: boolean }): Located[] {
  const plans = planFindings(contract)
  const all = contractFindings(contract, { checked: false })
  const found = all
    .filter(({ kind, severity }) => kind !== 'reference' && (notes || severity === 'error'))
    .map(({ severity, at, message, mend }): Located => {
      const isError = severity === 'error'
      return {
        rule: 'engine',
        severity: isError ? 'error' : 'warning',
        at,
        place: placeOf(contract.place(at)),
        message,
        mend: mend ?? (isError ? refused : 'Leave it if that is meant.'),
      }
    })
  return [...plans, ...found]
}

function planFindings(contract: ContractDocument): Located[] {
  try {
    if (readPlans(contract.root).size > 0) return []
    throw new Error('x-plans has no plan.')
  } catch (error) {
    const at = ['x-plans']
    return [
      {
        rule: 'engine',
        severity: 'error',
        at,
        place: placeOf(contract.place(at)),
        message: messageOf(error),
        mend: 'Correct the plans, or take x-plans away.',
      },
    ]
  }
}

const refused = 'The service cannot serve this; write it in another way.'

/** What the service finds only when it compiles a contract without errors. */
export async function compileFinding(contract: ContractDocument): Promise<Located[]> {
  try {
    await compileContract(contract, { checked: true, checkResponses: true, publicUrl: '' })
    return []
  } catch (error) {
    const found = splitMessage(messageOf(error), contract.name)
    // an error of JavaScript says nothing about the contract
    const isRaw = /Cannot read propert|is not (a function|iterable|defined)/.test(found.message)
    const message = isRaw ? 'The service cannot read this contract.' : found.message
    return [{ rule: 'engine', severity: 'error', at: [], place: found.place, message, mend: refused }]
  }
}
