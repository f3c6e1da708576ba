import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TraceFlags, type SpanContext } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { Sampling } from '../config/tracing.ts'
import type { Log } from '../log/log.ts'
import { spansOf, type Mark } from '../road/marks.ts'
import type { HandlerStores } from '../store/store.ts'
import { openSpanThread } from './span-thread.ts'
import type { SpanSettings, TracedRequest } from './spans.ts'
import { watchedStores, type StoreCall } from './store-calls.ts'

/** What a trace ends with. */
export interface Ended extends Pick<TracedRequest, 'path' | 'status' | 'requestId'> {
  operationId?: string | undefined
  code?: string | undefined
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

/** Traces requests by OpenTelemetry. This thread notes what happens; another one makes spans of it. */
export function openTracing({ log, ...settings }: SpanSettings & { log: Log }): Tracing {
  const thread = openSpanThread(settings, log)
  return {
    begin: (request, beganMs) => {
      const { method = '', httpVersion, headers } = request
      const { traceparent, tracestate } = headers
      const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
      if (!isChosen(parent, settings.sampling)) return undefined
      const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
      const clockMs = Date.now() - performance.now()
      const calls: StoreCall[] = []
      return {
        traceId,
        stores: (stores) => watchedStores(stores, (call) => calls.push(call)),
        end: ({ marks, operationId, path, status, code, requestId, keyId }) => {
          const endMs = performance.now()
          thread.tell({
            ...{ traceId, parent: parent ? { traceparent, tracestate } : undefined, clockMs, beganMs, endMs },
            ...{ parts: spansOf(marks, endMs), calls, method, httpVersion },
            ...{ operationId, path, status, code, requestId, keyId },
          })
        },
      }
    },
    close: thread.close,
  }
}

/** Whether a request may have spans. Of a client's own trace the ratio is asked when they are made. */
function isChosen(parent: SpanContext | null, { share, byParent }: Sampling): boolean {
  if (!parent) return Math.random() < share
  return byParent ? (parent.traceFlags & TraceFlags.SAMPLED) !== 0 : share > 0
}
