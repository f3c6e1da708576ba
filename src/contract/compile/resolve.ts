import { OpenAPIBackend, type Document, type Operation } from 'openapi-backend'
import { messageOf } from '../../failure.ts'
import type { ContractDocument, PlaceText } from '../document/document.ts'
import { checkReferences, pathOf, walk } from '../document/tree.ts'
import { takeNumericRule } from './numbers.ts'
import type { Schema } from './schema.ts'

/** A parameter of an operation, with every `$ref` resolved. */
export interface ResolvedParameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  schema?: Schema
  content?: unknown
  style?: string
  explode?: boolean
}

/** An answer of an operation, with every `$ref` resolved. */
export interface ResolvedResponse {
  headers?: Record<string, { required?: boolean }>
  content?: Record<string, { schema?: Schema }>
}

/**
 * Checks a contract against the OpenAPI 3.0 schema. Returns it with each `$ref` replaced by its target, and with the
 * rules for numbers in their keyword. A fault throws an error that begins with its place. `checked` skips the check,
 * which takes longer than all the rest, for a contract that has passed it before.
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

export function parametersOf({ parameters = [] }: Operation): ResolvedParameter[] {
  return parameters as ResolvedParameter[]
}

/** The answers that an operation declares, by status. */
export function responsesOf({ responses = {} }: Operation): [status: string, response: ResolvedResponse][] {
  return Object.entries(responses as Record<string, ResolvedResponse>)
}

/** Runs a step of the compilation. The message of an error that it throws gets the place in front. */
export function atPlace<T>(place: PlaceText, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const message = messageOf(error)
    throw new Error(message.startsWith(place()) ? message : `${place()} ${message}`, { cause: error })
  }
}

/** The message of openapi-backend ends with a list of faults as JSON. The deepest fault says most. */
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
