import { join } from 'node:path'
import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { contracts } from '../support/contracts/grammar/contracts.ts'
import { faults, holdFault } from '../support/contracts/grammar/faults.ts'
import { exchanges, hold } from '../support/contracts/grammar/hold.ts'
import { testFolder } from '../support/process.ts'

jest.setTimeout(600_000)

const file = join(testFolder(), 'contract.json')
const seed = 20261128

/** Runs a check, and shows the contract when it fails. */
async function showing(text: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\nContract:\n${text}`, { cause: error })
  }
}

test('contracts of what the service honours are sound, are served as they say, and are mocked validly', async () => {
  const cases = contracts.chain((contract) => exchanges(contract).map((all) => ({ contract, all })))
  let operations = 0
  for (const { contract, all } of fc.sample(cases, { numRuns: 60, seed })) {
    await showing(contract.text, () => hold(file, contract, all))
    operations += all.length
  }
  expect(operations).toBeGreaterThan(100)
})

const names = Object.keys(faults)
const samples = fc.sample(contracts, { numRuns: names.length, seed })

test.each(names.map((name, index) => ({ name, index })))('lint finds $name at its place', async ({ name, index }) => {
  const contract = samples[index]
  expect(contract).toBeDefined()
  if (contract) await showing(contract.text, () => holdFault(file, contract, name, index))
})
