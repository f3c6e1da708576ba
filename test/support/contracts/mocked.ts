import { compileContract } from '../../../src/contract/contract.ts'
import type { RawReply } from '../../../src/contract/compiled.ts'
import { parseContract } from '../../../src/contract/document/document.ts'
import { mockStations } from '../../../src/mock/mock.ts'

const head = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://example.test/v1' }]
security: [{ bearerAuth: [] }]
x-plans: { free: { perMinute: 3, perDay: 1000 }, enterprise: custom }
paths:
  /things:
    get:
      operationId: getThing
`
const tail = `components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
`

/** A contract of one operation; its first line is line 10, and each line is a key of it. Components come last. */
export function withOperation(lines: readonly string[], components = ''): string {
  return head + lines.map((line) => `      ${line}\n`).join('') + tail + components
}

/** An operation that answers 200 with this media type, in YAML; `responses` is line 10 and `200` line 11. */
export function answering(media: string, more = '', components = ''): string {
  const response = `  '200': { description: Done., content: { application/json: { ${media} } }${more} }`
  return withOperation(['responses:', response], components)
}

/** What a mock of the contract's operation answers with this status. */
export async function mockedReply(text: string, status = 200): Promise<RawReply> {
  const document = parseContract(text, 'openapi.yaml')
  const options = { checked: true, checkResponses: true, publicUrl: '' }
  const { operations } = await compileContract(document, options)
  const [operation] = operations.values()
  if (!operation) throw new Error('The contract has no operation.')
  const request = { path: {}, query: {}, header: { prefer: `code=${status}` }, body: undefined }
  const { handle } = mockStations(document)(operation)
  return handle({ ...request, address: '', keyId: '', now: 0 }, {} as never)
}

/** The body of the mocked 200. */
export async function mocked(media: string): Promise<unknown> {
  return (await mockedReply(answering(media))).body
}
