import type { ContractModel } from '../model/model.ts'
import { circularSchemas } from '../model/recursion.ts'
import { isKnownFormat } from '../model/formats.ts'
import type { Node } from '../model/node.ts'
import type { Finding } from '../model/finding.ts'
import { messageOf } from '../../failure.ts'
import { patternOf } from '../model/pattern.ts'
import { discriminated } from '../compile/schemas/discriminator.ts'

/** What the validators cannot do in the schemas of a contract, each at its keyword. */
export function schemaFindings(model: ContractModel): Finding[] {
  const findings: Finding[] = []
  model.eachSchema((schema) => {
    const { node, at } = schema
    const add = (severity: Finding['severity'], keyword: string, message: string): void => {
      findings.push({ severity, kind: 'schema', at: [...at, keyword], message })
    }
    ofPattern(node, add)
    ofNumber(node, add)
    ofFormat(node, add)
    if (Object.hasOwn(Object(node.properties) as object, '__proto__')) {
      const message = 'A property must not be named __proto__; no object can have it safely.'
      findings.push({ severity: 'error', kind: 'schema', at: [...at, 'properties', '__proto__'], message })
    }
    if (typeof node.default === 'bigint') add('error', 'default', 'A default beyond 2^53 - 1 is not supported.')
    if (node.discriminator === undefined) return
    const keyword = (['oneOf', 'anyOf'] as const).find((one) => one in node)
    if (!keyword || !discriminated(schema, schema.schemas(keyword))) {
      add('note', 'discriminator', 'This discriminator chooses no schema; the value is checked against the others.')
    }
  })
  for (const { at } of circularSchemas(model)) {
    const message = 'The schema contains itself for the same value, so no check of it would end.'
    const mend = 'Put a property or items between, or take the circle away.'
    findings.push({ severity: 'error', kind: 'schema', at, message, mend })
  }
  return findings
}

type Add = (severity: Finding['severity'], keyword: string, message: string) => void

function ofPattern({ pattern }: Node, add: Add): void {
  if (typeof pattern !== 'string') return
  try {
    patternOf(pattern)
  } catch (error) {
    add('error', 'pattern', `The pattern cannot be read: ${messageOf(error)}.`)
  }
}

function ofNumber(node: Node, add: Add): void {
  for (const keyword of ['minimum', 'maximum', 'multipleOf']) {
    const limit = node[keyword]
    if (limit !== undefined && node.type !== undefined && typeof limit !== 'number' && typeof limit !== 'bigint') {
      add('error', keyword, 'A limit must be a number.')
    }
  }
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum']) {
    const exclusive = node[keyword]
    if (typeof exclusive === 'number' || typeof exclusive === 'bigint') {
      add('error', keyword, 'An exclusive limit is written "minimum: 0" with "exclusiveMinimum: true" in OpenAPI 3.0.')
    }
  }
}

function ofFormat({ type, format }: Node, add: Add): void {
  if (typeof format !== 'string' || typeof type !== 'string') return
  if (!isKnownFormat(format, type as never))
    add('note', 'format', `The format ${format} of this ${type} is not checked.`)
}
