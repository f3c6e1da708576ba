import type { IncomingMessage } from 'node:http'
import type { Store } from 'express-rate-limit'
import express, { type ErrorRequestHandler, type Express } from 'express'
import type { ApiError } from '../../api-error.ts'
import type { Log } from '../../log/log.ts'
import { failure } from '../../road/answer.ts'
import { respond } from '../respond.ts'
import { assets } from './assets.ts'
import { document, send } from './document.ts'
import { homePage, type About, type HomeState } from './home.ts'
import { pageLimit } from './limit.ts'
import { addPage } from './page.ts'
import { referencePage } from './reference/page.ts'
import { probes, readiness, type ProbeParts, type ReadinessParts } from './probes.ts'

export interface PageParts extends ReadinessParts, Pick<ProbeParts, 'metrics'> {
  /** What the home page shows of the service. */
  about: About
  /** The contract as it is published, in both formats; called at the first request for it. */
  contract: () => { yaml: string; json: string }
  /** Whether the docs page reloads when the contract changes. */
  followContract: boolean
  /** The refusal of a path that nothing has. */
  noResource: (path: string) => ApiError
  /** Counts the requests for pages. */
  pageStore: Store
  /** The network address that requests for pages are limited by. */
  addressOf: (request: IncomingMessage) => string
  log: Log
  /** Unix time in ms. */
  now: () => number
}

/** The pages around the API, without a key. The probes have no limit, the other pages one for each address. */
export function pages(parts: PageParts): Express {
  const { about, contract, metrics, followContract, noResource, addressOf, pageStore, log, now } = parts
  const ready = readiness(parts)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')

  app.use(probes({ ready, metrics }))
  app.use(pageLimit(pageStore, addressOf, now))
  addPage(app, '/', async (request, response) => {
    const status = await ready().catch(() => 'unavailable' as const)
    return send(request, response, await home(status), pageHeaders(homePolicy))
  })
  const home = keptBy(async (status: HomeState) => {
    return document(homePage(about, status, (await assets()).digest), html)
  })
  addPage(app, '/docs', async (request, response) => {
    return send(request, response, await docs('docs'), pageHeaders(docsPolicy))
  })
  const docs = keptBy(async () => {
    const { digest } = await assets()
    const { address } = about
    return document(referencePage({ contract: contract().json, address, digest, follow: followContract }), html)
  })
  // relative, since a proxy may take a prefix off the path
  addPage(app, '/docs/', ({ originalUrl }) => {
    const [, query] = /(\?.*)/.exec(originalUrl) ?? []
    return { status: 308, headers: ['Location', `../docs${query ?? ''}`, 'Content-Length', '0'], body: undefined }
  })
  addPage(app, /^\/assets\/[\w-]+\/[\w.-]+$/, async (request, response) => {
    const [, , asked, name = ''] = request.path.split('/')
    const { digest, files } = await assets()
    const file = files.get(name)
    if (!file) throw noResource(request.path)
    // a process of another version may have named another digest
    return send(request, response, file, asked === digest ? forEver : checked)
  })
  const published = keptBy((format: 'yaml' | 'json') => document(contract()[format], `application/${format}`))
  for (const format of ['yaml', 'json'] as const) {
    addPage(app, `/openapi.${format}`, async (request, response) => {
      return send(request, response, await published(format), checked)
    })
  }

  app.use((request) => {
    throw noResource(request.path)
  })
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    const answer = failure(error)
    if (answer.cause !== undefined) log.error({ err: answer.cause, status: answer.status }, 'page failed')
    respond(request, response, answer, [])
  }
  app.use(onError)
  return app
}

const html = 'text/html; charset=utf-8'
/** The browser asks each time, and receives the document only when it has changed. */
const checked = ['Cache-Control', 'no-cache']
/** The browser never asks again. */
const forEver = ['Cache-Control', 'public, max-age=31536000, immutable']

function pageHeaders(csp: string): string[] {
  return ['Content-Security-Policy', csp, 'Referrer-Policy', 'no-referrer', ...checked]
}

/** Makes the value of a key at the first call for it. One that could not be made is made again at the next call. */
function keptBy<K, V>(make: (key: K) => V | Promise<V>): (key: K) => Promise<V> {
  const kept = new Map<K, Promise<V>>()
  return (key) => {
    const before = kept.get(key)
    if (before) return before
    const making = (async () => make(key))().catch((error: unknown) => {
      kept.delete(key)
      throw error
    })
    kept.set(key, making)
    return making
  }
}

/** A Content-Security-Policy that allows only these sources. */
function policy(allowed: Record<string, string>): string {
  const none = ['default-src', 'base-uri', 'form-action', 'frame-ancestors'].map((name) => [name, "'none'"])
  return [...none, ...Object.entries(allowed)].map((directive) => directive.join(' ')).join('; ')
}

const homePolicy = policy({ 'script-src': "'self'", 'style-src': "'self'", 'img-src': "'self'" })

const docsPolicy = policy({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
})
