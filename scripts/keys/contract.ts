import { contractFile } from '../../src/contract-file.ts'
import { readContract } from '../../src/contract/model/files/document.ts'
import { readPlans } from '../../src/quota/plans.ts'
import type { Key } from '../../src/store/store.ts'
import { callOf } from '../command-line/command.ts'
import { record } from './table.ts'

export const contract = readContract(contractFile)
export const plans = readPlans(contract.root)
/** How this command is called. */
export const call = callOf('keys')

/** A key for programs, as it is now. */
export function shown(key: Key): Record<string, unknown> {
  return record(key, plans, Date.now())
}
