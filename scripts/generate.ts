/*
 * npm run generate             writes generated/ from openapi.yaml
 * npm run generate -- --check  compares instead, and fails naming each file that differs
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { declaredOperations, readContract, type ContractDocument } from '../src/contract/document.ts'
import { resolveContract } from '../src/contract/honoured.ts'

const folder = new URL('../generated/', import.meta.url)
const header = '// Written by `npm run generate` from openapi.yaml. Do not edit.\n'

try {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  const contract = readContract(fileURLToPath(new URL('../openapi.yaml', import.meta.url)))
  await resolveContract(contract, { checked: false })
  const files = new Map([
    ['openapi.d.ts', header + (await types(contract))],
    ['handlers.ts', header + handlers(contract)],
  ])
  if (values.check) check(files, contract)
  else for (const [name, text] of files) writeFileSync(new URL(name, folder), text)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

async function types(contract: ContractDocument): Promise<string> {
  const int64 = ts.factory.createTypeReferenceNode('Int64')
  const nullType = ts.factory.createLiteralTypeNode(ts.factory.createNull())
  // integers beyond 2^53 - 1 stand only in examples, and so in comments
  const plain = JSON.stringify(contract.root, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const ast = await openapiTS(plain, {
    immutable: true,
    inject: '/** A 64-bit integer, exact. */\nexport type Int64 = bigint;\n',
    transform: (schema) => {
      if (schema.type !== 'integer' || schema.format !== 'int64') return undefined
      return schema.nullable ? ts.factory.createUnionTypeNode([int64, nullType]) : int64
    },
  })
  return astToString(ast) + defaultedParameters(contract)
}

/** openapi-typescript leaves a query parameter optional even when its default makes it always present. */
function defaultedParameters(contract: ContractDocument): string {
  const { root } = contract
  const lines = declaredOperations(contract).map(({ operationId, path, method }) => {
    const item = root.paths?.[path]
    const parameters = [...(item?.parameters ?? []), ...(item?.[method as 'get']?.parameters ?? [])].map(resolve)
    const names = parameters.filter((one) => one.in === 'query' && one.schema?.default !== undefined)
    return `    ${operationId}: ${names.map(({ name }) => JSON.stringify(name)).join(' | ') || 'never'};\n`
  })
  return (
    '/** Query parameters that always have a value, because the contract gives them a default. */\n' +
    `export interface DefaultedParameters {\n${lines.join('')}}\n`
  )

  function resolve(parameter: object): { name?: string; in?: string; schema?: { default?: unknown } } {
    if (!('$ref' in parameter)) return parameter
    const keys = String(parameter.$ref).replace('#/', '').split('/')
    return keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], root) as object
  }
}

function handlers(contract: ContractDocument): string {
  const names = declaredOperations(contract).map(({ operationId }) => operationId)
  return (
    `import type { Handlers } from '../src/contract/operation.ts'\n` +
    names.map((name) => `import { ${name} } from '../src/handlers/${name}.ts'\n`).join('') +
    `\n/** Digest of the contract that these files were made from. */\n` +
    `export const contractDigest = '${contract.digest}'\n` +
    `\nexport const handlers: Handlers = {\n${names.map((name) => `  ${name},\n`).join('')}}\n`
  )
}

function check(files: Map<string, string>, contract: ContractDocument): void {
  const present = readdirSync(folder)
  const fresh = present.includes('handlers.ts') && read('handlers.ts').includes(contract.digest)
  const faults = [
    ...[...files].flatMap(([name, text]) => {
      if (!present.includes(name)) return `generated/${name} is missing.`
      if (read(name) === text) return []
      return fresh
        ? `generated/${name} was edited by hand, or the generator changed.`
        : `generated/${name} is stale: openapi.yaml has changed.`
    }),
    ...present.filter((name) => !files.has(name)).map((name) => `generated/${name} does not belong there.`),
  ]
  if (faults.length === 0) return
  console.error([...faults, 'Run `npm run generate` and commit what it writes.'].join('\n'))
  process.exitCode = 1
}

function read(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}
