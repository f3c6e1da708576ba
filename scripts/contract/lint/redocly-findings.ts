import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'lossless-json'
import type { ContractDocument } from '../../../src/contract/document/document.ts'
import { faultyReferences, withoutOtherRefs } from '../../../src/contract/document/references.ts'
import { methods, pathOf, type Path } from '../../../src/contract/document/tree.ts'
import { isOfJsonSchema } from '../../../src/contract/document/version.ts'
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
    return withoutEffects(problems).flatMap((problem) => {
      const pointer = problem.location[0]?.pointer ?? ''
      const owner = pathOf(pointer.replaceAll(replacement, calledOnObjects))
      if (isTold(problem, owner, isOfJsonSchema(contract.source))) return []
      return [findingOf(problem, placeOf(contract.place(owner)))]
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function findingOf({ ruleId, severity, message, reference, suggest = [] }: Problem, place: Place): Finding {
  const [, mendOf] = mends.find(([pattern]) => pattern.test(message)) ?? []
  // a name in other letter case is the nearest one
  const name = /^Property `(.*)` is not expected/.exec(message)?.[1] ?? ''
  const nearest = methods.has(name.toLowerCase()) ? name.toLowerCase() : suggest[0]
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
  [/but in its schema/, 'Put it there: "schema: { … }".'],
  [/is not expected here/, 'Take it away, or correct its name.'],
  [/must be (greater|less)/, 'Correct the number.'],
]

const conditions = ['if', 'then', 'else', 'not', 'dependentSchemas']

/** Rules that `references` and `engine` tell in better words, and not of what only looks like a reference. */
const told = [...['spec-ref-siblings', 'no-unresolved-refs', 'path-parameters-defined', 'operation-operationId-unique']]

/** Whether another rule tells the same, or nothing is wrong. */
function isTold({ ruleId, message }: Problem, path: Path, isJsonSchema: boolean): boolean {
  if (told.includes(ruleId)) return true
  if (isJsonSchema && /^Expected type `Schema` .* got `boolean`/.test(message)) return true
  // the properties stand beside the condition
  return ruleId === 'no-required-schema-properties-undefined' && path.some((key) => conditions.includes(key))
}

/** Keys of a schema that parameters and headers of Swagger 2.0 had themselves. */
const ofSchema = [
  'type',
  'format',
  'items',
  'enum',
  'default',
  'minimum',
  'maximum',
  'pattern',
  'minLength',
  'maxLength',
]

/** Without the problems that follow from another one: a key that is missing because its name is written wrongly. */
function withoutEffects(problems: readonly Problem[]): Problem[] {
  const pointerOf = ({ location }: Problem): string => (location[0]?.pointer ?? '').replace(/\/$/, '')
  const parentOf = (one: Problem): string => pointerOf(one).replace(/\/[^/]*$/, '')
  const unexpected = problems.filter(({ message }) => / is not expected here/.test(message))
  const suggested = new Set(unexpected.map((one) => `${parentOf(one)} ${one.suggest?.[0] ?? ''}`))
  const withoutSchema = new Set(
    problems.filter(({ message }) => /fields: schema, content/.test(message)).map((one) => pointerOf(one)),
  )
  const isOfSchema = (one: Problem): boolean =>
    withoutSchema.has(parentOf(one)) && ofSchema.includes(pathOf(pointerOf(one)).at(-1) ?? '')
  const misplaced = unexpected.filter(isOfSchema)
  const explained = new Set(misplaced.map(parentOf))
  const ofType = new Set(problems.filter((one) => pointerOf(one).endsWith('/type')).map(parentOf))
  const untyped = problems.filter(({ message }) => /^The field `type` must be present/.test(message))
  for (const one of untyped) ofType.add(pointerOf(one))
  return problems.flatMap((one) => {
    const [, missing] = /^The field `(.*)` must be present/.exec(one.message) ?? []
    if (missing !== undefined && suggested.has(`${pointerOf(one)} ${missing}`)) return []
    if (/is not allowed here/.test(one.message) && ofType.has(parentOf(one))) return []
    if (explained.has(pointerOf(one)) && withoutSchema.has(pointerOf(one))) return []
    if (!misplaced.includes(one)) return [one]
    const isFirst = misplaced.find((other) => parentOf(other) === parentOf(one)) === one
    return isFirst ? [{ ...one, suggest: [], message: one.message.replace('here', 'here, but in its schema') }] : []
  })
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
