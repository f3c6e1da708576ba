import { isOwnPath, ownPaths } from '../own-paths.ts'
import type { ContractDocument } from '../model/files/document.ts'
import type { Finding } from '../model/finding.ts'
import { modelOf, type ContractModel } from '../model/model.ts'
import type { Path } from '../model/node.ts'
import type { Operation } from '../model/operation.ts'
import { hasOddBraces } from '../model/path.ts'

/** The operations of the contract, in its order. The first fault of `addressFindings` throws an error with its place. */
export function declaredOperations(document: ContractDocument): readonly Operation[] {
  const model = modelOf(document)
  const fault = addressFindings(model).find(({ severity }) => severity === 'error')
  if (fault)
    throw new Error(`${document.place(fault.at)} ${fault.message}${fault.mend === undefined ? '' : ` ${fault.mend}`}`)
  return model.operations
}

const hidden = `This path also matches the pages of the service, which are answered first: ${ownPaths.join(', ')}.`

/**
 * What makes operations unusable: a method that the service answers by itself, a name that two have (ignoring letter
 * case, as file systems may), an address that two have, or a server whose address is none.
 */
export function addressFindings({ operations }: ContractModel): Finding[] {
  const findings: Finding[] = []
  const names = new Map<string, string>()
  const addresses = new Map<string, string>()
  const refuse = (at: Path, message: string, mend?: string): void => {
    const finding: Finding = { severity: 'error', kind: 'address or name', at, message }
    findings.push(mend === undefined ? finding : { ...finding, mend })
  }
  for (const operation of operations) {
    const { path, method, at, servers, serverPath } = operation
    if (method === 'head' || method === 'options') {
      refuse(at, `${method.toUpperCase()} is answered for every path by itself.`)
    }
    checkName(operation, names, refuse)
    if (serverPath === undefined) {
      const owner = [...(servers[0]?.at ?? []), 'url']
      if (!findings.some((other) => other.at.join() === owner.join()))
        refuse(owner, 'The url of the server is no address.')
    }
    const address = (serverPath ?? '') + path
    if (isOwnPath(address)) refuse(['paths', path], `The address ${address} is of a page of the service itself.`)
    else if (serverPath === '' && path.startsWith('/{'))
      findings.push({ severity: 'note', kind: 'address or name', at: ['paths', path], message: hidden })
    const end = /[?#]/.exec(path)?.[0]
    if (end !== undefined) {
      const what = end === '?' ? 'query' : 'fragment'
      refuse(['paths', path], `The path ${path} has a ${what}, which no request can match.`)
    }
    if (hasOddBraces(path)) {
      const message = `The path ${path} has a brace that encloses no parameter.`
      refuse(['paths', path], message, 'Write each parameter such as {id}.')
    }
    const shape = `${method} ${serverPath ?? ''}${path.replace(/\{[^}]+\}/g, '{}')}`
    const same = addresses.get(shape) ?? path
    if (same !== path) refuse(['paths', path], `The path ${path} matches the same addresses as ${same}.`)
    addresses.set(shape, same)
  }
  return findings
}

function checkName(
  { name, node, at, operationId: used }: Operation,
  names: Map<string, string>,
  refuse: (at: Path, message: string, mend?: string) => void,
): void {
  const { operationId } = node
  const where = operationId === undefined ? at : [...at, 'operationId']
  const other = names.get(used.toLowerCase())
  names.set(used.toLowerCase(), other ?? name)
  if (other === undefined) return
  if (operationId === used) {
    refuse(where, `The operationId ${used} of ${name} is taken by ${other}.`, 'Choose another one.')
    return
  }
  const giver = operationId === undefined ? 'its path' : 'the operationId'
  const mend = operationId === undefined ? 'Give it an operationId.' : 'Choose another operationId.'
  refuse(where, `The name ${used}, which ${giver} gives to ${name}, is taken by ${other}.`, mend)
}
