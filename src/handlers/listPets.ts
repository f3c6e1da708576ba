import { link } from '../contract/link.ts'
import { operation } from '../contract/operation.ts'

export const listPets = operation('listPets', async ({ query, address }, { pets }) => {
  const { limit, status, cursor } = query
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const found = await pets.list({ limit: limit + 1, after, status })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  if (!last || found.length <= limit) return { status: 200, body: page }
  const next = writeCursor(last.id)
  return {
    status: 200,
    body: page,
    headers: { Link: link('next', address, { ...query, cursor: next }), 'X-Next-Cursor': next },
  }
})

/** A cursor is the id of the last animal already seen, as 8 bytes in base64url. */
function writeCursor(id: bigint): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(id)
  return bytes.toString('base64url')
}

/** Whoever makes a cursor up gets some page: the contract promises an answer for every text of its pattern. */
function readCursor(cursor: string): bigint {
  return Buffer.from(cursor, 'base64url').readBigInt64BE()
}
