/*
 * Part of `npm run dev`: checks the types, in its own process so that the checks of the contract do not wait.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TypeRequest } from './protocol.ts'
import { typeChecker } from './types.ts'
import { work } from './worker.ts'

/** After this number of rounds the compiler is three times as fast as at first. */
const warmRounds = 4

const root = fileURLToPath(new URL('../..', import.meta.url))
const check = typeChecker(root)
let asked = 0

work(({ files }: TypeRequest) => {
  asked += 1
  if (asked === 1) warmUp(1)
  return Promise.resolve(check(files))
})

/** Checks a changed and an unchanged version of the contract's types in turn, until there is a request. */
function warmUp(round: number): void {
  setTimeout(() => {
    if (round > warmRounds || asked > 1) return
    const name = 'generated/openapi.d.ts'
    const text = readFileSync(join(root, name), 'utf8')
    check(round % 2 === 1 ? { [name]: `${text}export interface More { more: true }\n` } : {})
    warmUp(round + 1)
  }, 10)
}
