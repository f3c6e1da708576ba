import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stringify } from 'lossless-json'
import { installed } from '../../scripts/conformance/installed.ts'
import type { ContractDocument } from '../../src/contract/model/files/document.ts'
import { pointerOf, type Path } from '../../src/contract/model/node.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A JSON text that is sent, and the place of its schema in the contract. */
export interface Judged {
  at: Path
  way: 'request' | 'answer'
  text: string
}

/** Says of each text why it is not valid; null for one that is. The validator is jsonschema-rs, of the packages of `npm run conformance`. */
export type Judge = (contract: ContractDocument, all: readonly Judged[]) => Promise<(string | null)[]>

/** The judge, or why there is none. */
export async function judge(): Promise<Judge | { missing: string }> {
  const cache = join(root, 'node_modules/.cache/conformance')
  const found = await installed(cache, process.env.PATH ?? '')
  if ('missing' in found) return found
  const python = join(dirname(found.command), 'python')
  return async (contract, all) => {
    const child = spawn(python, [join(root, 'test/survey/judge.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.write(`${stringify(contract.source) ?? ''}\n`)
    for (const { at, way, text } of all) child.stdin.write(`${JSON.stringify({ at: pointerOf(at), way, text })}\n`)
    child.stdin.end()
    const said: (string | null)[] = []
    for await (const line of createInterface({ input: child.stdout })) said.push(JSON.parse(line) as string | null)
    if (said.length !== all.length) throw new Error(`The judge ended after ${said.length} of ${all.length} texts.`)
    return said
  }
}
