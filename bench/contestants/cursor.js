/** The cursor that begins after an animal. */
export function writeCursor(id) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(id))
  return bytes.toString('base64url')
}

export function readCursor(cursor) {
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.length === 8 ? bytes.readBigInt64BE() : undefined
}
