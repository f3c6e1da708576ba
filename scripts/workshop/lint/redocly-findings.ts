import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'lossless-json'
import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { faultyReferences, withoutOtherRefs } from '../../../src/contract/rules/references.ts'
import { methods, nodeOf, pathOf, type Path } from '../../../src/contract/model/tree.ts'
import { isOfJsonSchema } from '../../../src/contract/model/version.ts'
import { placeOf, placeText, type Finding, type Located } from '../finding.ts'
import type { Configuration } from './configuration.ts'

const command = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
/** The names in the folder where redocly runs. */
const [contractFile, configurationFile] = ['contract.json', 'redocly.yaml']
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

/** What the Redocly CLI finds in a contract, which it reads as one file, and in its configuration. */
export async function redoclyFindings(contract: ContractDocument, configuration: Configuration): Promise<Located[]> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-lint-'))
  try {
    const faulty = faultyReferences(contract.source)
    const withoutOthers = withoutOtherRefs({ root: contract.source })
    // what a wrong reference leads to is not read as what it should be
    const text =
      stringify(contract.source, (key, value) =>
        faulty.has(value) ? { $ref: '#/nothing' } : withoutOthers(key, value),
      ) ?? ''
    writeFileSync(join(folder, contractFile), text.replaceAll(calledOnObjects, replacement))
    const { api, redocly } = configuration
    const apis =
      api === undefined ? {} : { apis: { [api]: { ...nodeOf(nodeOf(redocly.apis)[api]), root: contractFile } } }
    writeFileSync(join(folder, configurationFile), JSON.stringify({ ...redocly, ...apis }))
    const { problems, stderr } = await problemsOf(folder)
    const ofConfiguration = configurationFindings(stderr, configuration)
    if (!problems) {
      const [fault] = ofConfiguration
      throw new Error(
        fault ? `${placeText(fault.place)} ${fault.message} ${fault.mend}` : `redocly lint failed: ${said(stderr)}`,
      )
    }
    const ignored = new Map<string, Set<string>>()
    const isIgnored = (rule: string, place: string): boolean => {
      const places = ignored.get(rule) ?? ignoredPlaces(contract, configuration.ignored(rule))
      ignored.set(rule, places)
      return places.has(place)
    }
    const found = withoutEffects(problems).flatMap((problem) => {
      const pointer = problem.location[0]?.pointer ?? ''
      const owner = pathOf(pointer.replaceAll(replacement, calledOnObjects))
      if (isTold(problem, owner, isOfJsonSchema(contract.source))) return []
      if (isIgnored(problem.ruleId, contract.place(owner))) return []
      return [{ ...findingOf(problem), at: owner, place: placeOf(contract.place(owner)) }]
    })
    return [...found, ...ofConfiguration]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function ignoredPlaces({ sources }: ContractDocument, ignored: ReturnType<Configuration['ignored']>): Set<string> {
  return new Set(ignored.flatMap(({ file, at }) => sources.find(({ name }) => resolve(name) === file)?.place(at) ?? []))
}

/** What redocly says of its configuration, at the places of the file that it was made from. */
function configurationFindings(stderr: string, { place }: Configuration): Finding[] {
  const parts = Array.from(stderr.matchAll(/^\[\d+\] .*? at #(\S*)\n\n(.+)$/gm), ([, pointer = '', message = '']) => {
    const where = placeOf(place(pathOf(pointer)))
    return { ...inConfiguration, place: where, ...configurationFault(message.trim().replace(/\.?$/, '.')) }
  })
  const whole = Array.from(
    stderr.matchAll(/^Failed to load the configuration file:\s+- (.+?)\.?$/gm),
    ([, message = '']) => {
      return {
        ...inConfiguration,
        place: placeOf(place([])),
        message: `${message}.`,
        mend: 'Correct the configuration.',
      }
    },
  )
  return [...parts, ...whole]
}

const inConfiguration = { rule: 'configuration', severity: 'warning' } as const

function configurationFault(message: string): Pick<Finding, 'message' | 'mend'> {
  const missing = /no such file or directory,? (?:open )?'(.*)'/.exec(message)?.[1]
  if (missing !== undefined) return { message: `There is no file ${missing}.`, mend: 'Add it, or correct its name.' }
  if (message.includes('nothing is fetched'))
    return { message: 'Nothing is fetched from the network.', mend: 'Save the file, and name it.' }
  const rule = /^Property `(.*)` is not expected here/.exec(message)?.[1]
  if (rule !== undefined) return { message: `There is no rule ${rule}.`, mend: 'Correct its name, or take it away.' }
  return { message, mend: 'Correct it.' }
}

function findingOf({ ruleId, severity, message, reference, suggest = [] }: Problem): Omit<Located, 'at' | 'place'> {
  const [, mendOf] = mends.find(([pattern]) => pattern.test(message)) ?? []
  // a name in other letter case is the nearest one
  const name = /^Property `(.*)` is not expected/.exec(message)?.[1] ?? ''
  const nearest = methods.has(name.toLowerCase()) ? name.toLowerCase() : suggest[0]
  return {
    rule: ruleId,
    severity: severity === 'error' ? 'error' : 'warning',
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
const told = ['spec-ref-siblings', 'no-unresolved-refs', 'path-parameters-defined', 'operation-operationId-unique']

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

/** Runs redocly in a folder. Without problems it failed. */
function problemsOf(cwd: string): Promise<{ problems?: Problem[]; stderr: string }> {
  const options = ['--config', configurationFile, '--format', 'json', '--max-problems', '1000000']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return new Promise((done) => {
    const args = [...offline, command, 'lint', contractFile, ...options]
    execFile(process.execPath, args, { cwd, env, maxBuffer: maxOutputBytes }, (error, stdout, stderr) => {
      try {
        // it also prints a report when it finds something and exits with 1
        done({ problems: (JSON.parse(stdout) as { problems: Problem[] }).problems, stderr })
      } catch {
        done({ stderr: stderr || (error?.message ?? 'it printed no report') })
      }
    })
  })
}

function said(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*[║╔╚]/.test(line))
    .join(' ')
}
