import express, { type ErrorRequestHandler, type Express } from 'express'
import { methodNotAllowed, notFound, unavailable } from '../api-error.ts'
import { failure, type Answer } from '../contract/answer.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { respond } from './respond.ts'

export interface PageParts {
  /** The contract as it is served, in both forms; made when it is first asked for. */
  contract: () => { yaml: string; json: string }
  /**
   * Resolves when requests can be answered: `degraded` when something beside the store does not work, `closing` when
   * others should be asked instead.
   */
  ready: () => Promise<'ready' | 'degraded' | 'closing'>
  metrics: Pick<Metrics, 'text' | 'type'>
  log: Log
}

/** The pages around the API, for people and operators: no key, not counted. */
export function pages({ contract, ready, metrics, log }: PageParts): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')

  page('/livez', () => json({ status: 'live' }))
  page('/readyz', async () => {
    const status = await ready().catch((error: unknown) => {
      throw unavailable(1, error)
    })
    if (status === 'closing') throw unavailable(1)
    return json({ status })
  })
  page('/metrics', async () => ({ status: 200, headers: [], body: await metrics.text(), type: metrics.type }))
  let published: ReturnType<PageParts['contract']> | undefined
  page('/openapi.yaml', () => {
    published ??= contract()
    return { status: 200, headers: [], body: published.yaml, type: 'application/yaml' }
  })
  page('/openapi.json', () => {
    published ??= contract()
    return { status: 200, headers: [], body: published.json }
  })

  app.use(() => {
    throw notFound('Nothing has this address.')
  })
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    const answer = failure(error)
    if (answer.cause !== undefined) log.error({ err: answer.cause, status: answer.status }, 'page failed')
    respond(request, response, answer, [])
  }
  app.use(onError)
  return app

  function page(path: string, answer: () => Answer | Promise<Answer>): void {
    app.all(path, async (request, response) => {
      if (request.method === 'OPTIONS') {
        respond(request, response, { status: 204, headers: ['Allow', 'GET, HEAD, OPTIONS'], body: undefined }, [])
      } else if (request.method === 'GET' || request.method === 'HEAD') {
        respond(request, response, await answer(), [])
      } else throw methodNotAllowed(request.method, 'GET, HEAD, OPTIONS')
    })
  }
}

function json(value: object): Answer {
  return { status: 200, headers: [], body: JSON.stringify(value) }
}
