import type { ContractDocument } from './document.ts'
import { entriesOf, isReference, operationsOf } from './tree.ts'

/** An operation of the contract by its id, before anything is compiled. */
export interface DeclaredOperation {
  operationId: string
  method: string
  path: string
}

/**
 * The operations of the contract, in its order. An operationId that is missing, used twice (ignoring letter case) or
 * not usable as the name of a function and a file throws an error that begins with the place.
 */
export function declaredOperations({ root, place }: ContractDocument): DeclaredOperation[] {
  for (const [path, item] of entriesOf(root.paths)) {
    if (!isReference(item)) continue
    throw new Error(`${place(['paths', path])} A path must not be a $ref; write its operations here.`)
  }
  const taken = new Map<string, string>()
  return operationsOf(root).map(({ name, path, method, operation: { operationId }, at }) => {
    const where = (): string => place(operationId === undefined ? at : [...at, 'operationId'])
    if (method === 'head' || method === 'options') {
      throw new Error(`${place(at)} ${method.toUpperCase()} is answered for every path by itself.`)
    }
    if (typeof operationId !== 'string') throw new Error(`${where()} ${name} needs an operationId.`)
    if (!isName(operationId)) {
      throw new Error(
        `${where()} The operationId ${JSON.stringify(operationId)} of ${name} cannot name a function and a file; ` +
          `use letters, digits and "_", beginning with a letter, and no reserved word.`,
      )
    }
    const other = taken.get(operationId.toLowerCase())
    if (other) throw new Error(`${where()} The operationId ${operationId} of ${name} is taken by ${other}.`)
    taken.set(operationId.toLowerCase(), name)
    return { operationId, method, path }
  })
}

/** The path of the contract's servers, which all must have the same one. */
export function apiRootOf({ root, place }: ContractDocument): string {
  const paths = (root.servers ?? []).map(({ url, variables }) => {
    const address = url.replace(/\{([^}]+)\}/g, (_, variable: string) => variables?.[variable]?.default ?? '')
    return new URL(address, 'http://localhost').pathname.replace(/\/+$/, '')
  })
  const [first, ...others] = new Set(paths)
  if (first === undefined || others.length > 0) {
    throw new Error(`${place(['servers'])} The contract needs servers, and all of them must have the same path.`)
  }
  return first
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
  return /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(operationId) && !reserved.has(operationId.toLowerCase())
}
