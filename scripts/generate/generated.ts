import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { ContractDocument } from '../../src/contract/model/files/document.ts'
import { modelOf } from '../../src/contract/model/model.ts'
import { requireReferences, withoutOtherRefs } from '../../src/contract/rules/references.ts'

const header = (contract: ContractDocument, command = 'npm run generate'): string =>
  `// Written by \`${command}\` from ${contract.name}. Do not edit.\n`

/** The files of generated/ for the service's contract, and for the files of `tableFolder`, by name. */
export async function generatedFiles(
  contract: ContractDocument,
  tableFiles: readonly string[],
): Promise<Map<string, string>> {
  return new Map([
    ['openapi.d.ts', await typesOf(contract)],
    ['handlers.ts', header(contract) + handlers(contract)],
    ['tables.ts', tableList(tableFiles)],
  ])
}

/** The types of a contract, which may be another one than the service's. `command` is what writes them. */
export async function typesOf(contract: ContractDocument, command?: string): Promise<string> {
  requireReferences(contract)
  const int64 = ts.factory.createTypeReferenceNode('Int64')
  const nullType = ts.factory.createLiteralTypeNode(ts.factory.createNull())
  const bytes = ts.factory.createTypeReferenceNode('Uint8Array')
  const names = new Map<unknown, string>(
    modelOf(contract).operations.map(({ node, operationId }) => [node, operationId]),
  )
  const withoutRefs = withoutOtherRefs(contract)
  const plain = JSON.stringify(contract.root, (key, value: unknown) => {
    const operationId = names.get(value)
    if (operationId !== undefined) return { ...(value as object), operationId }
    if (typeof value === 'bigint') return String(value)
    return optionalHeader(contract, value) ?? largeIntegers(value) ?? withoutRefs(key, value)
  })
  const ast = await openapiTS(plain, {
    immutable: true,
    inject: '/** A 64-bit integer, exact. */\nexport type Int64 = bigint;\n',
    transform: (schema) => {
      if (schema.type === 'string' && schema.format === 'binary') return bytes
      if (schema.type !== 'integer' || schema.format !== 'int64') return undefined
      return schema.nullable ? ts.factory.createUnionTypeNode([int64, nullType]) : int64
    },
  })
  return header(contract, command) + astToString(ast) + defaultedParameters(contract)
}

/** The target of a `$ref` to an optional header. openapi-typescript makes every header behind a `$ref` required. */
function optionalHeader(contract: ContractDocument, value: unknown): unknown {
  const { $ref } = Object(value) as { $ref?: unknown }
  if (typeof $ref !== 'string' || !$ref.startsWith('#/components/headers/')) return undefined
  const header = modelOf(contract).part(value, [])?.node
  return header?.required === true ? undefined : header
}

/** The type of values that a schema names, of which one is beyond 2^53 - 1. JSON cannot hold it for the library. */
function largeIntegers(value: unknown): unknown {
  const { enum: values, format: _, ...schema } = Object(value) as { enum?: unknown; format?: unknown }
  if (!Array.isArray(values) || !values.some((one) => typeof one === 'bigint')) return undefined
  return { ...schema, type: 'integer', format: 'int64' }
}

/** openapi-typescript leaves a query parameter optional even when its default makes it always present. */
function defaultedParameters(contract: ContractDocument): string {
  const lines = modelOf(contract).operations.map(({ operationId, declaredParameters }) => {
    const names = declaredParameters.flatMap(({ name, in: place, schema }) =>
      place === 'query' && schema?.get('default') !== undefined ? JSON.stringify(name) : [],
    )
    return `    ${operationId}: ${names.join(' | ') || 'never'};\n`
  })
  return (
    '/** Query parameters that always have a value, because the contract gives them a default. */\n' +
    `export interface DefaultedParameters {\n${lines.join('')}}\n`
  )
}

function handlers(contract: ContractDocument): string {
  const names = modelOf(contract).operations.map(({ operationId }) => operationId)
  return (
    `import type { Handlers } from '../src/contract/operation.ts'\n` +
    names.map((name) => `import { ${name} } from '../src/handlers/${name}.ts'\n`).join('') +
    `\n/** Digest of the contract that these files were made from. */\n` +
    `export const contractDigest = '${contract.digest}'\n` +
    `\nexport const handlers: Handlers = {\n${names.map((name) => `  ${name},\n`).join('')}}\n`
  )
}

/** The folder of the project that has a file for each table. */
export const tableFolder = 'src/store/tables'

/** The list of the tables. */
function tableList(files: readonly string[]): string {
  const names = files
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => file.slice(0, -'.ts'.length))
  return (
    `// Written by \`npm run generate\` from ${tableFolder}/. Do not edit.\n` +
    names.map((name) => `import { ${name} } from '../${tableFolder}/${name}.ts'\n`).join('') +
    `\nexport const tables = {\n${names.map((name) => `  ${name},\n`).join('')}} as const\n`
  )
}
