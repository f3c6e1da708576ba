import { stringify } from 'lossless-json'
import { isSeq, stringify as stringifyYaml } from 'yaml'
import type { ContractDocument } from './model/files/document.ts'
import { everyResponse, headersToAdd } from './model/files/every-response.ts'
import { Value } from './model/value.ts'

/**
 * The contract as clients get it, with the running server as the first one. Comments and digits stay as written; a
 * contract of several files becomes one.
 */
export function publishedContract(document: ContractDocument, server: string): { yaml: string; json: string } {
  const running = { url: server, description: 'This server' }
  const root = { ...document.source, servers: [running, ...(document.source.servers ?? [])] }
  const yaml = document.files.length > 1 ? yamlText(root) : yamlOf(document, running)
  return { yaml, json: stringify(root) ?? '' }
}

function yamlOf(document: ContractDocument, running: object): string {
  const yaml = document.yaml().clone()
  for (const { at, headers } of headersToAdd(Value.of(yaml.toJS()), () => document.name)) {
    for (const [name, header] of Object.entries(headers)) yaml.setIn([...at, 'headers', name], header)
  }
  yaml.delete(everyResponse)
  const servers: unknown = yaml.get('servers')
  if (isSeq(servers)) servers.items.unshift(yaml.createNode(running))
  else yaml.set('servers', [running, ...(document.source.servers ?? [])])
  return yaml.toString({ lineWidth: 0 })
}

/** Values as YAML, with every digit. */
export function yamlText(values: unknown): string {
  return stringifyYaml(values, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** The Markdown of `x-guide`, which the pages show after the operations; empty without one. */
export function guideOf(root: object): string {
  const { 'x-guide': guide } = root as { 'x-guide'?: unknown }
  return typeof guide === 'string' ? guide : ''
}
