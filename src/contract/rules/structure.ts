import type { ErrorObject } from 'ajv'
import { OpenAPIBackend, type Document } from 'openapi-backend'
import { messageOf } from '../../failure.ts'
import type { ContractDocument } from '../model/files/document.ts'
import type { Finding } from '../model/finding.ts'
import { isReference, pathOf, type Path } from '../model/tree.ts'
import { inEarlierVersion } from './earlier-version.ts'
import { describeFaults } from '../exchange/error-messages.ts'

/** Where a contract is not as the schema of OpenAPI says. Keys beside a `$ref` are ignored, as OpenAPI says. */
export function definitionFindings({ root }: Pick<ContractDocument, 'root'>): Finding[] {
  const version = /^3\.\d/.exec(root.openapi)?.[0] ?? ''
  const definition = { ...(plain(inEarlierVersion(root)) as Document), openapi: '3.0.3' }
  const backend = new OpenAPIBackend({ definition, strict: true, quick: true, validate: false })
  backend.document = definition
  try {
    backend.validateDefinition()
    return []
  } catch (error) {
    return faultsIn(messageOf(error))
      .map((fault) => ({ fault, at: pathOf(fault.instancePath) }))
      .filter(({ at }) => !isSentByLink(at))
      .map(({ fault, at }) => {
        const { additionalProperty = [] } = fault.params as { additionalProperty?: string }
        const message = `OpenAPI ${version}: ${sentence(fault, at)}`
        return { severity: 'error', kind: 'OpenAPI', at: [...at, additionalProperty].flat(), message }
      })
  }
}

function sentence(fault: ErrorObject, at: Path): string {
  const [last = 'the contract', parent = ''] = [...at].reverse()
  if (last === '$ref') return `${parent} must not be a $ref.`
  const { additionalProperty } = fault.params as { additionalProperty?: string }
  if (last === 'responses' && additionalProperty !== undefined)
    return `responses.${additionalProperty} must be a status such as 404, a range such as 4XX, or default.`
  // a position says nothing without the name of its list
  const name = /^\d+$/.test(last) ? `${parent}.${last}` : last
  return describeFaults([{ ...fault, instancePath: '' }], name)
}

/** Whether a value is what a link sends: OpenAPI allows any, and the schema of openapi-backend no object. */
function isSentByLink(at: Path): boolean {
  return at.some((key, index) => {
    const isLink = key === 'links' && (at[index - 2] === 'responses' || at[index - 1] === 'components')
    return isLink && ['parameters', 'requestBody'].includes(at[index + 2] ?? '')
  })
}

const ofKeys = ['required', 'additionalProperties']

/**
 * The faults in the message of openapi-backend, which ends with a list of them as JSON. A fault deep in a value causes
 * others further up; only the deepest ones say what is wrong, and of those at one place the first and what is said of keys.
 */
function faultsIn(message: string): ErrorObject[] {
  const list = message.indexOf('[\n')
  if (list < 0) return [{ instancePath: '', schemaPath: '', keyword: '', message, params: {} }]
  const faults = JSON.parse(message.slice(list)) as ErrorObject[]
  const places = new Set<string>()
  for (const { instancePath } of faults) {
    let end = instancePath.lastIndexOf('/')
    for (; end > 0; end = instancePath.lastIndexOf('/', end - 1)) places.add(instancePath.slice(0, end))
    if (end === 0) places.add('')
  }
  const deepest = new Map<string, ErrorObject[]>()
  for (const fault of faults) {
    const { instancePath } = fault
    if (!places.has(instancePath)) deepest.set(instancePath, [...(deepest.get(instancePath) ?? []), fault])
  }
  return [...deepest.values()].flatMap((all) => {
    // where a reference may stand too, what it would need comes last
    const end = all.findIndex(({ params }) => (params as { missingProperty?: string }).missingProperty === '$ref')
    const [first, ...others] = all.slice(0, end < 0 ? all.length : Math.max(end, 1))
    return first ? [first, ...others.filter(({ keyword }) => ofKeys.includes(keyword))] : []
  })
}

/**
 * A copy without what the OpenAPI schema of openapi-backend does not know: integers as `bigint`, what stands beside a
 * `$ref`, exclusive limits, which it takes for those of another version, values that an enum has twice, and a reference
 * as `not`, which it refuses.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  if (isReference(value)) return { $ref: value.$ref }
  const known = Object.entries(value).filter(
    ([key, child]) =>
      (typeof child !== 'boolean' || !key.startsWith('exclusiveM')) && !(key === 'not' && isReference(child)),
  )
  return Object.fromEntries(
    known.map(([key, child]) => [key, plain(key === 'enum' && Array.isArray(child) ? [...new Set(child)] : child)]),
  )
}
