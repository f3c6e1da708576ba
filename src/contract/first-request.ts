import { stringify } from 'lossless-json'
import type { ContractDocument } from './model/files/document.ts'
import { modelOf } from './model/model.ts'
import type { Operation } from './model/operation.ts'
import type { KeyPlace } from './model/security.ts'

/**
 * A command to try a service: it calls the first operation of the contract without path parameters, else the first one with
 * id 1. GETs come first, but after `preferred` operations.
 */
export function fetchCommand(
  contract: ContractDocument,
  address: string,
  key: string,
  preferred: (operation: Operation) => boolean = () => true,
): string {
  const all = modelOf(contract).operations.filter(({ method }) => method !== 'head')
  const gets = all.filter(({ method }) => method === 'get')
  const chosen = [gets.filter(preferred), all.filter(preferred), gets].find((some) => some.length > 0) ?? []
  const first = chosen.find((one) => !one.path.includes('{')) ?? chosen[0]
  if (!first) return `curl -i ${quoted(`${address}/`)} ${bearer(key)}`
  const method = first.method === 'get' ? '' : ` -X ${first.method.toUpperCase()}`
  return `${command(contract, first, address, key)}${method}`
}

/** A command for an empty store, in two lines: it sends the example of the first POST without path parameters. */
export function addCommand(contract: ContractDocument, address: string, key: string): string {
  for (const operation of modelOf(contract).operations) {
    const { method, path, body } = operation
    if (method !== 'post' || path.includes('{')) continue
    const example: unknown = body?.content.find(({ type }) => type === 'application/json')?.node.example
    if (example === undefined) continue
    const sent = `-H 'Content-Type: application/json' -d ${quoted(stringify(example) ?? '')}`
    return `${command(contract, operation, address, key)} \\\n    ${sent}`
  }
  return fetchCommand(contract, address, key)
}

/** Calls an operation with the key in the first place that the contract names for it. */
function command(contract: ContractDocument, operation: Operation, address: string, key: string): string {
  const { serverPath = '', path, security } = operation
  const url = address + serverPath.slice(modelOf(contract).apiRoot.length) + path.replace(/\{[^}]*\}/g, '1')
  const [places = []] = security
  const inQuery = places.flatMap((place) => (place.in === 'query' ? `${encodeURIComponent(place.name)}=${key}` : []))
  const target = inQuery.length > 0 ? `${url}?${inQuery.join('&')}` : url
  const shown = /^[\w:/.-]+$/.test(target) && operation.method === 'post' ? target : quoted(target)
  return ['curl -i', shown, ...places.flatMap((place) => optionsFor(place, key))].join(' ')
}

function optionsFor(place: KeyPlace, key: string): string[] {
  switch (place.in) {
    case 'bearer':
      return [bearer(key)]
    case 'basic':
      return [`-u ${quoted(`:${key}`)}`]
    case 'header':
      return [`-H ${quoted(`${place.name}: ${key}`)}`]
    case 'cookie':
      return [`-b ${quoted(`${place.name}=${key}`)}`]
    default:
      return []
  }
}

function bearer(key: string): string {
  return `-H 'Authorization: Bearer ${key}'`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
