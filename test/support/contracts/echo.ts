import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RawReply, ValidRequest } from '../../../src/contract/compiled.ts'
import type { Handlers } from '../../../src/contract/operation.ts'
import { testFolder } from '../process.ts'
import { startService, type TestService } from '../service.ts'

const folder = testFolder()
let written = 0

type Handle = (request: ValidRequest & { keyId: string }) => Promise<RawReply>

/** A service of another contract, whose operations are all answered by one function. */
export async function startContract(
  contract: string,
  names: readonly string[],
  handle: Handle,
  env: Record<string, string> = {},
): Promise<TestService> {
  written += 1
  const contractFile = join(folder, `openapi-${written}.yaml`)
  writeFileSync(contractFile, contract)
  const handlers = Object.fromEntries(names.map((name) => [name, handle])) as unknown as Handlers
  return startService(env, { contractFile, handlers })
}
