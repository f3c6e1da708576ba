import type { RawReply } from '../../../src/contract/compiled.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { mockStations } from '../../../src/mock/mock.ts'
import { operationOf, withOperation } from './things.ts'

/** An operation that answers 200 with this media type, in YAML; `responses` is line 10 and `200` line 11. */
export function answering(media: string, more = ''): string {
  const response = `  '200': { description: Done., content: { application/json: { ${media} } }${more} }`
  return withOperation('responses:', response)
}

/** What a mock of the contract's one operation answers with this status. */
export async function mockedReply(text: string, status = 200): Promise<RawReply> {
  const request = { path: {}, query: {}, header: { prefer: `code=${status}` }, body: undefined }
  const { handle } = mockStations(parseContract(text, 'openapi.yaml'))(await operationOf(text))
  return handle(
    { ...request, address: '', keyId: '', once: undefined, when: undefined, allows: () => true, now: 0 },
    {} as never,
  )
}

/** The body of the mocked 200. */
export async function mocked(media: string): Promise<unknown> {
  return (await mockedReply(answering(media))).body
}
