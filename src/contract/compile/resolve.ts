import { OpenAPIBackend, type Document, type Operation } from 'openapi-backend'
import type { ContractDocument, Place } from '../document/document.ts'
import { takeNumericRule } from './numbers.ts'
import { messageOf } from '../../failure.ts'
import { templateNames } from './router.ts'
import type { Schema } from './schema.ts'
import { checkReferences, pathOf, walk } from '../document/tree.ts'

/** A parameter of an operation, with every `$ref` resolved. */
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  schema?: Schema
  content?: unknown
  style?: string
  explode?: boolean
}

/**
 * Checks a contract against the OpenAPI 3.0 schema, and gives it with every `$ref`'s target in its place and the rules
 * of numbers in their keyword. A fault throws an error that names the place. `checked` skips the check, which takes
 * longer than all the rest, of a contract that has passed it before.
 */
export async function resolveContract(
  contract: ContractDocument,
  { checked }: { checked: boolean },
): Promise<Document> {
  const { name, root, place } = contract
  checkReferences(contract)
  const definition = structuredClone(root)
  walk({ at: [], value: definition }, (node, path) => {
    takeNumericRule(node, () => place(path))
  })
  const backend = new OpenAPIBackend({ definition, strict: true, quick: checked, validate: false })
  try {
    await backend.init()
  } catch (error) {
    throw new Error(explain(error, place) ?? `${name} ${messageOf(error)}`, { cause: error })
  }
  return backend.definition
}

/** openapi-backend tells the faults of a document as JSON at the end of its message; the deepest one tells most. */
function explain(error: unknown, place: ContractDocument['place']): string | undefined {
  const message = messageOf(error)
  const list = message.indexOf('[\n')
  if (list < 0) return undefined
  const faults = JSON.parse(message.slice(list)) as { instancePath: string; message: string; params: object }[]
  const paths = faults.map((fault) => pathOf(fault.instancePath))
  const deepest = Math.max(...paths.map(({ length }) => length))
  const index = paths.findIndex(({ length }) => length === deepest)
  const fault = faults[index]
  return fault && `${place(paths[index] ?? [])} OpenAPI 3.0: ${fault.message} ${JSON.stringify(fault.params)}.`
}

/** Refuses what requests or answers would silently be treated wrongly by. The error begins with `place`. */
export function refuseDishonoured(operation: Operation, definition: Document, place: Place): void {
  const refuse = (what: string): never => {
    throw new Error(`${place()} ${operation.operationId ?? ''}: ${what}`)
  }
  const parameters = (operation.parameters ?? []) as Parameter[]
  for (const parameter of parameters) {
    const fault = parameterFault(parameter)
    if (fault) refuse(`the ${parameter.in} parameter ${parameter.name} ${fault}.`)
  }
  const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name)
  const inTemplate = templateNames(operation.path)
  for (const name of inTemplate) if (!inPath.includes(name)) refuse(`the path parameter ${name} is not declared.`)
  for (const name of inPath) if (!inTemplate.includes(name)) refuse(`the path has no {${name}}.`)

  const media = Object.keys((operation.requestBody as { content?: object } | undefined)?.content ?? {})
  if (operation.requestBody && media.join() !== 'application/json') refuse('the body must be application/json alone.')
  for (const [status, response] of Object.entries(
    (operation.responses ?? {}) as Record<string, { content?: object }>,
  )) {
    const types = Object.keys(response.content ?? {})
    if (types.length > 0 && types.join() !== 'application/json')
      refuse(`the answer ${status} must be application/json.`)
    if (!/^([1-5]\d\d|default)$/.test(status)) refuse(`the answer ${status} must be one status.`)
  }

  const requirements = (operation.security ?? []).map((requirement) => Object.keys(requirement).join())
  const scheme = definition.components?.securitySchemes?.bearerAuth as { type?: string; scheme?: string } | undefined
  if (requirements.join() !== 'bearerAuth') refuse('it needs the security requirement bearerAuth, and no other.')
  if (scheme?.type !== 'http' || scheme.scheme?.toLowerCase() !== 'bearer') {
    refuse('the security scheme bearerAuth must be of type http with the scheme bearer.')
  }
}

const scalars = ['string', 'integer', 'number', 'boolean']
/** OpenAPI says that such parameters are ignored, since other parts of a contract declare them. */
const ignoredHeaders = ['accept', 'authorization', 'content-type']

function parameterFault({ name, in: place, schema, content, style, explode }: Parameter): string | undefined {
  const defaultStyle = place === 'query' ? 'form' : 'simple'
  if (place === 'cookie') return 'cannot be read; use a header or the query'
  if (place === 'header' && ignoredHeaders.includes(name.toLowerCase())) return 'is declared elsewhere in a contract'
  if (content !== undefined || !schema) return 'needs a schema; content cannot be read'
  if ((style ?? defaultStyle) !== defaultStyle) return `must have the style ${defaultStyle}`
  const types = typesOf(schema)
  const isList = types.length === 1 && types[0] === 'array' && place === 'query'
  if (!isList && (types.length === 0 || types.some((type) => !scalars.includes(type)))) {
    return place === 'query' ? 'must be a single value or a list' : 'must be a single value'
  }
  return explode === true && place === 'path' ? 'must not be exploded' : undefined
}

/** The types that a schema names, itself or in its parts. */
function typesOf(schema: Schema): string[] {
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (list ?? []) as Schema[])
  const own = typeof schema.type === 'string' ? [schema.type] : []
  return [...new Set([...own, ...parts.flatMap(typesOf)])]
}
