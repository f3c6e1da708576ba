import { OpenAPIBackend, type Document } from 'openapi-backend'
import { messageOf } from '../../failure.ts'
import type { ContractDocument } from '../document/document.ts'
import type { Finding } from '../document/finding.ts'
import { isReference, pathOf } from '../document/tree.ts'
import { inEarlierVersion } from './earlier-version.ts'

interface Fault {
  instancePath: string
  keyword: string
  message: string
  params: object
}

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
    return faultsIn(messageOf(error)).map(({ instancePath, message, params }) => ({
      severity: 'error',
      kind: 'OpenAPI',
      at: pathOf(instancePath),
      message: `OpenAPI ${version}: ${message} ${JSON.stringify(params)}.`,
    }))
  }
}

/**
 * The faults in the message of openapi-backend, which ends with a list of them as JSON. A fault deep in a value causes
 * others further up; only the deepest ones say what is wrong, and of those at one place the first.
 */
function faultsIn(message: string): Fault[] {
  const list = message.indexOf('[\n')
  if (list < 0) return [{ instancePath: '', keyword: '', message, params: {} }]
  const faults = JSON.parse(message.slice(list)) as Fault[]
  const places = new Set<string>()
  for (const { instancePath } of faults) {
    let end = instancePath.lastIndexOf('/')
    for (; end > 0; end = instancePath.lastIndexOf('/', end - 1)) places.add(instancePath.slice(0, end))
    if (end === 0) places.add('')
  }
  const deepest = new Map<string, Fault>()
  for (const fault of faults) {
    if (!places.has(fault.instancePath) && !deepest.has(fault.instancePath)) deepest.set(fault.instancePath, fault)
  }
  return [...deepest.values()]
}

/**
 * A copy without what the OpenAPI schema of openapi-backend does not know: integers as `bigint`, what stands beside a
 * `$ref`, exclusive limits, which it takes for those of another version, and a reference as `not`, which it refuses.
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
  return Object.fromEntries(known.map(([key, child]) => [key, plain(child)]))
}
