import { stringify } from 'lossless-json'
import type { Finding } from '../model/finding.ts'
import { visitParts } from '../model/tree.ts'
import { entriesOf, isReference, listOf, walk, type Node, type Path } from '../model/tree.ts'
import { isOfJsonSchema } from '../model/version.ts'

type Add = (severity: Finding['severity'], key: string, message: string) => void

/** What the service does not do as a document of OpenAPI 3.1 or 3.2 says, and what means nothing there. */
export function dialectFindings(source: unknown): Finding[] {
  const findings: Finding[] = []
  if (!isOfJsonSchema(source)) return findings
  const version = String((source as Node).openapi).slice(0, 3)
  visitParts(source, (value, kind, at) => {
    const add: Add = (severity, key, message) => {
      findings.push({ severity, kind: 'OpenAPI 3.1', at: [...at, ...(key === '' ? [] : [key])], message })
    }
    if (kind === 'schema') ofSchema(value, at, add)
    else if (kind === 'document') ofDocument(value, add)
    else if (kind === 'pathItem') ofPathItem(value, at, add)
    else if (kind === 'media' && value.itemSchema !== undefined) {
      add('note', 'itemSchema', 'The items of a stream are not checked against itemSchema.')
    }
  })
  return findings.map((one) => ({ ...one, message: one.message.replaceAll('{version}', version) }))
}

const dialects = [
  /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
  /^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\//,
]

function isKnownDialect(uri: unknown): boolean {
  return uri === undefined || dialects.some((known) => typeof uri === 'string' && known.test(uri))
}

function ofDocument({ jsonSchemaDialect, $self, webhooks }: Node, add: Add): void {
  if (!isKnownDialect(jsonSchemaDialect)) {
    add('error', 'jsonSchemaDialect', 'Schemas of this dialect are not supported; only those of JSON Schema 2020-12.')
  }
  if ($self !== undefined) add('note', '$self', '$self is ignored: references are followed from this file.')
  if (entriesOf(webhooks).length > 0) add('note', 'webhooks', 'Webhooks are described to clients, and not sent.')
}

function ofPathItem(item: Node, at: Path, add: Add): void {
  if (at[0] !== 'paths') return
  if (item.query !== undefined) add('error', 'query', 'The method QUERY is not served: Node.js 20 does not read it.')
  if (item.additionalOperations !== undefined) {
    add('error', 'additionalOperations', 'Methods of additionalOperations are not served.')
  }
  if (isReference(item) && Object.keys(item).some((key) => !['$ref', 'summary', 'description'].includes(key))) {
    add('error', '$ref', 'What stands beside the $ref of a path is not read; put all of it in one place.')
  }
}

function ofSchema(schema: Node, at: Path, add: Add): void {
  for (const [keyword, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[keyword] !== 'boolean') continue
    const limit = stringify(schema[inclusive] ?? 0) ?? '0'
    const mend = schema[keyword] ? `write "${keyword}: ${limit}" for "${inclusive}: ${limit}"` : 'take it away'
    add('error', keyword, `${keyword} is a number in OpenAPI {version}: ${mend}.`)
  }
  if (schema.nullable !== undefined) {
    const mend = schema.nullable === true ? `: write ${withNull(schema)}` : ''
    add('note', 'nullable', `nullable means nothing in OpenAPI {version}${mend}.`)
  }
  if (!isKnownDialect(schema.$schema)) {
    add('error', '$schema', 'Schemas of this dialect are not supported; only those of JSON Schema 2020-12.')
  }
  if (schema.$dynamicRef !== undefined) add('error', '$dynamicRef', '$dynamicRef is not followed; write a $ref.')
  if (schema.$recursiveRef !== undefined) {
    add('note', '$recursiveRef', '$recursiveRef means nothing in JSON Schema 2020-12; write a $ref.')
  }
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    if (schema[keyword] !== undefined)
      add('note', keyword, `${keyword} is ignored: a $ref leads by the path of its target.`)
  }
  if (schema.$id !== undefined) {
    const severity = hasReference(schema, at) ? 'error' : 'note'
    add(severity, '$id', '$id is ignored: references are followed from the root of the file.')
  }
  if (schema.contentSchema !== undefined) add('note', 'contentSchema', 'The content of a text is not checked.')
  const { items, prefixItems } = schema
  if (Array.isArray(items)) {
    add('error', 'items', 'items is one schema in OpenAPI {version}: write prefixItems for the first items.')
  } else if (listOf(prefixItems).length === 0 && prefixItems !== undefined) {
    add('error', 'prefixItems', 'prefixItems is a list of schemas.')
  }
}

function withNull({ type }: Node): string {
  return typeof type === 'string' ? `"type: [${type}, 'null']"` : `"anyOf: [..., { type: 'null' }]"`
}

function hasReference(schema: Node, at: Path): boolean {
  let found = false
  walk({ at, value: schema }, (node) => {
    found ||= isReference(node)
  })
  return found
}
