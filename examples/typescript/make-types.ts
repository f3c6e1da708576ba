/*
 * npm run types                      writes openapi.d.ts from the contract of the service at ANIMAL_STORE_URL
 * npm run types -- openapi.yaml      writes it from a file
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const { ANIMAL_STORE_URL: service = 'http://127.0.0.1:8080/v1' } = process.env
const [file] = process.argv.slice(2)
const contract = file === undefined ? new URL('../openapi.yaml', `${service}/`) : pathToFileURL(resolve(file))

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
const types = await openapiTS(contract, {
  // a field with a default may be left out of a request
  defaultNonNullable: false,
  transform: ({ type, format }) => (type === 'integer' && format === 'int64' ? bigint : undefined),
})
writeFileSync('openapi.d.ts', `// Written by \`npm run types\`. Do not edit.\n${astToString(types)}`)
