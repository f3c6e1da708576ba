import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileContract } from '../../src/contract/contract.ts'
import { InvalidRequest } from '../../src/contract/exchange/invalid-request.ts'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { parseJson } from '../../src/road/json.ts'

/** A schema of the JSON Schema Test Suite with values, each valid or not. */
interface Group {
  description: string
  schema: unknown
  tests: { description: string; data: unknown; valid: boolean }[]
}

/** What the service says of a value: `refused` is why it does not start with the schema. */
export interface Verdict {
  /** `required: required validation: present required property is valid`, after its file and group. */
  name: string
  valid: boolean
  said: boolean | { refused: string }
}

/** The version of OpenAPI in which the schemas of a draft are held against the service. */
const versions = { 'draft2020-12': '3.1.0', draft4: '3.0.3' } as const
export type Draft = keyof typeof versions
export const drafts = Object.keys(versions) as Draft[]

/** The names of the mandatory files of a draft, without `.json`. */
export function filesOf(suite: string, draft: Draft): string[] {
  const names = readdirSync(join(suite, draft)).filter((name) => name.endsWith('.json'))
  return names.map((name) => name.slice(0, -'.json'.length))
}

/** Holds the service against a file of the suite: each schema is that of the body of a POST, each value is sent to it. */
export async function verdictsOn(suite: string, draft: Draft, file: string): Promise<Verdict[]> {
  const groups = JSON.parse(readFileSync(join(suite, draft, `${file}.json`), 'utf8')) as Group[]
  const found: Verdict[] = []
  for (const { description, schema, tests } of groups) {
    const accepts = await acceptor(schema, draft)
    for (const { description: test, data, valid } of tests) {
      const said = typeof accepts === 'function' ? accepts(data) : accepts
      found.push({ name: `${file}: ${description}: ${test}`, valid, said })
    }
  }
  return found
}

/** Returns what tells whether a body is valid, or why the service does not start. */
async function acceptor(schema: unknown, draft: Draft): Promise<((value: unknown) => boolean) | { refused: string }> {
  try {
    const document = parseContract(contractOf(schema, draft), 'suite.json')
    const { operations } = await compileContract(document, { checked: false, checkResponses: true, publicUrl: '' })
    const operation = operations.get('post')
    if (!operation) throw new Error('The contract has no operation.')
    return (value) => {
      const body = parseJson(Buffer.from(JSON.stringify(value)))
      try {
        operation.read({ values: [], query: '', headers: {}, body, type: 'application/json' })
        return true
      } catch (error) {
        if (!(error instanceof InvalidRequest)) throw error
        return false
      }
    }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

/** A contract with the schema as a component; `definitions`, which OpenAPI 3.0 does not know, become components too. */
function contractOf(schema: unknown, draft: Draft): string {
  const { definitions = {}, ...rest } = (draft === 'draft4' ? schema : {}) as { definitions?: object }
  const schemas = draft === 'draft4' ? { ...definitions, S: rest } : { S: schema }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/S' } } }
  const responses = { '204': { description: 'Done.' } }
  return JSON.stringify({
    openapi: versions[draft],
    info: { title: 'Suite', version: '1' },
    paths: { '/': { post: { operationId: 'post', requestBody: { required: true, content }, responses } } },
    components: { schemas: moved(schemas) },
  })
}

/** A schema whose references lead to its new place in a contract. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (['enum', 'const', 'default', 'examples'].includes(key)) return [key, child]
      const isOwn = key === '$ref' && typeof child === 'string' && /^#(\/|$)/.test(child)
      return [key, isOwn ? newPlaceOf(child) : moved(child)]
    }),
  )
}

function newPlaceOf($ref: string): string {
  return $ref.startsWith('#/definitions/')
    ? $ref.replace('definitions', 'components/schemas')
    : `#/components/schemas/S${$ref.slice(1)}`
}
