import { stringify } from 'lossless-json'
import type { ContractDocument } from './document.ts'

/** The contract as clients get it, with the running server as the first one. Comments and digits stay as written. */
export function publishedContract(document: ContractDocument, server: string): { yaml: string; json: string } {
  const description = 'This server'
  const yaml = document.yaml().clone()
  const running = yaml.createNode({ url: server, description })
  const servers: unknown = yaml.get('servers')
  if (isList(servers)) servers.items.unshift(running)
  const { source } = document
  const root = { ...source, servers: [{ url: server, description }, ...(source.servers ?? [])] }
  return { yaml: yaml.toString({ lineWidth: 0 }), json: stringify(root) ?? '' }
}

function isList(node: unknown): node is { items: unknown[] } {
  return typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)
}
