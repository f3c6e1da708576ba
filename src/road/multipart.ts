import { Busboy } from '@fastify/busboy'
import { invalidRequest } from '../api-error.ts'
import type { FormPart } from '../contract/compiled.ts'
import { plainType } from '../contract/model/media-type.ts'

/** The parts of a multipart body (RFC 7578), with their bytes. A body that is none is refused. */
export function readParts(body: Buffer, contentType: string): Promise<FormPart[]> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => {
      reject(invalidRequest('The body is not multipart/form-data with the boundary that Content-Type names.'))
    }
    const parts: FormPart[] = []
    try {
      // every part as a file, so that no byte is decoded
      const parser = new Busboy({ headers: { 'content-type': contentType }, isPartAFile: () => true })
      parser.on('file', (name, stream, filename: string | undefined, _encoding, type) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('error', refuse)
        stream.on('end', () => {
          // busboy gives a type also where the part has none
          const known = filename === undefined && type === 'text/plain' ? undefined : plainType(type)
          parts.push({ name, filename, type: known, bytes: Buffer.concat(chunks) })
        })
      })
      parser.on('finish', () => {
        resolve(parts)
      })
      parser.on('error', refuse)
      parser.end(body)
    } catch {
      refuse()
    }
  })
}
