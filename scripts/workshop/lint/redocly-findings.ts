import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'lossless-json'
import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { kept } from '../../../src/kept.ts'
import { isNode, pathOf, type Node } from '../../../src/contract/model/node.ts'
import { faultyReferences, withoutOtherRefs } from '../../../src/contract/rules/references.ts'
import { Value } from '../../../src/contract/model/value.ts'
import { messageOf } from '../../../src/failure.ts'
import { placeIn, placeOf, placeText, type Finding } from '../finding.ts'
import type { Configuration } from './configuration.ts'
import { fixOf, oursByTheirs } from './redocly-rules.ts'

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
  suggest?: readonly string[]
  location: readonly { pointer?: string }[]
}

/** The Redocly CLI ended without a report. */
class RedoclyFailure extends Error {}

/**
 * What the rules of the Redocly CLI that this program does not have itself find in a contract, which it reads as one
 * file, and what it says of its configuration. Nothing without rules.
 */
export async function redoclyFindings(contract: ContractDocument, configuration: Configuration): Promise<Finding[]> {
  if (!configuration.isConfigured) return []
  const command = commandFor(contract.name)
  if (command === undefined) {
    const what = `${configuration.place([])} The rules that it names need the Redocly CLI.`
    throw new Error(`${what} Install it: npm install --save-dev @redocly/cli`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'contract-lint-'))
  try {
    writeFileSync(join(folder, contractFile), textOf(contract))
    writeFileSync(join(folder, configurationFile), JSON.stringify(configurationFor(configuration)))
    const { problems, stderr } = await problemsOf(command, folder)
    const ofConfiguration = configurationFindings(stderr, configuration)
    const fault = ofConfiguration.find((one) => !problems || one.isMissing)
    if (fault) throw new Error(`${placeText(fault.place)} ${fault.message} ${fault.fix}`)
    if (!problems) throw new RedoclyFailure(said(stderr))
    return [...findingsOf(problems, contract, configuration), ...ofConfiguration.map(({ isMissing: _, ...one }) => one)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The findings of tools. One that dies is a warning, and costs only its own findings. */
export async function ofTools(
  findings: Promise<Finding[]>,
  { file, isRefused }: { file: string; isRefused: boolean },
): Promise<Finding[]> {
  try {
    return await findings
  } catch (error) {
    if (!(error instanceof RedoclyFailure)) throw error
    const tooDeep = /exceeded maxDepth/.test(messageOf(error))
    const why = tooDeep
      ? 'The contract is nested more than 100 levels deep'
      : `The Redocly CLI failed (${messageOf(error).slice(0, 200)})`
    const fix = tooDeep
      ? 'Move inner schemas to the components.'
      : isRefused
        ? 'Correct the errors first.'
        : 'Report it to the makers of the Redocly CLI.'
    const message = `${why}, so its rules were not applied.`
    return [{ rule: 'configuration', severity: 'warning', place: { file, line: 1, column: 1 }, message, fix }]
  }
}

/** The contract as redocly reads it: what a wrong reference leads to is not read as what it should be. */
function textOf({ source }: ContractDocument): string {
  const faulty = faultyReferences(Value.of(source))
  const withoutOthers = withoutOtherRefs({ root: source })
  const text = stringify(source, (key, value) => (faulty.has(value) ? {} : withoutOthers(key, value))) ?? ''
  return text.replaceAll(calledOnObjects, replacement)
}

/** The configuration without the rules that this program has itself. */
function configurationFor({ api, redocly }: Configuration): Node {
  const own = Value.of(redocly).field('apis', api ?? '').node
  const apis = api === undefined ? {} : { apis: { [api]: { ...withoutOurs(own), root: contractFile } } }
  return { ...withoutOurs(redocly), ...apis }
}

function withoutOurs(keys: Node): Node {
  const off = Object.fromEntries(Object.keys(oursByTheirs).map((id) => [id, 'off']))
  const kept = Object.entries(keys).map(([key, value]) => [
    key,
    /^oas\d_?\d?Rules$/.test(key) && isNode(value) ? { ...value, ...off } : value,
  ])
  return { ...(Object.fromEntries(kept) as Node), rules: { ...Value.of(keys.rules).node, ...off } }
}

function findingsOf(problems: readonly Problem[], contract: ContractDocument, { ignored }: Configuration): Finding[] {
  const places = new Map<string, Set<string>>()
  const isIgnored = (rule: string, place: string): boolean =>
    kept(places, rule, () => ignoredPlaces(contract, ignored(rule))).has(place)
  return problems.flatMap(({ ruleId, severity, message, suggest = [], location }) => {
    const pointer = location[0]?.pointer ?? ''
    const place = placeIn(contract, pathOf(pointer.replaceAll(replacement, calledOnObjects)))
    if (ruleId in oursByTheirs || isIgnored(ruleId, placeText(place))) return []
    const text = message.replaceAll(replacement, calledOnObjects).replace(/\.$/, '')
    const [near] = suggest
    return {
      rule: ruleId,
      severity: severity === 'error' ? ('error' as const) : ('warning' as const),
      place,
      message: `${text}.`,
      fix: near === undefined ? fixOf(ruleId) : `Did you mean ${near}?`,
    }
  })
}

function ignoredPlaces({ sources }: ContractDocument, ignored: ReturnType<Configuration['ignored']>): Set<string> {
  return new Set(ignored.flatMap(({ file, at }) => sources.find(({ name }) => resolve(name) === file)?.place(at) ?? []))
}

/** A finding in the configuration. With `isMissing` it names a file that is not there, so nothing is checked by it. */
interface ConfigurationFinding extends Finding {
  isMissing?: boolean
}

/** What redocly says of its configuration, at the places of the file that it was made from. */
function configurationFindings(stderr: string, { place }: Configuration): ConfigurationFinding[] {
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
        fix: 'Correct the configuration.',
      }
    },
  )
  return [...parts, ...whole]
}

const inConfiguration = { rule: 'configuration', severity: 'warning' } as const

function configurationFault(message: string): Pick<ConfigurationFinding, 'message' | 'fix' | 'isMissing'> {
  const missing = /no such file or directory,? (?:open )?'(.*)'/.exec(message)?.[1]
  if (missing !== undefined)
    return { message: `There is no file ${missing}.`, fix: 'Add it, or correct its name.', isMissing: true }
  if (message.includes('nothing is fetched'))
    return { message: 'Nothing is fetched from the network.', fix: 'Save the file, and name it.' }
  const rule = /^Property `(.*)` is not expected here/.exec(message)?.[1]
  if (rule !== undefined) return { message: `There is no rule ${rule}.`, fix: 'Correct its name, or take it away.' }
  return { message, fix: 'Correct it.' }
}

/** The program of the Redocly CLI: of this package, else of the project of a contract; undefined where there is none. */
function commandFor(contract: string): string | undefined {
  for (const from of [import.meta.url, pathToFileURL(resolve(contract))]) {
    try {
      return createRequire(from).resolve('@redocly/cli/bin/cli.js')
    } catch {
      // it is not installed there
    }
  }
  return undefined
}

/** Runs redocly in a folder. Without problems it failed. */
function problemsOf(command: string, cwd: string): Promise<{ problems?: Problem[]; stderr: string }> {
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
