import { fileURLToPath } from 'node:url'
import { cores } from './machine.js'
import { start } from './processes.js'
import { scenarios } from './scenarios.js'

const script = fileURLToPath(new URL('../load.js', import.meta.url))
const idle = []

/**
 * Lets a process of its own run `bench/load.js` against a server. Throws when an answer was not what it should be. The
 * processes live on until `stopLoads`, so that each load after the first begins warm.
 */
export async function load(server, config) {
  const child = idle.pop() ?? start(process.execPath, [script], { core: cores?.load, channel: true })
  const { result, failure } = await child.ask({ port: server.port, pid: server.pid, ...config })
  if (failure !== undefined) throw new Error(`The load ${config.scenario} failed: ${failure}`)
  idle.push(child)
  const wrong = Object.keys(result.statuses).filter(
    (status) => !scenarios[config.scenario].accepts.includes(Number(status)),
  )
  if (wrong.length > 0) throw new Error(`${config.scenario} got answers ${wrong.join(', ')}: ${result.sample}`)
  return result
}

export async function stopLoads() {
  for (const child of idle.splice(0)) await child.stop()
}
