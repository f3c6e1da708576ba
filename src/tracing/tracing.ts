import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Sampling } from '../config/tracing.ts'
import type { Log } from '../log/log.ts'
import { thisPackage } from '../package.ts'
import { spansOf, type Mark } from '../road/marks.ts'
import type { HandlerStores } from '../store/store.ts'
import { watchedStores, type StoreCall } from './store-calls.ts'

/** How long the end of the process waits until the last spans are sent, in ms. */
const closingMs = 1000

/** What a trace ends with. */
export interface Ended {
  operationId?: string | undefined
  /** The path of the request. */
  path: string | undefined
  status: number
  /** The error code of a failure. */
  code?: string | undefined
  requestId: string | undefined
  keyId?: string | undefined
  marks: readonly Mark[]
}

/** The trace of one request that is sampled. */
export interface Trace {
  traceId: string
  /** The stores, whose calls become spans of this trace. */
  stores: (stores: HandlerStores) => HandlerStores
  end: (ended: Ended) => void
}

export interface Tracing {
  /** Begins the trace of a request; undefined for one that is not sampled. */
  begin: (request: IncomingMessage, beganMs: number) => Trace | undefined
  /** Sends what is left. */
  close: () => Promise<void>
}

interface Parts {
  serviceVersion: string
  /** The paths of the operations as the contract has them, by operationId. */
  routes: ReadonlyMap<string, string>
  /** What spans of the store and of Redis say about them. */
  engine: 'sqlite' | 'postgresql'
  protocol: 'http/protobuf' | 'http/json'
  sampling: Sampling
  log: Log
}

/**
 * Traces requests by OpenTelemetry, and sends the spans over OTLP. The libraries read the `OTEL_*` variables themselves:
 * endpoint, headers, limits, name of the service. A receiver that fails costs spans and no request.
 */
export async function openTracing({
  serviceVersion,
  routes,
  engine,
  protocol,
  sampling,
  log,
}: Parts): Promise<Tracing> {
  tellFailures(log)
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
    spanProcessors: [new BatchSpanProcessor(await openExporter(protocol))],
  })
  const tracer = provider.getTracer(thisPackage.name, serviceVersion)
  const propagator = new W3CTraceContextPropagator()
  return {
    begin: (request, beganMs) => {
      const { headers } = request
      // a span that is not sampled costs more than all the rest that the service adds to a request
      if (headers.traceparent === undefined && Math.random() >= sampling.share) return undefined
      const parent =
        headers.traceparent === undefined
          ? ROOT_CONTEXT
          : propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const clock = Date.now() - performance.now()
      const options = { kind: SpanKind.SERVER, startTime: clock + beganMs }
      const span = tracer.startSpan(request.method ?? '', options, parent)
      return span.isRecording() ? traceOf(span, request, { tracer, engine, routes, clock }) : undefined
    },
    close: async () => {
      const late = new Promise((resolve) => void setTimeout(resolve, closingMs).unref())
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

/** The sampler of requests that are chosen, or that have a parent. */
function samplerOf({ share, byParent }: Sampling): Sampler {
  const root = new AlwaysOnSampler()
  if (byParent) return new ParentBasedSampler({ root })
  const ofParent = new TraceIdRatioBasedSampler(share)
  return new ParentBasedSampler({ root, remoteParentSampled: ofParent, remoteParentNotSampled: ofParent })
}

async function openExporter(protocol: Parts['protocol']): Promise<SpanExporter> {
  // each is loaded only when it is used
  if (protocol === 'http/json') return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
}

/** Logs once a minute at most that spans are not sent. */
function tellFailures(log: Log): void {
  let quietUntilMs = 0
  setGlobalErrorHandler((error) => {
    if (performance.now() < quietUntilMs) return
    quietUntilMs = performance.now() + 60_000
    const reason = typeof error === 'object' && 'code' in error ? error.code : undefined
    log.warn({ reason }, 'spans are not sent: look at the receiver that OTEL_EXPORTER_OTLP_ENDPOINT names')
  })
}

interface Request extends Pick<Parts, 'engine' | 'routes'> {
  tracer: Tracer
  /** What makes Unix time in ms of the times of `performance.now()`. */
  clock: number
}

function traceOf(span: Span, request: IncomingMessage, { tracer, engine, routes, clock }: Request): Trace {
  const calls: StoreCall[] = []
  const within = trace.setSpan(ROOT_CONTEXT, span)
  return {
    traceId: span.spanContext().traceId,
    stores: (stores) => watchedStores(stores, (call) => calls.push(call)),
    end: (ended) => {
      const endMs = performance.now()
      const add = ({ name, attributes }: DatabaseSpan, fromMs: number, toMs: number, failed?: string): void => {
        const child = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: clock + fromMs }, within)
        if (failed !== undefined) child.setAttribute('error.type', failed).setStatus({ code: SpanStatusCode.ERROR })
        child.end(clock + toMs)
      }
      for (const { part, fromMs, toMs } of spansOf(ended.marks, endMs)) {
        if (part === 'key') add(databaseSpan(engine, 'SELECT', 'keys'), fromMs, toMs)
        if (part === 'quota') add(databaseSpan('redis', 'EVALSHA'), fromMs, toMs)
      }
      for (const { table, operation, fromMs, toMs = endMs, failed } of calls) {
        add(databaseSpan(engine, operation, table), fromMs, toMs, failed)
      }
      describe(span, request, ended, routes.get(ended.operationId ?? ''))
      span.end(clock + endMs)
    },
  }
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
function describe(span: Span, { method = '', httpVersion }: IncomingMessage, ended: Ended, route?: string): void {
  const { operationId, path, status, code, requestId, keyId } = ended
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
