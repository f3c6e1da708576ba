import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import { openService } from './app.ts'
import { makeFirstKey, type FirstKey } from './auth/first-key.ts'
import { closingMs, type Config } from './config.ts'
import type { ContractDocument } from './contract/document/document.ts'
import { addCommand } from './contract/document/first-request.ts'
import { listen } from './http/listen.ts'
import { endLog, openLog } from './log.ts'
import { firstPlan, planTitle, readPlans } from './quota/plans.ts'

/** Runs the service in this process until a signal, its supervisor or a fault ends it. Throws a sentence when it cannot. */
export async function serve(config: Config): Promise<void> {
  const log = openLog(config)
  const service = await openService(config, { log })
  let told: string | undefined
  let ending = false
  // before the first request can come, so that none is cut off; a second signal or fault, or too long a wait, ends with 1
  const closing = closeWithGrace(
    { delay: config.shutdownDelayMs + config.shutdownGraceMs + closingMs, logger: false },
    async ({ signal = told, err }) => {
      ending = true
      if (err) log.fatal({ err }, 'closing after a fault')
      else log.info({ signal }, 'closing')
      try {
        // nobody waits for load balancers at a terminal, nor after a fault
        await service.close(signal === 'SIGTERM' ? config.shutdownDelayMs : 0)
      } catch (error) {
        log.fatal({ err: error }, 'closing failed')
        throw error
      } finally {
        await endLog(log)
      }
    },
  )
  obeySupervisor((signal) => {
    // a terminal sends its signal to every process, and may have been first
    if (ending) return
    told = signal
    closing.close()
  })
  let address: string
  try {
    address = (await listen(service.server, config)) + service.apiRoot
  } catch (error) {
    // it would end the process with 0
    closing.uninstall()
    await service.close()
    throw error
  }
  log.info({ address, production: config.production }, 'listening')
  if (config.production) return
  try {
    const { document, stores } = service
    const first = await makeFirstKey(stores.keys, firstPlan(readPlans(document.root)), Date.now())
    if (first) console.log(greeting(document, address, first))
  } catch (error) {
    // the service can be used with the keys that there are
    log.error({ err: error }, 'no first key could be made; make one with the keys command')
  }
}

/** Calls `close` with the signal that the supervisor had, or without one when it is gone. */
function obeySupervisor(close: (signal?: string) => void): void {
  const { worker } = cluster
  if (!worker) return
  worker.on('message', (message: unknown) => {
    if (typeof message === 'string') close(message)
  })
  worker.on('disconnect', () => {
    // else Node ends the process at once, and cuts off what runs
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
