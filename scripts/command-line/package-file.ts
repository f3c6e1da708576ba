import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A file in the folder of the package; undefined if it is not there. The built scripts lie one folder deeper than these. */
export function packageFile(name: string): string | undefined {
  return ['../../', '../../../'].map((up) => fileURLToPath(new URL(up + name, import.meta.url))).find(existsSync)
}

export function packageVersion(): string {
  const file = packageFile('package.json')
  return file === undefined ? 'unknown' : (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
