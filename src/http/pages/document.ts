import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import { kept } from '../../kept.ts'
import type { Answer } from '../../road/answer.ts'

/** A text that is served more than once: compressed at the first request for a coding, outside the event loop. */
export interface Document {
  type: string
  bytes: Buffer
  digest: string
  compressed: Map<Coding, Promise<Buffer>>
}

/** The content codings, of which the first one is the best. */
const codings = {
  // a quality of 7 takes three times as long, and saves a fiftieth
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
}
type Coding = keyof typeof codings

export function document(content: string | Buffer, type: string): Document {
  const bytes = Buffer.from(content)
  return { type, bytes, digest: createHash('sha256').update(bytes).digest('base64url'), compressed: new Map() }
}

/**
 * The answer with a document: in the best coding that the client accepts, and without the body (304) when the client
 * has it already.
 */
export async function send(
  request: Request,
  response: Response,
  { type, bytes, digest, compressed }: Document,
  headers: readonly string[],
): Promise<Answer> {
  const coding = codingFor(request.get('Accept-Encoding') ?? '')
  response.vary('Accept-Encoding')
  const tag = `"${digest}${coding ? `-${coding}` : ''}"`
  response.set('ETag', tag)
  if (isHeld(request.get('If-None-Match') ?? '', tag)) return { status: 304, headers, body: undefined }
  if (!coding) return { status: 200, headers, body: bytes, type }
  const body = kept(compressed, coding, () => codings[coding](bytes))
  return { status: 200, headers: [...headers, 'Content-Encoding', coding], body: await body, type }
}

/**
 * Whether the client has the document already (RFC 9110 section 13.1.2). `Cache-Control: no-cache` beside it changes
 * nothing: it tells caches to ask (RFC 9111 section 5.2.1.4).
 */
function isHeld(condition: string, tag: string): boolean {
  if (condition.trim() === '*') return true
  // a proxy that changes the coding marks the tag as weak, and the comparison is the weak one
  return Array.from(condition.matchAll(/(?:W\/)?("[^"]*")/g)).some(([, held]) => held === tag)
}

/**
 * The coding that the client prefers (RFC 9110 section 12.5.3), of several alike the best one; undefined for none. One that
 * the client does not name is as good as `*`, or not accepted.
 */
function codingFor(accepted: string): Coding | undefined {
  const named = accepted.matchAll(/([^\s,;]+)\s*(?:;\s*q\s*=\s*([\d.]+))?/g)
  const qualities = new Map(Array.from(named, ([, name = '', quality]) => [name.toLowerCase(), Number(quality ?? 1)]))
  const quality = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0
  const [best = 'br'] = (Object.keys(codings) as Coding[]).sort((one, other) => quality(other) - quality(one))
  return quality(best) > 0 && quality(best) >= (qualities.get('identity') ?? 0) ? best : undefined
}
