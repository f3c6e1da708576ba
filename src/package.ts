import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file in the folder of the package; undefined if it is not there. What is built lies one folder deeper than the sources. */
export function packageFile(name: string): string | undefined {
  return ['../', '../../'].map((up) => fileURLToPath(new URL(up + name, import.meta.url))).find(existsSync)
}

interface Package {
  name: string
  version: string
  bin: Record<string, string>
}

const { name, version, bin } = JSON.parse(
  readFileSync(packageFile('package.json') ?? 'package.json', 'utf8'),
) as Package
const [[command, file] = [name, name]] = Object.entries(bin)

/** What the service is called, for all that others see but its title, which the contract has. */
export const thisPackage = {
  name,
  version,
  command,
  /** The file of the command, without its extension. */
  program: basename(file, '.js'),
  /** The command, as the names of metrics and attributes begin. */
  prefix: command.replaceAll('-', '_'),
} as const
