import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContractDocument } from '../../../src/contract/document/document.ts'
import { locate, nodeOf, pathOf, type Path } from '../../../src/contract/document/tree.ts'
import type { Finding, Place } from '../finding.ts'

const command = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
/** Options of Node with which redocly fetches nothing. */
const offline = [
  '--import',
  `data:text/javascript,globalThis.fetch = () => Promise.reject(new Error('nothing is fetched'))`,
]
const maxOutputBytes = 1024 * 1024 * 1024

interface Problem {
  ruleId: string
  severity: 'error' | 'warn'
  message: string
  reference?: string
  suggest?: readonly string[]
  location: readonly { source?: { ref: string }; pointer?: string; start?: { line: number; col: number } }[]
}

/** What the Redocly CLI finds with the rules of a configuration. */
export async function redoclyFindings(contract: ContractDocument, file: string, config: string): Promise<Finding[]> {
  const folder = dirname(resolve(file))
  // redocly reads "#" and the like in a path as parts of an address
  if (/^[\w./-]*$/.test(resolve(file))) return findingsIn(folder, basename(file))
  const scratch = mkdtempSync(join(tmpdir(), 'contract-lint-'))
  try {
    for (const name of readdirSync(folder)) symlinkSync(join(folder, name), join(scratch, name))
    const plain = 'contract-to-lint.yaml'
    symlinkSync(resolve(file), join(scratch, plain))
    return await findingsIn(scratch, plain)
  } finally {
    rmSync(scratch, { recursive: true })
  }

  async function findingsIn(cwd: string, name: string): Promise<Finding[]> {
    const problems = await problemsOf(cwd, name, config)
    return problems.flatMap((problem) => {
      const { source, pointer = '', start } = problem.location[0] ?? {}
      const isRoot = source === undefined || source.ref === name
      if (isRoot && isTold(problem.ruleId, pathOf(pointer), contract)) return []
      const place = {
        file: isRoot ? file : join(dirname(file), source.ref),
        line: start?.line ?? 1,
        column: start?.col ?? 1,
      }
      return [findingOf(problem, place)]
    })
  }
}

function findingOf({ ruleId, severity, message, reference, suggest = [] }: Problem, place: Place): Finding {
  const isLost = ruleId === 'no-unresolved-refs'
  const [, mendOf] = mends.find(([pattern]) => pattern.test(message)) ?? []
  const [nearest] = suggest
  return {
    rule: ruleId,
    severity: severity === 'error' ? 'error' : 'warning',
    place,
    message: isLost ? 'The $ref leads to a file or part that is not there.' : `${message.replace(/\.$/, '')}.`,
    mend:
      nearest !== undefined
        ? `Did you mean ${nearest}?`
        : (mendOf ?? `See ${reference ?? 'the OpenAPI specification'}.`),
  }
}

/** What to do about a part that is not as OpenAPI says, which redocly does not tell. */
const mends: [RegExp, string][] = [
  [/^Can't resolve \$ref/, 'Add the part, or correct the path.'],
  [/^Expected type/, 'Write it in that form, or take it away.'],
  [/must be present on this level/, 'Add it.'],
  [/can be one of the following only/, 'Write one of them.'],
  [/is not expected here/, 'Take it away, or correct its name.'],
  [/must be (greater|less)/, 'Correct the number.'],
]

const conditions = ['if', 'then', 'else', 'not', 'dependentSchemas']

/** Whether a rule of our own tells the same, or nothing is to be told: an extension may contain what looks like a `$ref`. */
function isTold(rule: string, path: Path, { root }: ContractDocument): boolean {
  if (rule === 'spec-ref-siblings') return true
  // the properties stand beside the condition
  if (rule === 'no-required-schema-properties-undefined') return path.some((key) => conditions.includes(key))
  if (rule !== 'no-unresolved-refs') return false
  const reference = nodeOf(locate(root, path.at(-1) === '$ref' ? path.slice(0, -1) : path).value).$ref
  return path.some((key) => key.startsWith('x-')) || /^(#|[a-z]+:\/\/)/i.test(String(reference))
}

function problemsOf(cwd: string, name: string, config: string): Promise<Problem[]> {
  const args = [...offline, command, 'lint', name, '--config', config, '--format', 'json', '--max-problems', '1000000']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { cwd, env, maxBuffer: maxOutputBytes }
  return new Promise((done, fail) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      try {
        // it also prints a report when it finds something and exits with 1
        done((JSON.parse(stdout) as { problems: Problem[] }).problems)
      } catch {
        const said = stderr.split('\n').filter((line) => line.trim() !== '' && !/^\s*[║╔╚]/.test(line))
        fail(new Error(`redocly lint failed: ${said.join(' ') || (error?.message ?? 'it printed no report')}`))
      }
    })
  })
}
