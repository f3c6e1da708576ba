import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { openService, type Service } from './app.ts'
import { makeFirstKey, type FirstKey } from './auth/first-key.ts'
import { banner } from './banner.ts'
import { closingMs, type Config } from './config/config.ts'
import type { ContractDocument } from './contract/model/files/document.ts'
import { addCommand } from './contract/first-request.ts'
import { listen } from './http/listen.ts'
import { endLog, isReadable, isTerminal, openLog, print } from './log/log.ts'
import { allListening } from './process/all-listening.ts'
import { answerHeartbeats } from './process/heartbeat.ts'
import { warnOfOldNode } from './process/node-release.ts'
import { firstPlan, planTitle, readPlans } from './quota/plans.ts'
import {
  closedCode,
  isFault,
  notByGrace,
  onClosingSignal,
  tellSecondFault,
  type ClosingSignal,
} from './process/signals.ts'

/** Runs the service in this process until a signal, the supervisor or a fault ends it. Throws a sentence when it cannot. */
export async function serve(config: Config): Promise<void> {
  const log = openLog(config)
  // of several workers none tells it, since the supervisor does
  if (!cluster.isWorker) for (const warning of config.warnings) log.warn(warning)
  let starting = true
  const service = await openService(config, { log, starting: () => starting })
  let state: 'serving' | 'closing' | 'failed' = 'serving'
  let signal: ClosingSignal | undefined
  // installed before the first request can arrive; a second signal or fault, or the time-out, exits with 1
  const closing = closeWithGrace(
    {
      delay: config.shutdownDelayMs + config.shutdownGraceMs + closingMs,
      logger: false,
      skip: notByGrace,
      onSecondError: tellSecondFault,
    },
    async (why) => {
      const failed = isFault(why)
      state = failed ? 'failed' : 'closing'
      if (failed) log.fatal({ err: why.err }, 'closing after a fault')
      else log.info({ signal }, 'closing')
      try {
        // only SIGTERM comes from an orchestrator with load balancers to wait for
        await service.close(signal === 'SIGTERM' ? config.shutdownDelayMs : 0)
      } catch (error) {
        log.fatal({ err: error }, 'closing failed')
        throw error
      } finally {
        await endLog(log)
      }
      process.exit(failed ? 1 : closedCode(signal))
    },
  )
  const close = (received?: ClosingSignal): void => {
    // a terminal sends its signal to every process, so it may arrive before the message of the supervisor, or after it
    if (state !== 'serving') return
    signal = received
    closing.close()
  }
  const kill = (): void => process.exit(1)
  onClosingSignal((received) => {
    if (state === 'failed') kill()
    close(received)
  }, kill)
  obeySupervisor(close)
  let address: string
  const complete = allListening()
  try {
    address = await listen(service.server, config)
    await service.loadPages()
  } catch (error) {
    // it would exit with 0
    closing.uninstall()
    await service.close()
    throw error
  }
  await complete
  starting = false
  const apiAddress = address + service.apiRoot
  log.info({ address: apiAddress, production: config.production }, 'listening')
  if (!cluster.isWorker) warnOfOldNode(log, Date.now())
  if (config.production && isFirstWorker()) {
    const { shutdownDelayMs, shutdownGraceMs, timeouts } = config
    const times = { shutdownDelayMs, shutdownGraceMs, keepAliveMs: timeouts.keepAlive }
    log.info(times, 'after SIGTERM connections are accepted for shutdownDelayMs, until load balancers have noticed')
  }
  const first = config.production ? undefined : await firstKeyOf(service)
  // of several workers the first one tells it
  if (isReadable(log) && isTerminal() && isFirstWorker()) {
    print(log, await bannerOf(service, config, address, first))
  }
  if (first) print(log, greeting(service.document, apiAddress, first))
}

/** Whether this is the first of several workers, or the only process. */
function isFirstWorker(): boolean {
  return (cluster.worker?.id ?? 1) === 1
}

async function firstKeyOf({ document, stores, log }: Service): Promise<FirstKey | undefined> {
  try {
    return await makeFirstKey(stores.keys, firstPlan(readPlans(document.root)), Date.now())
  } catch (error) {
    // the service works with the existing keys
    log.error({ err: error }, 'no first key could be made; make one with the keys command')
    return undefined
  }
}

async function bannerOf(
  { title, apiRoot, stores }: Service,
  config: Config,
  address: string,
  first: FirstKey | undefined,
): Promise<string> {
  const keys = await stores.keys.list().catch(() => undefined)
  const start = {
    title,
    address,
    apiRoot,
    config,
    activeKeys: keys?.filter(({ revokedAt }) => revokedAt === undefined).length,
    newKeyPlan: first && planTitle(first.plan),
  }
  return banner(start, process.stdout.columns)
}

/** In a worker: calls `close` with the signal that the supervisor received, or without one when it is gone. */
function obeySupervisor(close: (signal?: ClosingSignal) => void): void {
  const { worker } = cluster
  if (!worker) return
  answerHeartbeats()
  worker.on('message', (message: unknown) => {
    if (typeof message === 'string') close(message as ClosingSignal)
  })
  worker.on('disconnect', () => {
    // otherwise Node exits at once, and running requests get no answer
    worker.exitedAfterDisconnect = true
    close()
  })
}

function greeting(contract: ContractDocument, address: string, { key, plan }: FirstKey): string {
  return [
    '',
    `This store is new. Here is an API key of the ${planTitle(plan)} plan; it is shown only now:`,
    '',
    `  ${addCommand(contract, address, key)}`,
    '',
  ].join('\n')
}
