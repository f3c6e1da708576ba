import { contract } from '../diff.ts'
import type { Worth } from '../pairs.ts'

/** Two versions of a contract, and what the change is worth to clients of the first. */
export interface Graded {
  change: string
  right: Worth
  base: string
  head: string
}

type Row = readonly [change: string, right: Worth, before: string, after: string]

const done = "responses: { '204': { description: Done. } }"

/** Rows of two texts, each put into a contract by `write`. */
export function graded(write: (text: string) => string, rows: readonly Row[]): Graded[] {
  return rows.map(([change, right, before, after]) => ({ change, right, base: write(before), head: write(after) }))
}

/** A GET with these parameters. */
export function withParameters(parameters: string): string {
  return contract({ '/things': `{ get: { parameters: [${parameters}], ${done} } }` })
}

/** A POST with what is written between the operation's braces. */
export function withOperation(text: string): string {
  return contract({ '/things': `{ post: { ${text}, ${done} } }` })
}

/** A POST that takes a JSON body of this schema; the text may go on with ` | ` and the schemas of the components. */
export function withBody(text: string): string {
  const [schema = '', schemas = ''] = text.split(' | ')
  const body = `requestBody: { content: { application/json: { schema: ${schema} } } }`
  return contract({ '/things': `{ post: { ${body}, ${done} } }` }, `{ schemas: { ${schemas} } }`)
}

/** A GET that answers JSON of this schema, written as for `withBody`. */
export function withAnswer(text: string): string {
  const [schema = '', schemas = ''] = text.split(' | ')
  const answer = `'200': { description: Fine., content: { application/json: { schema: ${schema} } } }`
  return contract({ '/things': `{ get: { responses: { ${answer} } } }` }, `{ schemas: { ${schemas} } }`)
}

/** A GET with these responses. */
export function withResponses(responses: string): string {
  return contract({ '/things': `{ get: { responses: { ${responses} } } }` })
}

/** A GET; the text may go on with ` | ` and what stands above the paths, and ` | ` and the security schemes. */
export function withRoot(text: string): string {
  const [operation = '', more = '', schemes = ''] = text.split('|').map((part) => part.trim())
  const lines = more === '' ? '' : `${more}\n`
  return contract({ '/things': `{ get: { ${operation}${done} } }` }, `{ securitySchemes: { ${schemes} } }`, lines)
}

/** A contract as of OpenAPI 3.1. */
export function of31(write: (text: string) => string): (text: string) => string {
  return (text) => write(text).replace('openapi: 3.0.3', 'openapi: 3.1.0')
}

/** A webhook with what is written between its operation's braces. */
export function withWebhook(text: string): string {
  return contract({}, '{}', `webhooks: { told: { post: { ${text} } } }\n`).replace('paths:\n', 'paths: {}\n')
}

/** A POST with a callback, with what is written between its operation's braces. */
export function withCallback(text: string): string {
  return withOperation(`callbacks: { told: { '{$request.query.url}': { post: { ${text} } } } }`)
}
