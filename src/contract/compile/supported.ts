import type { Document, Operation } from 'openapi-backend'
import type { ContractDocument, PlaceText } from '../document/document.ts'
import { parametersOf, responsesOf, type ResolvedParameter } from './resolve.ts'
import { templateNames } from './router.ts'
import type { Schema } from './schema.ts'

/** Refuses two path templates that differ only in the names of their parameters: they match the same paths. */
export function refuseSameShape({ root, place }: ContractDocument): void {
  const shapes = new Map<string, string>()
  for (const path of Object.keys(root.paths ?? {})) {
    const shape = path.replace(/\{[^}]+\}/g, '{}')
    const other = shapes.get(shape)
    if (other) throw new Error(`${place(['paths', path])} The path ${path} matches the same addresses as ${other}.`)
    shapes.set(shape, path)
  }
}

/** Refuses an operation that the service would silently treat wrongly. The error begins with `place`. */
export function refuseUnsupported(operation: Operation, definition: Document, place: PlaceText): void {
  const refuse = (what: string): never => {
    throw new Error(`${place()} ${operation.operationId ?? ''}: ${what}`)
  }
  const parameters = parametersOf(operation)
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
  for (const [status, { content = {} }] of responsesOf(operation)) {
    const types = Object.keys(content)
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
/** OpenAPI ignores header parameters of these names, since other parts of a contract declare them. */
const ignoredHeaders = ['accept', 'authorization', 'content-type']

function parameterFault({ name, in: place, schema, content, style, explode }: ResolvedParameter): string | undefined {
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

/** The types that a schema or one of its parts names. */
function typesOf(schema: Schema): string[] {
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (list ?? []) as Schema[])
  const own = typeof schema.type === 'string' ? [schema.type] : []
  return [...new Set([...own, ...parts.flatMap(typesOf)])]
}
