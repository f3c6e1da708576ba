import { stringify } from 'lossless-json'
import { parseContract, type ContractDocument } from './document.ts'

/** The contract as it is served, with the running server before the others. Comments and digits stay as written. */
export function publishedContract(document: ContractDocument, server: string): { yaml: string; json: string } {
  const yaml = document.yaml.clone()
  const running = yaml.createNode({ url: server, description: 'This server' })
  const servers: unknown = yaml.get('servers')
  if (isList(servers)) servers.items.unshift(running)
  const text = yaml.toString({ lineWidth: 0 })
  return { yaml: text, json: stringify(parseContract(text, document.name).root) ?? '' }
}

function isList(node: unknown): node is { items: unknown[] } {
  return typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)
}
