import { stringify } from 'lossless-json'
import type { ContractDocument } from './document.ts'
import { declaredOperations } from './operations.ts'

/** A command to try a key with: it fetches the first thing of the contract that needs no id, or else the one with id 1. */
export function fetchCommand(contract: ContractDocument, address: string, key: string): string {
  const gets = declaredOperations(contract).filter(({ method }) => method === 'get')
  const { path = '/' } = gets.find((one) => !one.path.includes('{')) ?? gets[0] ?? {}
  return `curl -i ${quoted(address + path.replace(/\{[^}]*\}/g, '1'))} ${keyHeader(key)}`
}

/** The same in two lines for a store that holds nothing yet: it adds the example of the first thing that can be added. */
export function addCommand(contract: ContractDocument, address: string, key: string): string {
  for (const { method, path } of declaredOperations(contract)) {
    const body = method === 'post' && !path.includes('{') ? contract.root.paths?.[path]?.post?.requestBody : undefined
    const example: unknown = body && 'content' in body ? body.content['application/json']?.example : undefined
    if (example === undefined) continue
    const sent = `-H 'Content-Type: application/json' -d ${quoted(stringify(example) ?? '')}`
    return `curl -i ${address}${path} ${keyHeader(key)} \\\n    ${sent}`
  }
  return fetchCommand(contract, address, key)
}

function keyHeader(key: string): string {
  return `-H 'Authorization: Bearer ${key}'`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
