import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { eventually } from '../wait.ts'

/** A span as OTLP's JSON has it, with plain attributes. */
export interface ReceivedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  startMs: number
  endMs: number
  attributes: Record<string, string | number>
  status: { code?: number }
}

/** A receiver of OTLP over HTTP. Spans in protobuf are taken, and not read. */
export interface OtlpReceiver {
  url: string
  spans: ReceivedSpan[]
  /** The attributes of the service, as the last request had them. */
  resource: () => Record<string, string | number>
  /** The headers and paths of the requests. */
  requests: { path: string | undefined; headers: IncomingMessage['headers'] }[]
  /** Resolves once so many spans have come. */
  until: (count: number) => Promise<void>
  stop: () => Promise<void>
}

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number | string }
}
interface RawSpan extends Omit<ReceivedSpan, 'attributes' | 'startMs' | 'endMs'> {
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
}
interface Body {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: RawSpan[] }[] }[]
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const requests: OtlpReceiver['requests'] = []
  let resource: Record<string, string | number> = {}
  const server = createServer((request, response) => {
    requests.push({ path: request.url, headers: request.headers })
    if (request.headers['content-type'] !== 'application/json') {
      request.resume().on('end', () => response.end())
      return
    }
    void json(request).then((body) => {
      for (const { resource: own, scopeSpans } of (body as Body).resourceSpans) {
        resource = plain(own.attributes)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(spanOf)))
      }
      response.setHeader('Content-Type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resource: () => resource,
    requests,
    until: (count) => eventually(() => spans.length >= count),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

function spanOf({ startTimeUnixNano, endTimeUnixNano, attributes, ...span }: RawSpan): ReceivedSpan {
  const ms = (nano: string): number => Number(BigInt(nano) / 1000n) / 1000
  return { ...span, attributes: plain(attributes), startMs: ms(startTimeUnixNano), endMs: ms(endTimeUnixNano) }
}

function plain(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? Number(intValue)]),
  )
}
