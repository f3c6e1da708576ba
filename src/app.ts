import type { Server } from 'node:http'
import { errorStatuses, noResource, unavailable, type ApiError } from './api-error.ts'
import { authenticator } from './auth/authenticate.ts'
import { lastUse } from './auth/last-use.ts'
import type { Config } from './config/config.ts'
import { refuseBasePath } from './config/public-url.ts'
import type { ContractRouter } from './contract/exchange/router.ts'
import type { Contract } from './contract/compiled.ts'
import { contractFile } from './contract-file.ts'
import { compileContract } from './contract/contract.ts'
import { readContract, type ContractDocument } from './contract/model/files/document.ts'
import type { Handlers } from './contract/operation.ts'
import { modelOf } from './contract/model/model.ts'
import { nearestPath } from './contract/nearest-path.ts'
import { pipeline } from './road/pipeline.ts'
import { stationsOf, type Station } from './road/stations.ts'
import { addCommand } from './contract/first-request.ts'
import { guideOf, publishedContract } from './contract/served-document.ts'
import { keyUse } from './contract/model/security.ts'
import { apiTargets } from './contract/api-targets.ts'
import { loadedLater } from './http/pages/loaded-later.ts'
import { contractServer, type Timeouts } from './http/server.ts'
import { isReadable, openLog, type Log } from './log/log.ts'
import { openMetrics } from './metrics/metrics.ts'
import { openStatements, type Statements } from './metrics/statements.ts'
import { addressReader, type Sender } from './quota/address.ts'
import { fullWindow } from './quota/counters.ts'
import { quotaHeaders } from './quota/outcome.ts'
import { readPlans } from './quota/plans.ts'
import { openQuota } from './quota/quota.ts'
import { countsFile } from './store/sqlite/counts-file.ts'
import { openStores } from './store/open.ts'
import type { Stores } from './store/store.ts'
import { reasons, StoreUnavailable } from './store/unavailable.ts'
import type { Tracing } from './tracing/tracing.ts'

export interface Service {
  /** Not listening yet. */
  server: Server
  /**
   * Loads the pages, which takes longer than all the rest of a start. To be called once the server listens, so that the API
   * does not wait for them; a request for a page does.
   */
  loadPages: () => Promise<unknown>
  stores: Stores
  log: Log
  /** The contract that is served. */
  document: ContractDocument
  /** The title of the contract, and its version. */
  title: string
  /** The path prefix of the operations, such as `/v1`. */
  apiRoot: string
  /** The operationIds of what is served. */
  served: readonly string[]
  /** Why other operations, or some answers, are not served: a line for each, which begins with a place. */
  unserved: readonly string[]
  /**
   * Reports at once that it is not ready, accepts connections for `delayMs` more, lets running requests finish within
   * the configured time, and closes the stores.
   */
  close: (delayMs?: number) => Promise<void>
}

/** Options for tests and development. */
export interface Settings {
  contractFile?: string
  /** Whether files outside the folder of the contract are read. */
  outsideFiles?: boolean | undefined
  handlers?: Partial<Handlers>
  /** Answer operations that have no handler from the contract. In production they stop the start all the same. */
  mocks?: boolean
  /** Whether what cannot be served answers 501. Otherwise it stops the start. */
  lenient?: boolean
  log?: Log
  /** Whether other workers do not listen yet, so that this process is not ready. */
  starting?: () => boolean
  timeouts?: Timeouts
  /** Whether the docs page reloads when the contract changes. */
  followContract?: boolean
  /** Unix time in ms. */
  now?: () => number
}

/** Builds the service from its configuration. Throws a sentence when it cannot run. */
export async function openService(config: Config, settings: Settings = {}): Promise<Service> {
  const log = settings.log ?? openLog(config)
  const document = readContract(settings.contractFile ?? contractFile, settings)
  // not loaded where handlers may be missing, since it cannot be loaded without one of them
  const generated = settings.mocks && settings.handlers ? undefined : await import('../generated/handlers.ts')
  const checked = document.digest === generated?.contractDigest
  if (!settings.handlers && !checked) {
    throw new Error('The contract has changed since generated/ was written; run `npm run generate`.')
  }
  const contract = await compileContract(document, {
    checked,
    lenient: settings.lenient === true,
    checkResponses: !config.production,
    onFault: (err) => {
      log.error({ err }, 'items left out of an answer')
    },
    publicUrl: config.publicUrl,
  })
  refuseBasePath(config.publicUrl, contract.apiRoot)
  const mocking = settings.mocks && !config.production ? await import('./mock/mock.ts') : undefined
  const unserved = [...contract.unserved]
  const stations = stationsOf(contract, {
    handlers: settings.handlers ?? generated?.handlers ?? {},
    fallback: mocking?.mockStations(document, settings.lenient ? (line) => unserved.push(line) : undefined),
  })
  const statements = openStatements()
  const stores = await openStores(config, log, statements)
  try {
    return await assemble({ config, settings, document, contract, unserved, stations, stores, statements, log })
  } catch (error) {
    await stores.close()
    throw error
  }
}

interface Parts {
  config: Config
  settings: Settings
  document: ContractDocument
  contract: Contract
  unserved: readonly string[]
  stations: ContractRouter<Station>
  stores: Stores
  statements: Statements
  log: Log
}

async function assemble({
  config,
  settings,
  document,
  contract,
  unserved,
  stations,
  stores,
  statements,
  log,
}: Parts): Promise<Service> {
  const now = settings.now ?? Date.now
  const { info } = modelOf(document)
  const plans = readPlans(document.root)
  const metrics = openMetrics({
    operations: [...contract.operations.values()],
    errorStatuses,
    reasons,
    statements,
    read: () => ({ ...stores.readings(), ...quota.readings(), quotaDegraded: quota.degraded() }),
    build: { version: info.version, contractDigest: document.digest },
  })
  const { database, redisUrl } = config
  if (database.engine === 'postgres' && redisUrl === undefined) {
    log.warn('without REDIS_URL each process counts requests by itself, and forgets the counts when it stops')
  }
  const quota = await openQuota({
    plans,
    anonymous: config.anonymous,
    bans: config.bans,
    keys: stores.keys,
    redisUrl,
    redisUrlNow: config.redisUrlNow,
    redisTimeoutMs: config.redisTimeoutMs,
    installation: await stores.installation(),
    counts:
      redisUrl === undefined && database.engine === 'sqlite' ? countsFile(`${database.file}-quota`, log) : undefined,
    log,
    metrics,
    now,
  })
  for (const { operationId, sunset } of contract.operations.values()) {
    if (sunset !== undefined && now() >= sunset) log.warn({ operationId }, 'the sunset of this operation has passed')
  }
  let closing = false
  const addressOf = addressReader(config.trustProxy)
  const strangerHeaders = (sender: Sender): string[] => quotaHeaders(quota.peek({ address: addressOf(sender) }, now()))
  const uses = lastUse(stores.keys, (err) => {
    log.warn({ err }, 'last use of keys not stored, this is tried again')
  })
  const missing = refusalOfPath(contract, config.publicUrl)
  const road = pipeline({
    contract,
    stations,
    stores,
    authenticate: authenticator(
      stores.keys,
      (request, at) => {
        const { limits, ...counts } = quota.peek({ address: addressOf(request) }, at)
        return fullWindow(limits, counts) !== undefined
      },
      uses.note,
    ),
    quota,
    publicUrl: config.publicUrl,
    noResource: missing,
    addressOf,
    strangerHeaders,
    removeAtSunset: config.sunsetPolicy === 'gone',
    now,
  })
  const address = config.publicUrl || `http://127.0.0.1:${config.port}`
  const later = loadedLater({
    about: {
      ...info,
      guide: guideOf(document.root),
      apiRoot: contract.apiRoot,
      plans,
      address,
      keys: keyUse([...contract.operations.values()].map(({ security }) => security)),
      firstRequest: addCommand(document, address + contract.apiRoot, '<API_KEY>'),
    },
    contract: () => publishedContract(document, config.publicUrl + contract.apiRoot),
    state: () => {
      if (closing) return 'closing'
      if (settings.starting?.() === true) return 'starting'
      return quota.degraded() ? 'degraded' : 'ready'
    },
    ping: () => stores.ping().catch(tellReadOnly),
    followContract: settings.followContract === true,
    noResource: missing,
    pageStore: quota.pageStore,
    addressOf,
    metrics,
    log,
    now,
  })
  const tracing = await openTracing(config, contract, document, log)
  const { server, drain } = contractServer({
    apiTarget: apiTargets(contract),
    pipeline: road,
    pages: later.answer,
    strangerHeaders,
    log,
    logPaths: isReadable(log),
    metrics,
    tracing,
    slowRequestMs: config.slowRequestMs,
    corsOrigins: config.corsOrigins,
    timeouts: settings.timeouts ?? config.timeouts,
  })
  return {
    server,
    loadPages: later.load,
    stores,
    log,
    document,
    title: `${info.title} ${info.version}`.trim(),
    apiRoot: contract.apiRoot,
    served: [...contract.operations.values()].flatMap((one) => (one.unserved === undefined ? one.operationId : [])),
    unserved,
    close: async (delayMs = 0) => {
      closing = true
      await drain({ delayMs, graceMs: config.shutdownGraceMs })
      try {
        quota.close()
        await uses.close()
        await tracing?.close()
      } finally {
        await stores.close()
      }
    },
  }
}

/** Lets `/readyz` say that the store takes no writes, which is a matter of the setting. */
function tellReadOnly(error: unknown): never {
  if (!(error instanceof StoreUnavailable) || error.reason !== 'read_only') throw error
  throw unavailable(error.retryAfterS, error, 'DATABASE_URL leads to a store that takes no writes now.')
}

/** Refuses a path that nothing has, with the one that may be meant and the page that shows all. */
function refusalOfPath({ apiRoot, router }: Contract, publicUrl: string): (path: string) => ApiError {
  const nearest = nearestPath(apiRoot, router.paths())
  return (path) => {
    const near = nearest(path)
    return noResource(near === undefined ? undefined : publicUrl + near, `${publicUrl}/docs`)
  }
}

/** Loads the libraries of OpenTelemetry when requests are to be traced. */
async function openTracing(
  { tracing, database }: Config,
  { apiRoot }: Contract,
  document: ContractDocument,
  log: Log,
): Promise<Tracing | undefined> {
  if (!tracing) return undefined
  const routes = modelOf(document).operations.map(({ operationId, path }) => [operationId, apiRoot + path] as const)
  return (await import('./tracing/tracing.ts')).openTracing({
    serviceVersion: modelOf(document).info.version,
    routes: new Map(routes),
    engine: database.engine === 'sqlite' ? 'sqlite' : 'postgresql',
    ...tracing,
    log,
  })
}
