import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))

/**
 * Installs the Schemathesis of `requirements.txt` into a virtual environment in the folder `cache`, if it is not there.
 * Gives its command, or the reason why it is missing. `path` is the PATH in which python3 is searched.
 */
export async function installed(cache: string, path: string): Promise<{ command: string } | { missing: string }> {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const environment = join(cache, digest)
  const command = join(environment, 'bin/schemathesis')
  if (existsSync(join(environment, 'complete'))) return { command }
  // an incomplete installation
  rmSync(environment, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  const python = await ran('python3', ['-m', 'venv', environment], path)
  if (python !== undefined) return { missing: `python3 cannot make a virtual environment: ${python}` }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '20']
  const packages = await ran(join(environment, 'bin/python'), [...pip, '--requirement', requirements], path)
  if (packages !== undefined) return { missing: `Schemathesis cannot be installed: ${packages}` }
  writeFileSync(join(environment, 'complete'), '')
  return { command }
}

/** Runs a command. Gives the last line of its output if it fails, otherwise undefined. */
function ran(command: string, args: readonly string[], path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, { encoding: 'utf8', env: { ...process.env, PATH: path } }, (error, stdout, stderr) => {
      resolve(error ? (stderr || stdout).trim().split('\n').at(-1) || error.message : undefined)
    })
  })
}
