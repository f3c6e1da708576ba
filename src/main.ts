import closeWithGrace from 'close-with-grace'
import { openService } from './app.ts'
import { makeFirstKey } from './auth/first-key.ts'
import { readConfig, type Config } from './config.ts'
import { listen } from './http/listen.ts'
import { endLog, openLog } from './log.ts'

/** How much longer than the running requests everything else may take, in ms. */
const closingMs = 2000

try {
  await serve(readConfig(process.env))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function serve(config: Config): Promise<void> {
  const log = openLog(config)
  const service = await openService(config, { log })
  // before the first request can come, so that none is cut off; a second signal or fault, or too long a wait, ends with 1
  const closing = closeWithGrace(
    { delay: config.shutdownDelayMs + config.shutdownGraceMs + closingMs, logger: false },
    async ({ signal, err }) => {
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
  const key = await makeFirstKey(service.stores.keys, Date.now())
  if (key !== undefined) console.log(greeting(key, address))
}

function greeting(key: string, address: string): string {
  return [
    '',
    'This store is new. Here is an API key of the Free plan; it is shown only now:',
    '',
    `  curl -i ${address}/pets -H 'Authorization: Bearer ${key}' \\`,
    `    -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":7}'`,
    '',
  ].join('\n')
}
