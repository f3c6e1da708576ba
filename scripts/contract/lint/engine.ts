import { compileContract } from '../../../src/contract/contract.ts'
import type { ContractDocument } from '../../../src/contract/document/document.ts'
import { operationsOf } from '../../../src/contract/document/tree.ts'
import { messageOf } from '../../../src/failure.ts'
import { splitMessage, type Finding } from '../finding.ts'

/** The faults with which the service would refuse the contract at its start: those of all operations, not the first. */
export async function engineFindings(contract: ContractDocument): Promise<Finding[]> {
  const whole = await refusal(contract, false)
  if (whole === undefined) return []
  const messages = [whole]
  for (const { path, method, item } of operationsOf(contract.root)) {
    const { servers, parameters, [method]: operation } = item
    const shared = { ...(servers !== undefined && { servers }), ...(parameters !== undefined && { parameters }) }
    const root = { ...contract.root, paths: { [path]: { ...shared, [method]: operation } } } as ContractDocument['root']
    const message = await refusal({ ...contract, root }, true)
    // a successor may be one of the operations that were left out
    if (message?.startsWith(`${contract.name}:`) && !message.includes('x-successor')) messages.push(message)
  }
  // a shared schema is refused once for each operation that uses it
  const faults = new Map<string, Finding>()
  for (const message of messages) {
    const { place, message: what } = splitMessage(readable(message), contract.name)
    const mend = 'The service cannot serve this; write it in another way.'
    if (!faults.has(what)) faults.set(what, { rule: 'engine', severity: 'error', place, message: what, mend })
  }
  return [...faults.values()]
}

/** An error of JavaScript says nothing about the contract. */
function readable(message: string): string {
  return /Cannot read propert|is not (a function|iterable|defined)/.test(message)
    ? 'The service cannot read this contract.'
    : message
}

async function refusal(contract: ContractDocument, checked: boolean): Promise<string | undefined> {
  try {
    await compileContract(contract, { checked, checkResponses: true, publicUrl: '' })
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
