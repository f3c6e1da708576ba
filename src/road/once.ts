import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ValidRequest } from '../contract/compiled.ts'
import { decodeSegment } from '../contract/exchange/query.ts'
import { valueText } from '../integers.ts'
import type { Once } from '../store/resource.ts'

interface Asked {
  /** Below the API root, still encoded. */
  path: string
  valid: ValidRequest
  caller: string
  now: number
}

/** The name of a request whose operation declares `Idempotency-Key`, and what it asks for; undefined when it has none. */
export function onceOf({ method, headers }: IncomingMessage, { path, valid, caller, now }: Asked): Once | undefined {
  if (headers['idempotency-key'] === undefined) return undefined
  const sent = Object.entries(valid.header).find(([name]) => name.toLowerCase() === 'idempotency-key')
  if (!sent) return undefined
  const segments = path.split('/').map((segment) => decodeSegment(segment))
  const digest = createHash('sha256')
    .update(valueText([method, segments, valid.query, valid.body]))
    .digest()
  return { caller, key: keyOf(String(sent[1])), digest, now }
}

/** A string of structured fields (RFC 9651 section 3.3.3), the form of the IETF's draft of the header. */
const quoted = /^"((?:[^"\\]|\\["\\])+)"$/

/** The key that a header means: with quotes or without them it is the same. */
function keyOf(header: string): string {
  const inside = quoted.exec(header)?.[1]
  return inside === undefined ? header : inside.replace(/\\(.)/g, '$1')
}
