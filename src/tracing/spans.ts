/*
 * Runs in a thread of its own: makes spans of the requests that it is told of, and sends them over OTLP. The libraries
 * read the `OTEL_*` variables themselves: endpoint, headers, limits, name of the service.
 */
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Span } from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Sampling } from '../config/tracing.ts'
import { thisPackage } from '../package.ts'
import type { Part } from '../road/marks.ts'
import type { StoreCall } from './store-calls.ts'

/** What the thread knows from its start. */
export interface SpanSettings {
  serviceVersion: string
  /** The paths of the operations as the contract has them, by operationId. */
  routes: ReadonlyMap<string, string>
  /** What spans of the store say about it. */
  engine: 'sqlite' | 'postgresql'
  protocol: 'http/protobuf' | 'http/json'
  sampling: Sampling
}

/** A request that has been answered. Its times are those of `performance.now()` in the thread that answered it. */
export interface TracedRequest {
  traceId: string
  /** The headers of a client that began the trace. */
  parent: Readonly<Record<string, string | string[] | undefined>> | undefined
  /** What makes Unix time in ms of the times. */
  clockMs: number
  beganMs: number
  endMs: number
  /** What it waited for. */
  parts: readonly { part: Part; fromMs: number; toMs: number }[]
  calls: readonly StoreCall[]
  method: string
  httpVersion: string
  operationId: string | undefined
  /** The path of the request. */
  path: string | undefined
  status: number
  /** The error code of a failure. */
  code: string | undefined
  requestId: string | undefined
  keyId: string | undefined
}

/** What the thread is told: requests, or that no more will come. */
export type ToSpans = readonly TracedRequest[] | 'end'

/** What the thread tells: that it is ready for more, or why spans were not sent. */
export type FromSpans = 'ready' | { failure: unknown }

const { serviceVersion, routes, engine, protocol, sampling } = workerData as SpanSettings
setGlobalErrorHandler((error) => {
  tell({ failure: typeof error === 'object' && 'code' in error ? error.code : undefined })
})

/** The trace of the request whose spans are made. */
let traceId = ''
const ids = new RandomIdGenerator()
const provider = new BasicTracerProvider({
  sampler: samplerOf(sampling),
  resource: defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': thisPackage.command,
        'service.version': serviceVersion,
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] })),
  spanProcessors: [new BatchSpanProcessor(await openExporter())],
  idGenerator: { generateTraceId: () => traceId, generateSpanId: () => ids.generateSpanId() },
})
const tracer = provider.getTracer(thisPackage.name, serviceVersion)
const propagator = new W3CTraceContextPropagator()

parentPort?.on('message', (told: ToSpans) => {
  if (told === 'end') {
    // ends this thread, and not the process
    void provider.shutdown().finally(() => process.exit())
    return
  }
  for (const request of told) addSpans(request)
  tell('ready')
})

function tell(told: FromSpans): void {
  parentPort?.postMessage(told)
}

/** The sampler of requests that are chosen, or that have a parent. */
function samplerOf({ share, byParent }: Sampling): Sampler {
  const root = new AlwaysOnSampler()
  if (byParent) return new ParentBasedSampler({ root })
  const ofParent = new TraceIdRatioBasedSampler(share)
  return new ParentBasedSampler({ root, remoteParentSampled: ofParent, remoteParentNotSampled: ofParent })
}

async function openExporter(): Promise<SpanExporter> {
  // each is loaded only when it is used
  if (protocol === 'http/json') return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
}

function addSpans(request: TracedRequest): void {
  const { parent, clockMs, beganMs, endMs, parts, calls } = request
  traceId = request.traceId
  const above = parent ? propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter) : ROOT_CONTEXT
  const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, startTime: clockMs + beganMs }, above)
  if (!span.isRecording()) return
  const within = trace.setSpan(ROOT_CONTEXT, span)
  const add = ({ name, attributes }: DatabaseSpan, fromMs: number, toMs: number, failed?: string): void => {
    const child = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: clockMs + fromMs }, within)
    if (failed !== undefined) child.setAttribute('error.type', failed).setStatus({ code: SpanStatusCode.ERROR })
    child.end(clockMs + toMs)
  }
  for (const { part, fromMs, toMs } of parts) {
    if (part === 'key') add(databaseSpan(engine, 'SELECT', 'keys'), fromMs, toMs)
    if (part === 'quota') add(databaseSpan('redis', 'EVALSHA'), fromMs, toMs)
  }
  for (const { table, operation, fromMs, toMs = endMs, failed } of calls) {
    add(databaseSpan(engine, operation, table), fromMs, toMs, failed)
  }
  describe(span, request, routes.get(request.operationId ?? ''))
  span.end(clockMs + endMs)
}

interface DatabaseSpan {
  name: string
  attributes: Attributes
}

/** A span of a database client, by the semantic conventions for databases. */
function databaseSpan(system: string, operation: string, collection?: string): DatabaseSpan {
  const attributes: Attributes = { 'db.system.name': system, 'db.operation.name': operation }
  if (collection === undefined) return { name: operation, attributes }
  return { name: `${operation} ${collection}`, attributes: { ...attributes, 'db.collection.name': collection } }
}

/** Says what the request was, by the semantic conventions for HTTP servers. Of its query and headers nothing is kept. */
function describe(span: Span, request: TracedRequest, route?: string): void {
  const { method, httpVersion, operationId, path, status, code, requestId, keyId } = request
  span.updateName(route === undefined ? method : `${method} ${route}`)
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'http.route': route,
    'url.path': path,
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
    'error.type': status >= 500 ? (code ?? String(status)) : undefined,
    [`${thisPackage.prefix}.operation_id`]: operationId,
    [`${thisPackage.prefix}.request_id`]: requestId,
    [`${thisPackage.prefix}.key_id`]: keyId,
  })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
}
