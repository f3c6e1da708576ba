import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { sourceOf, type Source } from '../../../src/contract/model/files/source.ts'
import { isNode, pathOf, type Node, type Path } from '../../../src/contract/model/node.ts'
import { Value } from '../../../src/contract/model/value.ts'
import { messageOf } from '../../../src/failure.ts'
import { packageFile } from '../../../src/package.ts'
import { placeText, splitMessage } from '../finding.ts'
import { onDisk, type Input } from '../input.ts'

/** How a contract is linted. */
export interface Configuration {
  /** Whether the house rules apply. */
  house: boolean
  /** Whether there are rules of the Redocly CLI. */
  isConfigured: boolean
  /** What the Redocly CLI reads. Its files have absolute names. */
  redocly: Node
  /** The severity of a rule that has the name of one of the Redocly CLI; undefined if it is off. */
  severityOf: (rule: string, usual: 'error' | 'warning') => 'error' | 'warning' | undefined
  /** The name that the configuration gives to the contract. */
  api: string | undefined
  /** The place of a value of the configuration. */
  place: Source['place']
  /** The places at which a rule of the Redocly CLI reports nothing: a file, and a path in it. */
  ignored: (rule: string) => { file: string; at: Path }[]
}

const ownConfiguration = packageFile('redocly.yaml') ?? 'redocly.yaml'

/**
 * The configuration of a contract: the redocly.yaml beside it, or one further up whose `apis` name it, else that for any
 * contract. `house` overrides its `x-house-rules`. A file that cannot be read throws an error that begins with the place.
 */
export function configurationOf(
  contract: string,
  house: boolean | undefined,
  text: Input['text'] = onDisk(contract).text,
): Configuration {
  const found = nearest(contract, text)
  const isHouse = Value.of(found?.root).get('x-house-rules')
  if (found && isHouse !== undefined && typeof isHouse !== 'boolean')
    throw new Error(`${found.place(['x-house-rules'])} x-house-rules must be true or false.`)
  const isOfHouse = house ?? isHouse === true
  const source =
    found && (!isOfHouse || isHouse === true)
      ? found
      : isOfHouse
        ? read(ownConfiguration, readFileSync(ownConfiguration, 'utf8'))
        : nothing(contract)
  const folder = dirname(source.name)
  const api = source === found ? apiOf(found, contract) : undefined
  const redocly = redoclyKeys(Value.of(source.root), folder, api)
  const ignored = Value.of(optional(join(found ? dirname(found.name) : dirname(contract), ignoreFile), text)?.root)
  return {
    house: isOfHouse,
    isConfigured: redocly !== undefined,
    redocly: redocly ?? {},
    severityOf: severities(redocly, api),
    api,
    place: source.place,
    ignored: (rule) =>
      ignored.entries.flatMap(([file, rules]) =>
        rules.field(rule).list.map((pointer) => ({ file: resolve(folder, file), at: pathOf(String(pointer)) })),
      ),
  }
}

const ignoreFile = '.redocly.lint-ignore.yaml'

function nearest(contract: string, text: Input['text']): Source | undefined {
  const own = dirname(contract)
  const beside = optional(join(own, 'redocly.yaml'), text)
  if (beside) return beside
  for (let folder = join(own, '..'); ; folder = join(folder, '..')) {
    const file = join(folder, 'redocly.yaml')
    try {
      const source = optional(file, text)
      if (source && apiOf(source, contract) !== undefined) return source
    } catch {
      // it is of something else
    }
    if (resolve(folder) === resolve(folder, '..')) return undefined
  }
}

/** A configuration that says nothing. */
function nothing(contract: string): Source {
  return sourceOf('{}', join(dirname(contract), 'redocly.yaml'))
}

function optional(file: string, textOf: Input['text']): Source | undefined {
  const text = textOf(file)
  return text === undefined ? undefined : read(file, text)
}

function read(file: string, text: string): Source {
  let source: Source
  try {
    source = sourceOf(text, file)
  } catch (error) {
    const { place, message } = splitMessage(messageOf(error), file)
    const what = `The configuration is not YAML: ${message.replace(/[.:\s]*$/, '.')}`
    throw new Error(`${placeText(place)} ${what}`, { cause: error })
  }
  if (source.root === null || isNode(source.root)) return source
  throw new Error(`${source.place([])} The configuration must be a mapping, such as "extends: [recommended]".`)
}

/** The name of a contract among the `apis` of a configuration. */
function apiOf({ name, root }: Source, contract: string): string | undefined {
  const isRoot = (api: Value): boolean => resolve(dirname(name), String(api.get('root'))) === resolve(contract)
  return Value.of(root)
    .field('apis')
    .entries.find(([, api]) => isRoot(api))?.[0]
}

/** What of a configuration concerns lint; undefined if it has no rules. */
function redoclyKeys(written: Value, folder: string, api: string | undefined): Node | undefined {
  const ofApi = written.field('apis', api ?? '')
  const [common = {}, own = {}] = [written, ofApi].map(({ node }) => lintKeys(node, folder))
  if ([common, own].every((keys) => Object.keys(keys).length === 0)) return undefined
  const plugins = written.field('plugins').list.map((plugin) => moduleOf(plugin, folder))
  return {
    ...common,
    ...(plugins.length > 0 ? { plugins } : {}),
    ...(api === undefined ? {} : { apis: { [api]: own } }),
  }
}

/** The severities that a configuration gives to rules; of others the usual ones. */
function severities(redocly: Node | undefined, api: string | undefined): Configuration['severityOf'] {
  const whole = Value.of(redocly)
  return (rule, usual) => {
    const owners = api === undefined ? [whole] : [whole.field('apis', api), whole]
    const said = owners.map((owner) => owner.get('rules', rule)).find((one) => one !== undefined)
    const severity = isNode(said) ? said.severity : said
    if (severity === 'off') return undefined
    if (severity === 'warn') return 'warning'
    return severity === 'error' ? 'error' : usual
  }
}

function lintKeys(node: Node, folder: string): Node {
  const kept = Object.entries(node).filter(([key]) => key === 'extends' || /^(rules|oas\d_?\d?Rules)$/.test(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'extends' ? [value].flat().map((one) => fileOf(one, folder)) : value]),
  )
}

/** A file of a configuration, whose name is relative to it; names of sets of rules stay as they are. */
function fileOf(name: unknown, folder: string): unknown {
  return typeof name === 'string' && /\.(ya?ml|json)$/.test(name) && !/^https?:/.test(name)
    ? resolve(folder, name)
    : name
}

function moduleOf(name: unknown, folder: string): unknown {
  try {
    return createRequire(resolve(folder, 'redocly.yaml')).resolve(String(name))
  } catch {
    return name
  }
}
