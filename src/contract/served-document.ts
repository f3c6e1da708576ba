import { stringify } from 'lossless-json'
import { isSeq, stringify as stringifyYaml } from 'yaml'
import type { ContractDocument } from './model/files/document.ts'

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
  const servers: unknown = yaml.get('servers')
  if (isSeq(servers)) servers.items.unshift(yaml.createNode(running))
  else yaml.set('servers', [running, ...(document.source.servers ?? [])])
  return yaml.toString({ lineWidth: 0 })
}

/** Values as YAML, with every digit. */
export function yamlText(root: unknown): string {
  return stringifyYaml(root, { lineWidth: 0, aliasDuplicateObjects: false })
}
