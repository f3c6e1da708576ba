import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lintContract } from '../../scripts/workshop/lint/lint.ts'

/** What lint says of contracts that OpenAPI itself calls sound, and of those that it calls faulty. */
export interface OfOpenApi {
  pass: { file: string; errors: string[] }[]
  fail: { file: string; errors: string[] }[]
}

/** Lints the folders `pass` and `fail` of a folder of OpenAPI's repository, such as `tests/schema`. */
export async function lintedFiles(folder: string): Promise<OfOpenApi> {
  const within = async (name: string): Promise<OfOpenApi['pass']> => {
    const inner = join(folder, name)
    const files = existsSync(inner) ? readdirSync(inner).filter((file) => file.endsWith('.yaml')) : []
    const linted: OfOpenApi['pass'] = []
    for (const file of files) {
      const findings = await lintContract(join(inner, file), { today: '2026-11-30', house: false })
      const errors = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)
      linted.push({ file, errors })
    }
    return linted
  }
  return { pass: await within('pass'), fail: await within('fail') }
}
