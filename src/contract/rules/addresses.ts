import { isOwnPath, ownPaths } from '../own-paths.ts'
import type { ContractDocument } from '../model/files/document.ts'
import { modelOf } from '../model/model.ts'
import type { Operation } from '../model/operation.ts'
import { encoded, hasOddBraces, normalized, templateShape } from '../model/path.ts'
import { fault, firstRefusal, type Report, rule } from './rule.ts'

/** The operations of the contract, in its order. The first one that has no name or address of its own throws an error. */
export function declaredOperations(document: ContractDocument): readonly Operation[] {
  const model = modelOf(document)
  const found = firstRefusal(addresses, model)
  if (found) throw fault(document, found)
  return model.operations
}

const hidden = `This path also matches the pages of the service, which are answered first: ${ownPaths.join(', ')}.`

/** No operation has an address of the service itself, which answers with its page. A mock answers with the operation. */
export const ownAddresses = rule({
  id: 'engine',
  on: 'operation',
  level: 'unserved',
  check: ({ path, serverPath = '' }, report) => {
    const address = serverPath + path
    if (isOwnPath(normalized(encoded(address))))
      report(['paths', path], `The address ${address} is of a page of the service itself.`)
  },
})

/**
 * Each operation has a name and an address that no other one has (ignoring the letter case of names, as file systems
 * may), and a server whose address is one.
 */
export const addresses = rule({
  id: 'engine',
  on: 'document',
  level: 'refused',
  check: ({ operations }, report) => {
    const names = new Map<string, Operation>()
    const paths = new Map<string, string>()
    for (const operation of operations) {
      const { method, at, servers, serverPath } = operation
      if (method === 'options') report(at, 'The service answers the preflights of browsers itself.', { level: 'noted' })
      checkName(operation, names, report)
      if (serverPath === undefined) report([...(servers[0]?.at ?? []), 'url'], 'The url of the server is no address.')
      checkPath(operation, paths, report)
    }
  },
})

function checkPath({ path, method, serverPath = '' }: Operation, paths: Map<string, string>, report: Report): void {
  const at = ['paths', path]
  if (serverPath === '' && path.startsWith('/{')) report(at, hidden, { level: 'noted' })
  const end = /[?#]/.exec(path)?.[0]
  if (end !== undefined) {
    report(at, `The path ${path} has a ${end === '?' ? 'query' : 'fragment'}, which no request can match.`)
  }
  if (hasOddBraces(path)) {
    const message = `The path ${path} has a brace that encloses no parameter.`
    report(at, message, { fix: 'Write each parameter such as {id}.' })
  }
  const shape = serverPath + templateShape(path)
  const same = paths.get(`${method} ${shape}`) ?? path
  const alike = paths.get(shape) ?? path
  if (same !== path) report(at, `The path ${path} matches the same addresses as ${same}.`)
  else if (alike !== path)
    report(at, `The path ${path} has the shape of ${alike}.`, { fix: 'Write both as one path.', level: 'wrong' })
  paths.set(`${method} ${shape}`, same)
  paths.set(shape, alike)
}

function checkName(operation: Operation, names: Map<string, Operation>, report: Report): void {
  const { name, at, declaredId, operationId: used } = operation
  const where = declaredId === undefined ? at : [...at, 'operationId']
  const other = names.get(used.toLowerCase())
  names.set(used.toLowerCase(), other ?? operation)
  if (other === undefined) return
  const level = declaredId !== undefined && declaredId === other.declaredId ? 'refused' : 'unserved'
  if (declaredId === used) {
    report(where, `The operationId ${used} of ${name} is taken by ${other.name}.`, {
      fix: 'Choose another one.',
      level,
    })
    return
  }
  const giver = declaredId === undefined ? 'its path' : 'the operationId'
  const fix = declaredId === undefined ? 'Give it an operationId.' : 'Choose another operationId.'
  report(where, `The name ${used}, which ${giver} gives to ${name}, is taken by ${other.name}.`, { fix, level })
}
