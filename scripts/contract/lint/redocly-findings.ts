import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathOf } from '../../../src/contract/document/tree.ts'
import type { Finding, Place } from '../finding.ts'

const command = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
/** Options of Node with which redocly fetches nothing. */
const offline = [
  '--import',
  `data:text/javascript,globalThis.fetch = () => Promise.reject(new Error('nothing is fetched'))`,
]
/** A name of a property with which redocly fails, since it calls the method of this name. The other is as long. */
const [calledOnObjects, replacement] = ['hasOwnProperty', 'hasOwnPropertY']
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
export async function redoclyFindings(file: string, config: string): Promise<Finding[]> {
  const folder = dirname(resolve(file))
  const text = readFileSync(file, 'utf8')
  const hasOwn = text.includes(calledOnObjects)
  // redocly reads "#" and the like in a path as parts of an address
  if (!hasOwn && /^[\w./-]*$/.test(resolve(file))) return findingsIn(folder, basename(file))
  const scratch = mkdtempSync(join(tmpdir(), 'contract-lint-'))
  try {
    for (const name of readdirSync(folder)) symlinkSync(join(folder, name), join(scratch, name))
    const plain = 'contract-to-lint.yaml'
    if (hasOwn) writeFileSync(join(scratch, plain), text.replaceAll(calledOnObjects, replacement))
    else symlinkSync(resolve(file), join(scratch, plain))
    return await findingsIn(scratch, plain)
  } finally {
    rmSync(scratch, { recursive: true })
  }

  async function findingsIn(cwd: string, name: string): Promise<Finding[]> {
    const problems = await problemsOf(cwd, name, config)
    return problems.flatMap((problem) => {
      const { source, pointer = '', start } = problem.location[0] ?? {}
      const isRoot = source === undefined || source.ref === name
      if (isTold(problem.ruleId, pointer)) return []
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
  const [, mendOf] = mends.find(([pattern]) => pattern.test(message)) ?? []
  const [nearest] = suggest
  return {
    rule: ruleId,
    severity: severity === 'error' ? 'error' : 'warning',
    place,
    message: `${message.replaceAll(replacement, calledOnObjects).replace(/\.$/, '')}.`,
    mend:
      nearest !== undefined
        ? `Did you mean ${nearest}?`
        : (mendOf ?? `See ${reference ?? 'the OpenAPI specification'}.`),
  }
}

/** What to do about a part that is not as OpenAPI says, which redocly does not tell. */
const mends: [RegExp, string][] = [
  [/^Expected type/, 'Write it in that form, or take it away.'],
  [/must be present on this level/, 'Add it.'],
  [/can be one of the following only/, 'Write one of them.'],
  [/is not expected here/, 'Take it away, or correct its name.'],
  [/must be (greater|less)/, 'Correct the number.'],
]

const conditions = ['if', 'then', 'else', 'not', 'dependentSchemas']

/** Whether `references` tells the same in better words, and not of what only looks like a reference, or nothing is wrong. */
function isTold(rule: string, pointer: string): boolean {
  if (rule === 'spec-ref-siblings' || rule === 'no-unresolved-refs') return true
  // the properties stand beside the condition
  return rule === 'no-required-schema-properties-undefined' && pathOf(pointer).some((key) => conditions.includes(key))
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
