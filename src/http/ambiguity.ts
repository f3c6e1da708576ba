import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../api-error.ts'

/** A host with its port (RFC 3986 section 3.2), which may be empty. */
const hostForm = /^(?:\[[\d.:A-Fa-f]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/

/**
 * Refuses a head that a proxy in front may read in another way: request smuggling lives on the difference (RFC 9112
 * sections 2.3, 3.2, 6.1 and 11.2). Node's parser itself refuses what is no HTTP.
 */
export function refuseAmbiguous({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw invalidRequest('The request must be of HTTP/1.1 or HTTP/1.0.')
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw invalidRequest('The request must have one Host header.')
  }
  if (!hostForm.test(headers.host ?? '')) throw invalidRequest('The Host header is not a host with an optional port.')
  const coding = headers['transfer-encoding']
  if (coding === undefined) return
  if (httpVersion === '1.0') throw invalidRequest('HTTP/1.0 has no Transfer-Encoding.')
  if (coding.toLowerCase() !== 'chunked')
    throw invalidRequest('The only Transfer-Encoding that can be read is "chunked".')
}
