import cluster from 'node:cluster'
import { startFault } from './failure.ts'
import { closedCode, installSignalDefaults } from './process/signals.ts'

installSignalDefaults(process.env, closedCode)
try {
  const { readConfig } = await import('./config/config.ts')
  const config = readConfig(process.env)
  // each loads only what it needs, so that a process that supervises stays small
  if (config.workers > 1 && cluster.isPrimary) {
    const { supervise } = await import('./supervisor.ts')
    await supervise(config, import.meta.filename)
  } else {
    const { serve } = await import('./serve.ts')
    await serve(config)
  }
} catch (error) {
  console.error(startFault(error))
  process.exitCode = 1
  // its channel to the supervisor would keep it running
  cluster.worker?.disconnect()
}
