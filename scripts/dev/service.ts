/*
 * Part of `npm run dev`: runs the service on a free port, with its handlers, and with mocks for operations without one.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Service } from '../../src/app.ts'
import type { FirstKey } from '../../src/auth/first-key.ts'
import { listen } from '../../src/http/listen.ts'
import { endWithParent } from './child-process.ts'
import { loadFault } from './load-fault.ts'
import type { ServiceMessage } from './protocol.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let service: Service | undefined
const end = (): void => {
  void Promise.resolve(service?.close()).finally(() => {
    process.exit()
  })
}
endWithParent(end)
process.on('SIGTERM', end)
try {
  tell({ waitsFor: 'its sources to load' })
  const opened = await open()
  service = opened.service
  const address = await listen(service.server, { host: '127.0.0.1', port: 0 })
  tell({ ready: { port: Number(new URL(address).port), apiRoot: service.apiRoot, first: opened.first } })
} catch (error) {
  tell({ failed: loadFault(error, root) }, () => process.exit(1))
}

function tell(message: ServiceMessage, then: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, then)
}

/** Imports the service dynamically, so that a source that does not load is an error that can be reported. */
async function open(): Promise<{ service: Service; first: FirstKey | undefined }> {
  const [{ openService }, { makeFirstKey }, { readConfig }, { firstPlan, readPlans }] = await Promise.all([
    import('../../src/app.ts'),
    import('../../src/auth/first-key.ts'),
    import('../../src/config/config.ts'),
    import('../../src/quota/plans.ts'),
  ])
  const contractFile = join(root, 'openapi.yaml')
  const handlers = await loadHandlers(contractFile)
  tell({ waitsFor: 'the contract to be compiled and the store to open' })
  const service = await openService(readConfig(process.env), {
    contractFile,
    handlers,
    mocks: true,
    followContract: true,
  })
  const plan = firstPlan(readPlans(service.document.root))
  return { service, first: await makeFirstKey(service.stores.keys, plan, Date.now()) }
}

async function loadHandlers(contractFile: string): Promise<object> {
  const [{ readContract }, { declaredOperations }] = await Promise.all([
    import('../../src/contract/model/files/document.ts'),
    import('../../src/contract/rules/addresses.ts'),
  ])
  const handlers: Record<string, unknown> = {}
  for (const { operationId } of declaredOperations(readContract(contractFile))) {
    const name = `src/handlers/${operationId}.ts`
    const file = join(root, name)
    if (!existsSync(file)) continue
    const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
    if (typeof module[operationId] !== 'function')
      throw new Error(`${name}:1:1 It must export the handler ${operationId}.`)
    handlers[operationId] = module[operationId]
  }
  return handlers
}
