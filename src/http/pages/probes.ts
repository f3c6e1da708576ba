import { Router } from 'express'
import { unavailable } from '../../api-error.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Answer } from '../../road/answer.ts'
import { addPage } from './page.ts'

/** `degraded`: counts are not shared although they should be. `closing`: send requests to other processes. */
export type Readiness = 'ready' | 'degraded' | 'closing'

export interface ProbeParts {
  /** Rejects when requests cannot be answered. */
  ready: () => Promise<Readiness>
  metrics: Pick<Metrics, 'text' | 'type'>
}

/** Liveness, readiness and metrics, for orchestrators and monitoring. */
export function probes({ ready, metrics }: ProbeParts): Router {
  const router = Router({ strict: true, caseSensitive: true })
  addPage(router, '/livez', () => json({ status: 'live' }))
  const readyPage = async (): Promise<Answer> => {
    const status = await orUnavailable(ready())
    if (status === 'closing') throw unavailable(1)
    return json({ status })
  }
  addPage(router, '/readyz', readyPage, { probe: true })
  addPage(router, '/metrics', async () => {
    return { status: 200, headers: [], body: await orUnavailable(metrics.text()), type: metrics.type }
  })
  return router
}

function json(value: object): Answer {
  return { status: 200, headers: [], body: JSON.stringify(value) }
}

function orUnavailable<T>(value: Promise<T>): Promise<T> {
  return value.catch((error: unknown) => {
    throw unavailable(1, error)
  })
}
