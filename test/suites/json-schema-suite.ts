import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The release of the Python package whose sources contain the JSON Schema Test Suite. */
export const release = 'jsonschema==4.26.0'

const cache = fileURLToPath(new URL('../../node_modules/.cache/json-schema-test-suite', import.meta.url))

/** The folder of the JSON Schema Test Suite, which the first call fetches by `pip`. */
export function jsonSchemaSuite(): string {
  const folder = join(cache, release)
  if (existsSync(folder)) return folder
  const partial = `${folder}-${process.pid}`
  mkdirSync(partial, { recursive: true })
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--dest', partial, release]
    execFileSync('python3', pip, { stdio: ['ignore', 'ignore', 'pipe'] })
    const name = release.replace('==', '-')
    const one = ['--strip-components', '3', `${name}/json/tests`]
    execFileSync('tar', ['-xzf', join(partial, `${name}.tar.gz`), '-C', partial, ...one])
    renameSync(partial, folder)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return folder
}
