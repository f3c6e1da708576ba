import type { Kind } from '../model/grammar.ts'
import { transform } from '../model/transform.ts'
import { entriesOf, isNode, isReference, listOf, nodeOf, type Node } from '../model/tree.ts'
import { isOfJsonSchema } from '../model/version.ts'

/**
 * A document without what OpenAPI 3.0 does not have, for the check against the schema of OpenAPI 3.0: openapi-backend
 * has no other one. What is left stays at its path.
 */
export function inEarlierVersion(root: unknown): unknown {
  if (!isOfJsonSchema(root)) return root
  return transform(root, (value, kind) => {
    if (typeof value === 'boolean' || isReference(value)) return value
    const known = kind === 'schema' ? schemaOf(value) : without(value, added[kind] ?? [])
    if (Array.isArray(known.servers)) known.servers = known.servers.map((server) => without(server, ['name']))
    complete(known, kind)
    return known
  })
}

/** What OpenAPI 3.1 and 3.2 add to objects. */
const added: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  document: ['webhooks', 'jsonSchemaDialect', '$self'],
  components: ['pathItems', 'mediaTypes'],
  pathItem: ['query', 'additionalOperations'],
  response: ['summary'],
  media: ['itemSchema', 'prefixEncoding', 'itemEncoding'],
  encoding: ['encoding', 'prefixEncoding', 'itemEncoding'],
}

function complete(node: Node, kind: Kind): void {
  if (kind === 'document') {
    node.paths ??= {}
    if (isNode(node.info)) {
      const license = isNode(node.info.license) ? { license: without(node.info.license, ['identifier']) } : {}
      node.info = { ...without(node.info, ['summary']), ...license }
    }
    if (Array.isArray(node.tags)) node.tags = node.tags.map((tag) => without(tag, ['summary', 'parent', 'kind']))
  } else if (kind === 'components' && isNode(node.securitySchemes)) {
    const schemes = entriesOf(node.securitySchemes).filter(([, scheme]) => nodeOf(scheme).type !== 'mutualTLS')
    node.securitySchemes = Object.fromEntries(schemes.map(([name, scheme]) => [name, schemeOf(scheme)]))
  } else if (kind === 'operation') {
    node.responses ??= { default: { description: '' } }
  } else if (kind === 'response') {
    node.description ??= ''
  }
  if (Array.isArray(node.parameters)) {
    node.parameters = node.parameters.filter((one) => nodeOf(one).in !== 'querystring')
  }
  if (kind !== 'schema' && isNode(node.examples)) {
    const examples = entriesOf(node.examples)
    node.examples = Object.fromEntries(
      examples.map(([name, one]) => [name, without(one, ['dataValue', 'serializedValue'])]),
    )
  }
}

function schemeOf(scheme: unknown): unknown {
  const known = without(scheme, ['deprecated', 'oauth2MetadataUrl'])
  return isNode(known.flows) ? { ...known, flows: without(known.flows, ['deviceAuthorization']) } : known
}

const schemaKeywords = new Set([
  ...['title', 'multipleOf', 'maximum', 'minimum', 'maxLength', 'minLength', 'pattern', 'maxItems', 'minItems'],
  ...['uniqueItems', 'maxProperties', 'minProperties', 'required', 'enum', 'type', 'not', 'allOf', 'oneOf', 'anyOf'],
  ...['items', 'properties', 'additionalProperties', 'description', 'format', 'default', 'nullable', 'discriminator'],
  ...['readOnly', 'writeOnly', 'example', 'externalDocs', 'deprecated', 'xml'],
])

function schemaOf(schema: Node): Node {
  const known = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === 'type') return typeof value === 'string' && value !== 'null'
    if (keyword === 'required') return listOf(value).length > 0 || !Array.isArray(value)
    return schemaKeywords.has(keyword) || keyword.startsWith('x-')
  })
  const { discriminator, xml, ...rest } = Object.fromEntries(known)
  return {
    ...rest,
    ...(discriminator === undefined
      ? {}
      : { discriminator: { propertyName: '', ...without(discriminator, ['defaultMapping']) } }),
    ...(xml === undefined ? {} : { xml: without(xml, ['nodeType']) }),
  }
}

function without(value: unknown, keys: readonly string[]): Node {
  return isNode(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
    : (value as Node)
}
