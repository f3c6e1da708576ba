import type { Document, Operation } from 'openapi-backend'
import { messageOf } from '../../failure.ts'
import type { ContractDocument, PlaceText } from '../model/files/document.ts'
import { modelOf } from '../model/model.ts'
import type { Operation as ModelOperation } from '../model/operation.ts'
import { entriesOf, listOf, nodeOf, targetOf, type Node, type Path } from '../model/tree.ts'
import type { KeyPlace } from '../model/security.ts'

/** A schema as the contract has it, or a reference to one. */
export type Schema = Node

/** A parameter of an operation; only its schema may be a reference. */
export interface ResolvedParameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  schema?: Schema
  content?: Record<string, { schema?: Schema }>
  style?: string
  explode?: boolean
  at: Path
}

export interface ResolvedMedia {
  schema?: Schema
  encoding?: Record<string, Node>
}

/** The body of a request; only its schemas may be references. */
export interface ResolvedBody {
  required: boolean
  content: Record<string, ResolvedMedia>
  at: Path
}

/** An answer of an operation; only its schemas may be references. */
export interface ResolvedResponse {
  headers: Record<string, { required?: boolean }>
  content: Record<string, ResolvedMedia>
  at: Path
}

/** An operation with every reference resolved but those of schemas. */
export interface ResolvedOperation {
  declared: ModelOperation
  operationId: string
  declaredId: string | undefined
  method: string
  path: string
  root: string
  at: Path
  node: Node
  parameters: ResolvedParameter[]
  requestBody: ResolvedBody | undefined
  /** By status, range or `default`. */
  responses: Map<string, ResolvedResponse>
  /** The places of the key, of which one list is needed; an empty list needs no key. */
  security: readonly (readonly KeyPlace[])[]
}

/** The operations of a contract, with the parts that each needs. */
export function resolveOperations(document: ContractDocument): ResolvedOperation[] {
  const { root } = document
  return modelOf(document).operations.map((declared): ResolvedOperation => {
    const { node, at, operationId, declaredId, method, path, serverPath, security } = declared
    return {
      ...{ declared, operationId, declaredId, method, path, at, node, security, root: serverPath ?? '' },
      parameters: parametersOf(root, node, declared.item.node, at),
      requestBody: bodyOf(root, node, at),
      responses: responsesOf(root, node, at),
    }
  })
}

/** The definition that openapi-backend makes its table of operations from, with full paths below the API root. */
export function definitionOf(document: ContractDocument, apiRoot: string): Document {
  const paths: Record<string, Record<string, Partial<Operation>>> = {}
  for (const { operationId, method, path, serverPath = '' } of modelOf(document).operations) {
    const item = (paths[serverPath.slice(apiRoot.length) + encoded(path)] ??= {})
    item[method] = { operationId, responses: {} }
  }
  return { openapi: '3.0.3', info: document.root.info, paths }
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

/** A path as requests have it: what is no letter of a path is percent-encoded. */
function encoded(path: string): string {
  return path.replace(/[^\w.~!$&'()*+,;=:@%/{}-]+/gu, encodeURIComponent)
}

/** Header parameters of these names are ignored (OpenAPI 3.0.3, Parameter Object): other parts of a contract tell them. */
export function isIgnored({ name, in: place }: Pick<ResolvedParameter, 'name' | 'in'>): boolean {
  return place === 'header' && ['accept', 'authorization', 'content-type'].includes(name.toLowerCase())
}

/** The parameters of an operation, and those of its path that it does not override. */
function parametersOf(root: unknown, operation: Node, item: Node, at: Path): ResolvedParameter[] {
  const all = [
    ...spots(root, operation.parameters, [...at, 'parameters']),
    ...spots(root, item.parameters, [...at.slice(0, -1), 'parameters']),
  ]
  const found = new Map<string, ResolvedParameter>()
  for (const { node, at: where } of all) {
    const parameter = { ...node, at: where } as unknown as ResolvedParameter
    // header names ignore letter case
    const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name
    const key = `${parameter.in} ${name}`
    if (!found.has(key) && !isIgnored(parameter)) found.set(key, parameter)
  }
  return [...found.values()]
}

function spots(root: unknown, list: unknown, at: Path): { node: Node; at: Path }[] {
  return listOf(list).flatMap((value, index) => targetOf(root, value, [...at, String(index)]) ?? [])
}

function bodyOf(root: unknown, { requestBody }: Node, at: Path): ResolvedBody | undefined {
  const target = targetOf(root, requestBody, [...at, 'requestBody'])
  return (
    target && {
      required: target.node.required === true,
      content: nodeOf(target.node.content) as ResolvedBody['content'],
      at: target.at,
    }
  )
}

function responsesOf(root: unknown, { responses }: Node, at: Path): Map<string, ResolvedResponse> {
  return new Map(
    entriesOf(responses).flatMap(([status, value]): [string, ResolvedResponse][] => {
      const target = targetOf(root, value, [...at, 'responses', status])
      if (status.startsWith('x-') || !target) return []
      const headers = entriesOf(target.node.headers).map(
        ([name, header]) => [name, targetOf(root, header)?.node ?? {}] as const,
      )
      const content = nodeOf(target.node.content) as ResolvedResponse['content']
      return [[status, { headers: Object.fromEntries(headers), content, at: target.at }]]
    }),
  )
}
