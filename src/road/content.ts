import type { IncomingMessage, ServerResponse } from 'node:http'
import { invalidRequest } from '../api-error.ts'
import type { BodyTypes } from '../contract/compiled.ts'
import { plainType } from '../contract/model/media-type.ts'
import { readBody } from './body.ts'
import { parseJson } from './json.ts'
import { readParts } from './multipart.ts'

/** The body of a request as a value, with its media type; both undefined when there is no body. */
export interface Content {
  body: unknown
  type: string | undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export const noContent: Content = { body: undefined, type: undefined }

/** Reads a body of one of the media types of an operation. What cannot be read is refused. */
export async function readContent(
  request: IncomingMessage,
  response: ServerResponse,
  bodies: BodyTypes,
): Promise<Content> {
  const bytes = await readBody(request, response, bodies)
  if (bytes.length === 0) return noContent
  const header = request.headers['content-type'] ?? ''
  const type = plainType(header)
  const form = bodies.find(type)
  switch (form?.kind) {
    case 'json':
      return { body: parseJson(bytes), type }
    case 'text':
      return { body: form.read(textOf(bytes)), type }
    case 'form':
      return { body: form.read(textOf(bytes), parseJson), type }
    case 'multipart':
      return { body: form.read(await readParts(bytes, header), parseJson), type }
    default:
      return { body: bytes, type }
  }
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidRequest('The body is not valid UTF-8.')
  }
}
