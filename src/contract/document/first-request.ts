import { stringify } from 'lossless-json'
import type { ContractDocument } from './document.ts'
import { declaredOperations } from './operations.ts'

/**
 * A command to try a key: it calls the first GET of the contract without path parameters, else the first one with id 1.
 */
export function fetchCommand(contract: ContractDocument, address: string, key: string): string {
  const gets = declaredOperations(contract).filter(({ method }) => method === 'get')
  const { path = '/' } = gets.find((one) => !one.path.includes('{')) ?? gets[0] ?? {}
  return `curl -i ${quoted(address + path.replace(/\{[^}]*\}/g, '1'))} ${keyHeader(key)}`
}

/** A command for an empty store, in two lines: it sends the example of the first POST without path parameters. */
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
