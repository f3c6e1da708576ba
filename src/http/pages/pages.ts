import type { IncomingMessage } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import { notFound } from '../../api-error.ts'
import type { Log } from '../../log.ts'
import { failure, type Answer } from '../../road/answer.ts'
import { respond } from '../respond.ts'
import { asset, assetNames, type AssetName } from './assets.ts'
import { homePage, type About } from './home.ts'
import { pageLimit } from './limit.ts'
import { addPage } from './page.ts'
import { probes, readiness, type ProbeParts, type ReadinessParts } from './probes.ts'

export interface PageParts extends ReadinessParts, Pick<ProbeParts, 'metrics'> {
  /** What the home page shows of the service. */
  about: About
  /** The contract as it is published, in both formats; called at the first request for it. */
  contract: () => { yaml: string; json: string }
  /** Whether the docs page reloads when the contract changes. */
  followContract: boolean
  /** The network address that requests for pages are limited by. */
  addressOf: (request: IncomingMessage) => string
  log: Log
  /** Unix time in ms. */
  now: () => number
}

/** The pages around the API, without a key. The probes have no limit, the other pages one for each address. */
export function pages(parts: PageParts): Express {
  const { about, contract, metrics, followContract, addressOf, log, now } = parts
  const ready = readiness(parts)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')

  app.use(probes({ ready, metrics }))
  app.use(pageLimit(addressOf, now))
  addPage(app, '/', async () => {
    const status = await ready().catch(() => 'unavailable' as const)
    return html(homePage(about, status), policy({ 'style-src': "'self'", 'img-src': "'self'" }))
  })
  addPage(app, '/docs', async () => {
    const { bytes } = await asset('docs.html')
    return html(followContract ? bytes.toString().replace('<html', '<html data-follow') : bytes, docsPolicy)
  })
  // relative, since a proxy may take a prefix off the path
  addPage(app, '/docs/', () => ({ status: 308, headers: ['Location', '../docs'], body: undefined }))
  for (const name of assetNames) {
    addPage(app, `/assets/${name}`, (request, response) => file(name, request, response))
  }
  let published: { yaml: Buffer; json: Buffer } | undefined
  const publish = (): { yaml: Buffer; json: Buffer } => {
    const { yaml, json } = contract()
    return { yaml: Buffer.from(yaml), json: Buffer.from(json) }
  }
  addPage(app, '/openapi.yaml', () => {
    published ??= publish()
    return { status: 200, headers: [], body: published.yaml, type: 'application/yaml' }
  })
  addPage(app, '/openapi.json', () => {
    published ??= publish()
    return { status: 200, headers: [], body: published.json }
  })

  app.use(() => {
    throw notFound('No resource has this address.')
  })
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    const answer = failure(error)
    if (answer.cause !== undefined) log.error({ err: answer.cause, status: answer.status }, 'page failed')
    respond(request, response, answer, [])
  }
  app.use(onError)
  return app
}

/** A file with its `ETag`: the browser asks each time, and receives it only when it has changed. */
async function file(name: AssetName, request: Request, response: Response): Promise<Answer> {
  const { bytes, type, etag } = await asset(name)
  const headers = ['Cache-Control', 'no-cache']
  response.set('ETag', etag)
  return request.fresh ? { status: 304, headers, body: undefined } : { status: 200, headers, body: bytes, type }
}

function html(body: string | Buffer, csp: string): Answer {
  const headers = ['Content-Security-Policy', csp, 'Referrer-Policy', 'no-referrer', 'Cache-Control', 'no-cache']
  return { status: 200, headers, body, type: 'text/html; charset=utf-8' }
}

/** A Content-Security-Policy that allows only these sources. */
function policy(allowed: Record<string, string>): string {
  const none = ['default-src', 'base-uri', 'form-action', 'frame-ancestors'].map((name) => [name, "'none'"])
  return [...none, ...Object.entries(allowed)].map((directive) => directive.join(' ')).join('; ')
}

/** Swagger UI's stylesheet has icons as `data:` URLs. */
const docsPolicy = policy({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
})
