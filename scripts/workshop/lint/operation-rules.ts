import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { nearest } from '../../../src/contract/model/nearest.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { hasOddBraces } from '../../../src/contract/model/path.ts'
import { referenceFindings } from '../../../src/contract/rules/references.ts'
import {
  entriesOf,
  isReference,
  listOf,
  nodeOf,
  operationsOf,
  targetOf,
  walk,
  type Node,
  type Path,
} from '../../../src/contract/model/tree.ts'
import type { Report } from './rule.ts'

/** Reports references that lead to no part of the contract, and keys that are meant as one. */
export function references(contract: ContractDocument, report: Report): void {
  for (const { severity, at, message, mend = '' } of referenceFindings(contract)) {
    report(at, message, mend, severity === 'note' ? 'warning' : undefined)
  }
  walk({ at: [], value: contract.root }, (node, at) => {
    if (isReference(node)) return
    if (Object.hasOwn(node, '$ref')) {
      report([...at, '$ref'], 'The $ref is not a text.', "Write it such as '#/components/schemas/Name'.")
    }
    const wrong = Object.entries(node).find(
      ([key, value]) => /^[$#]?_?ref$/i.test(key) && typeof value === 'string' && value.includes('#/'),
    )
    if (wrong) report([...at, wrong[0]], `${wrong[0]} is no keyword.`, 'Write $ref.')
  })
}

/** Reports operations that cannot be called, or not as they say. */
export function operations({ root }: ContractDocument, report: Report): void {
  for (const { name, path, method, operation, item, at } of operationsOf(root)) {
    if (['get', 'head'].includes(method) && operation.requestBody !== undefined) {
      const message = `${name} declares a body, which a ${method.toUpperCase()} does not have.`
      report([...at, 'requestBody'], message, 'Take it away; send values in the query, or use POST.')
    }
    for (const owner of [at, at.slice(0, -1)]) {
      for (const [index, value] of listOf((owner === at ? operation : item).parameters).entries()) {
        const found = targetOf(root, value, [...owner, 'parameters', String(index)])
        if (found?.node.in !== 'path' || found.node.required === true) continue
        const message = `The path parameter ${String(found.node.name)} of ${name} must be required.`
        report(found.at, message, 'Add "required: true".')
      }
    }
    const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, parameter]) => parameter)
    const twice = names.find((parameter, index) => names.indexOf(parameter) !== index)
    if (twice !== undefined)
      report(at.slice(0, -1), `The path ${path} has the parameter ${twice} twice.`, 'Give the two different names.')
    for (const [status, value] of entriesOf(operation.responses)) {
      const response = targetOf(root, value, [...at, 'responses', status])
      for (const [type, media] of entriesOf(response?.node.content)) {
        if (!/json/.test(type) || !response || nodeOf(media).schema !== undefined) continue
        report(
          [...response.at, 'content', type],
          `The response ${status} of ${name} has no schema.`,
          'Add the schema of the body.',
          'warning',
        )
      }
    }
  }
}

/** Reports tags that the contract does not declare, though it declares some. */
export function tags({ root }: ContractDocument, report: Report): void {
  const declared = listOf(root.tags).map((tag) => String(nodeOf(tag).name))
  if (declared.length === 0) return
  for (const { name, operation, at } of operationsOf(root)) {
    for (const [index, tag] of listOf(operation.tags).entries()) {
      if (declared.includes(String(tag))) continue
      const near = nearest(String(tag), declared)
      const mend = near === undefined ? 'Declare it under tags, or correct it.' : `Did you mean ${near}?`
      report([...at, 'tags', String(index)], `The tag ${String(tag)} of ${name} is not declared.`, mend)
    }
  }
}

/** Reports security schemes that the contract does not declare. */
export function securitySchemes(contract: ContractDocument, report: Report): void {
  const { root } = contract
  const declared = Object.keys(nodeOf(nodeOf(root.components).securitySchemes))
  const owners = [{ security: root.security, at: [] as string[] }]
  for (const { operation, at } of operationsOf(root))
    owners.push({ security: operation.security as never, at: [...at] })
  for (const { security, at } of owners) {
    for (const [index, requirement] of listOf(security).entries()) {
      for (const [name, scopes] of entriesOf(requirement)) {
        if (isReference(requirement)) continue
        checkScopes(contract, { name, scopes, at: [...at, 'security', String(index), name] }, report)
        if (declared.includes(name)) continue
        const near = nearest(name, declared)
        const mend = near === undefined ? 'Add it to components.securitySchemes.' : `Did you mean ${near}?`
        report([...at, 'security', String(index), name], `There is no security scheme ${name}.`, mend)
      }
    }
  }
}

/** Reports scopes that no flow of an OAuth scheme has. */
function checkScopes(
  contract: ContractDocument,
  { name, scopes, at }: { name: string; scopes: unknown; at: Path },
  report: Report,
): void {
  const known = modelOf(contract).securityScheme(name)?.scopes
  if (!known) return
  for (const [index, scope] of listOf(scopes).map(String).entries()) {
    if (known.includes(scope)) continue
    const near = nearest(scope, known)
    const mend = near === undefined ? 'Add it to the scopes of a flow.' : `Did you mean ${near}?`
    report([...at, String(index)], `The security scheme ${name} has no scope ${scope}.`, mend)
  }
}

/** Reports servers with an address to which no path can be added, and with variables that have no such value. */
export function servers({ root }: ContractDocument, report: Report): void {
  const owners = [{ servers: nodeOf(root).servers, at: [] as Path }]
  for (const [path, item] of entriesOf(nodeOf(root).paths))
    owners.push({ servers: nodeOf(item).servers, at: ['paths', path] })
  for (const { operation, at } of operationsOf(root)) owners.push({ servers: operation.servers, at })
  for (const owner of owners) {
    for (const [index, server] of listOf(owner.servers).entries()) {
      checkServer(nodeOf(server), [...owner.at, 'servers', String(index)], report)
    }
  }
}

function checkServer({ url, variables }: Node, at: Path, report: Report): void {
  if (typeof url !== 'string') return
  for (const [name, variable] of entriesOf(variables)) {
    const { enum: values, default: value } = nodeOf(variable)
    const where = [...at, 'variables', name]
    if (!Array.isArray(values) || typeof value !== 'string') continue
    if (values.length === 0) report([...where, 'enum'], 'The enum has no values.', 'Add values, or take it away.')
    else if (!values.includes(value))
      report([...where, 'default'], 'The default is not a value of its enum.', 'Correct it.')
  }
  if (hasOddBraces(url)) {
    report(
      [...at, 'url'],
      'The address of the server has a brace without its pair.',
      'Write a variable such as {host}.',
    )
  } else if (/[?#]/.test(url)) {
    report(
      [...at, 'url'],
      'The address of the server has a query or a fragment, behind which no path can stand.',
      'Take it away.',
    )
  }
  const last = /\{([^}]*)\}$/.exec(url)?.[1]
  const value = last === undefined ? url : nodeOf(nodeOf(variables)[last]).default
  if (typeof value !== 'string' || value === '/' || !/[^/:]\/+$/.test(value)) return
  const where = [...at, ...(last === undefined ? ['url'] : ['variables', last, 'default'])]
  report(where, `The address of the server ends in a slash, and every path begins with one.`, 'Take the slash away.')
}

/** Reports a parameter that an operation and its path both declare. */
export function repeatedParameter({ root }: ContractDocument, report: Report): void {
  for (const { name, operation, item, at } of operationsOf(root)) {
    const keyOf = (value: unknown): string => {
      const node = targetOf(root, value)?.node
      return `${String(node?.in)} parameter ${String(node?.name)}`
    }
    const ofPath = new Set(listOf(item.parameters).map(keyOf))
    for (const [index, parameter] of listOf(operation.parameters).entries()) {
      if (!ofPath.has(keyOf(parameter))) continue
      report(
        [...at, 'parameters', String(index)],
        `${name} repeats the ${keyOf(parameter)} of its path.`,
        'The one of the operation holds; some tools do not know that.',
        'warning',
      )
    }
  }
}
