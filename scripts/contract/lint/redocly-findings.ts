import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'lossless-json'
import type { ContractDocument } from '../../../src/contract/document/document.ts'
import { faultyReferences, withoutOtherRefs } from '../../../src/contract/document/references.ts'
import { pathOf, type Path } from '../../../src/contract/document/tree.ts'
import { placeOf, type Finding, type Place } from '../finding.ts'

const command = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
/** The name of the contract in the folder where redocly runs. */
const name = 'contract.json'
/** Options of Node with which redocly fetches nothing. */
const offline = [
  '--import',
  `data:text/javascript,globalThis.fetch = () => Promise.reject(new Error('nothing is fetched'))`,
]
/** A name of a property with which redocly fails, since it calls the method of this name. */
const [calledOnObjects, replacement] = ['hasOwnProperty', 'hasOwnPropertY']
const maxOutputBytes = 1024 * 1024 * 1024

interface Problem {
  ruleId: string
  severity: 'error' | 'warn'
  message: string
  reference?: string
  suggest?: readonly string[]
  location: readonly { pointer?: string }[]
}

/** What the Redocly CLI finds in a contract with the rules of a configuration. It reads the contract as one file. */
export async function redoclyFindings(contract: ContractDocument, config: string): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-lint-'))
  try {
    const faulty = faultyReferences(contract.source)
    const withoutOthers = withoutOtherRefs({ root: contract.source })
    // what a wrong reference leads to is not read as what it should be
    const text =
      stringify(contract.source, (key, value) =>
        faulty.has(value) ? { $ref: '#/nothing' } : withoutOthers(key, value),
      ) ?? ''
    writeFileSync(join(folder, name), text.replaceAll(calledOnObjects, replacement))
    const problems = await problemsOf(folder, config)
    return problems.flatMap((problem) => {
      const pointer = problem.location[0]?.pointer ?? ''
      const owner = pathOf(pointer.replaceAll(replacement, calledOnObjects))
      // the last key of this rule is the id itself
      const path = problem.ruleId === 'operation-operationId-unique' ? [...owner.slice(0, -1), 'operationId'] : owner
      if (isTold(problem.ruleId, path)) return []
      return [findingOf(problem, placeOf(contract.place(path)))]
    })
  } finally {
    rmSync(folder, { recursive: true })
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
function isTold(rule: string, path: Path): boolean {
  if (rule === 'spec-ref-siblings' || rule === 'no-unresolved-refs') return true
  // the properties stand beside the condition
  return rule === 'no-required-schema-properties-undefined' && path.some((key) => conditions.includes(key))
}

function problemsOf(cwd: string, config: string): Promise<Problem[]> {
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
