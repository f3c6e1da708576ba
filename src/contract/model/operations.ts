import { isOwnPath, ownPaths } from '../own-paths.ts'
import type { ContractDocument } from './files/document.ts'
import type { Finding } from './finding.ts'
import { isNode, listOf, nodeOf, operationsOf, type Node, type OperationNode, type Path } from './tree.ts'

/** An operation of the contract, before anything is compiled. */
export interface DeclaredOperation {
  /** Names the handler, its file and its function: the operationId, or what `nameOf` makes where that cannot be. */
  operationId: string
  /** The operationId as the contract has it, if it has one. */
  declaredId?: string
  method: string
  path: string
  /** The path of the operation's server, such as `/v1`. */
  root: string
  /** Where the operation stands, also when its path is a reference. */
  at: Path
}

/** The operations of the contract, in its order. The first fault of `operationFindings` throws an error with its place. */
export function declaredOperations(document: ContractDocument): DeclaredOperation[] {
  const fault = operationFindings(document).find(({ severity }) => severity === 'error')
  if (fault)
    throw new Error(`${document.place(fault.at)} ${fault.message}${fault.mend === undefined ? '' : ` ${fault.mend}`}`)
  return namedOperations(document)
}

/** The operations of a contract that may have faults. */
export function namedOperations({ root }: Pick<ContractDocument, 'root'>): DeclaredOperation[] {
  return operationsOf(root).map((one) => {
    const { operationId } = one.operation
    const common = { method: one.method, path: one.path, root: serverPathOf(root, one) ?? '', at: one.at }
    const named = { operationId: nameOf(one), ...common }
    return typeof operationId === 'string' ? { ...named, declaredId: operationId } : named
  })
}

const hidden = `This path also matches the pages of the service, which are answered first: ${ownPaths.join(', ')}.`

/**
 * What makes operations unusable: a method that the service answers by itself, a name that two have (ignoring letter
 * case, as file systems may), an address that two have, or a server whose address is none.
 */
export function operationFindings({ root }: Pick<ContractDocument, 'root'>): Finding[] {
  const findings: Finding[] = []
  const names = new Map<string, string>()
  const addresses = new Map<string, string>()
  for (const one of operationsOf(root)) {
    const { name, path, method, operation, at } = one
    const refuse = (where: Path, message: string, mend?: string): void => {
      const finding: Finding = { severity: 'error', kind: 'address or name', at: where, message }
      findings.push(mend === undefined ? finding : { ...finding, mend })
    }
    const note = (where: Path, message: string): void => {
      findings.push({ severity: 'note', kind: 'address or name', at: where, message })
    }
    if (method === 'head' || method === 'options') {
      refuse(at, `${method.toUpperCase()} is answered for every path by itself.`)
    }
    const { operationId } = operation
    const where = operationId === undefined ? at : [...at, 'operationId']
    const used = nameOf(one)
    const other = names.get(used.toLowerCase())
    if (other !== undefined && operationId === used) {
      refuse(where, `The operationId ${used} of ${name} is taken by ${other}.`, 'Choose another one.')
    } else if (other !== undefined) {
      const giver = operationId === undefined ? 'its path' : 'the operationId'
      const mend = operationId === undefined ? 'Give it an operationId.' : 'Choose another operationId.'
      refuse(where, `The name ${used}, which ${giver} gives to ${name}, is taken by ${other}.`, mend)
    }
    names.set(used.toLowerCase(), other ?? name)

    const server = serverPathOf(root, one)
    if (server === undefined) {
      const owner = serverOwner(root, one)
      if (!findings.some((other) => other.at.join() === owner.join()))
        refuse(owner, 'The url of the server is no address.')
    }
    const address = (server ?? '') + path
    if (isOwnPath(address)) refuse(['paths', path], `The address ${address} is of a page of the service itself.`)
    else if (server === '' && path.startsWith('/{')) note(['paths', path], hidden)
    const end = /[?#]/.exec(path)?.[0]
    if (end !== undefined) {
      const what = end === '?' ? 'query' : 'fragment'
      refuse(['paths', path], `The path ${path} has a ${what}, which no request can match.`)
    }
    if (hasOddBraces(path)) {
      const message = `The path ${path} has a brace that encloses no parameter.`
      refuse(['paths', path], message, 'Write each parameter such as {id}.')
    }
    const shape = `${method} ${server ?? ''}${path.replace(/\{[^}]+\}/g, '{}')}`
    const same = addresses.get(shape) ?? path
    if (same !== path) refuse(['paths', path], `The path ${path} matches the same addresses as ${same}.`)
    addresses.set(shape, same)
  }
  return findings
}

/**
 * The path that all operations have in front, taken from the servers, such as `/v1`; empty for none. Of several servers
 * the first one counts, and those of an operation or a path before those of the contract (OpenAPI 3.0.3, Path Item).
 */
export function apiRootOf({ root }: Pick<ContractDocument, 'root'>): string {
  const roots = operationsOf(root).map((one) => serverPathOf(root, one) ?? '')
  const [first = pathOfServers(nodeOf(root).servers) ?? '', ...others] = new Set(roots)
  const segments = first.split('/')
  for (const other of others) {
    const theirs = other.split('/')
    const end = segments.findIndex((segment, index) => segment !== theirs[index])
    if (end >= 0) segments.length = end
  }
  return segments.join('/')
}

/** Whether braces of a path are not in pairs around a name. */
export function hasOddBraces(path: string): boolean {
  return /[{}]/.test(path.replace(/\{[^{}]+\}/g, ''))
}

function serverPathOf(root: unknown, { operation, item }: OperationNode): string | undefined {
  const lists = [operation.servers, item.servers, nodeOf(root).servers]
  return pathOfServers(lists.find((servers) => listOf(servers).length > 0))
}

/** The place of the server that an operation has. */
function serverOwner(root: unknown, { operation, item, at }: OperationNode): Path {
  const owners: [Node, Path][] = [
    [operation, at],
    [item, at.slice(0, -1)],
    [nodeOf(root), []],
  ]
  const [, owner = at] = owners.find(([node]) => listOf(node.servers).length > 0) ?? []
  return [...owner, 'servers', '0', 'url']
}

/** The path of the first server, without a slash at its end; undefined when its url is no address. */
function pathOfServers(servers: unknown): string | undefined {
  const { url, variables } = nodeOf(listOf(servers)[0] ?? { url: '/' })
  const address = String(url).replace(/\{([^}]+)\}/g, (_, name: string) => {
    const variable = nodeOf(variables)[name]
    return isNode(variable) ? String(variable.default) : ''
  })
  return URL.canParse(address, 'http://localhost')
    ? new URL(address, 'http://localhost').pathname.replace(/\/+$/, '')
    : undefined
}

/** The longest name of a function. */
const maxLength = 100

/**
 * The name of an operation's function and file. An operationId that can be one is taken as it is. In any other, and in
 * the method and path of an operation without one, letters after other characters become capitals: `pets/list-all` is
 * `petsListAll`, and `GET /pets/{petId}` is `getPetsPetId`. A name that begins with a digit gets `op` in front; a
 * reserved word gets `_` behind.
 */
export function nameOf({ operation, method, path }: Pick<OperationNode, 'operation' | 'method' | 'path'>): string {
  const { operationId } = operation
  const given = typeof operationId === 'string' ? nameFrom(operationId) : ''
  return given === '' ? nameFrom(`${method} ${path}`) : given
}

function nameFrom(text: string): string {
  if (isName(text)) return text
  const [first = '', ...others] =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .match(/[A-Za-z0-9][A-Za-z0-9_]*/g) ?? []
  const joined = first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const begun = /^\d/.test(joined) ? `op${joined}` : joined
  const name = begun.slice(0, maxLength)
  return reserved.has(name.toLowerCase()) ? `${name}_` : name
}

const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield ' +
    // device names of Windows
    'aux com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 con lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 nul prn'
  ).split(' '),
)

function isName(operationId: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9_]*$/.test(operationId) &&
    operationId.length <= maxLength &&
    !reserved.has(operationId.toLowerCase())
  )
}
