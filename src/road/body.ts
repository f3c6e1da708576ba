import type { IncomingMessage, ServerResponse } from 'node:http'
import { invalidRequest, payloadTooLarge, unsupportedMediaType, type ApiError } from '../api-error.ts'
import type { BodyTypes } from '../contract/compiled.ts'
import { plainType } from '../contract/model/media-type.ts'

/** The largest body that is read, in bytes. */
export const maxBodyBytes = 100_000

/** The codings that a body may have (RFC 9110 section 15.5.16). */
const acceptEncoding = ['Accept-Encoding', 'identity']

/** Whether the headers of a request announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Reads a body as bytes; empty when there is none. A media type that is not among `bodies`, or a length over the limit, is
 * refused before any byte is read, and before a client that sent `Expect: 100-continue` sends the body.
 */
export async function readBody(request: IncomingMessage, response: ServerResponse, bodies: BodyTypes): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0)
  if (isUntypedStream(request)) {
    const bytes = await collect(request)
    if (bytes.length > 0) refuseOtherMedia(request, bodies)
    return bytes
  }
  refuseOtherMedia(request, bodies)
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw payloadTooLarge(maxBodyBytes)
  if (request.readableEnded) throw new Error('Something read the body before the pipeline.')
  // HTTP/1.0 does not know 100 (RFC 9110 section 10.1.1)
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue()
  return collect(request)
}

/** A proxy may send a body of unknown length where there was none; only its end tells. */
function isUntypedStream({ headers }: IncomingMessage): boolean {
  return headers['content-type'] === undefined && headers['transfer-encoding'] !== undefined
}

function refuseOtherMedia({ headers, rawHeaders }: IncomingMessage, bodies: BodyTypes): void {
  const types = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type')
  if (types.length > 1) throw unsupportedMediaType('The body must have one Content-Type.')
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupportedMediaType('The body must be sent without a Content-Encoding.', acceptEncoding)
  }
  const header = headers['content-type'] ?? ''
  const end = header.indexOf(';')
  if (!bodies.find(plainType(header))) {
    throw unsupportedMediaType(`The body must be sent as "Content-Type: ${bodies.names.join('" or "')}".`)
  }
  if (end >= 0) refuseOtherCharsets(header.slice(end))
}

/**
 * A parameter of a media type with the semicolon before it (RFC 9110 sections 5.6.6 and 8.3.1), or a semicolon alone.
 */
const parameter = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+)))?[ \t]*/y

function refuseOtherCharsets(parameters: string): void {
  parameter.lastIndex = 0
  while (parameter.lastIndex < parameters.length) {
    const found = parameter.exec(parameters)
    if (!found) throw unsupportedMediaType('The Content-Type has a parameter that cannot be read.')
    const [, name = '', quoted, plain] = found
    const charset = name.toLowerCase() === 'charset' ? (quoted ?? plain ?? '').toLowerCase() : 'utf-8'
    if (charset !== 'utf-8' && charset !== 'utf8') throw unsupportedMediaType('The body must be encoded in UTF-8.')
  }
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let over = false
    const stop = (error: ApiError): void => {
      over = true
      request.off('data', onData)
      reject(error)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > maxBodyBytes) stop(payloadTooLarge(maxBodyBytes))
      else chunks.push(chunk)
    }
    request.on('data', onData)
    request.on('end', () => {
      over = true
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    // every request closes at its end; creating an error with its stack each time would cost too much
    const breakOff = (): void => {
      if (!over) stop(invalidRequest('The body did not arrive whole.'))
    }
    request.on('error', breakOff)
    request.on('close', breakOff)
  })
}
