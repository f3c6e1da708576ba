import { Router } from 'express'
import { ApiError, unavailable } from '../../api-error.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Answer } from '../../road/answer.ts'
import { addPage } from './page.ts'

/**
 * `starting`: other workers do not listen yet. `degraded`: counts are not shared although they should be. `closing`: send
 * requests to other processes.
 */
export type Readiness = 'starting' | 'ready' | 'degraded' | 'closing'

/** How old the store's answer may be, in ms: nobody can have the store asked more often. */
const maxAgeMs = 100

export interface ReadinessParts {
  /** What this process knows by itself. */
  state: () => Readiness
  /** Asks the store; rejects when it cannot answer. */
  ping: () => Promise<void>
}

export interface ProbeParts {
  /** Rejects when requests cannot be answered. */
  ready: () => Promise<Readiness>
  metrics: Pick<Metrics, 'text' | 'type'>
}

/** Tells whether requests can be answered. The store's answer is shared; that the service closes is told at once. */
export function readiness({ state, ping }: ReadinessParts): () => Promise<Readiness> {
  const pinged = shared(ping)
  return async () => {
    if (state() !== 'closing') await pinged()
    return state()
  }
}

/** Liveness, readiness and metrics, for orchestrators and monitoring. */
export function probes({ ready, metrics }: ProbeParts): Router {
  const router = Router({ strict: true, caseSensitive: true })
  addPage(router, '/livez', () => json({ status: 'live' }))
  const readyPage = async (): Promise<Answer> => {
    const status = await orUnavailable(ready())
    if (status === 'closing' || status === 'starting') throw unavailable(1)
    return json({ status })
  }
  addPage(router, '/readyz', readyPage, { probe: true })
  addPage(router, '/metrics', async () => {
    return { status: 200, headers: [], body: await orUnavailable(metrics.text()), type: metrics.type }
  })
  return router
}

/** Calls that come while an answer is awaited, or at most `maxAgeMs` after it was asked for, get the same answer. */
function shared(ask: () => Promise<void>): () => Promise<void> {
  let answer: Promise<void> | undefined
  let askedMs = -Infinity
  let pending = false
  return () => {
    const nowMs = performance.now()
    if (answer && (pending || nowMs - askedMs < maxAgeMs)) return answer
    pending = true
    askedMs = nowMs
    answer = ask().finally(() => {
      pending = false
    })
    return answer
  }
}

function json(value: object): Answer {
  return { status: 200, headers: [], body: JSON.stringify(value) }
}

function orUnavailable<T>(value: Promise<T>): Promise<T> {
  return value.catch((error: unknown) => {
    throw error instanceof ApiError ? error : unavailable(1, error)
  })
}
