import { fileURLToPath } from 'node:url'
import { cores } from './machine.js'
import { start } from './processes.js'
import { scenarios } from './scenarios.js'

const script = fileURLToPath(new URL('../load.js', import.meta.url))

/** Runs `bench/load.js` in a process of its own against a server. Throws when an answer was not what it should be. */
export async function load(server, config) {
  const all = { port: server.port, pid: server.pid, ...config }
  const child = start(process.execPath, [script, JSON.stringify(all)], { core: cores?.load })
  const code = await child.ended
  if (code !== 0) throw new Error(`The load ${config.scenario} failed: ${child.complaints()}`)
  const result = JSON.parse(child.said())
  const wrong = Object.keys(result.statuses).filter(
    (status) => !scenarios[config.scenario].accepts.includes(Number(status)),
  )
  if (wrong.length > 0) throw new Error(`${config.scenario} got answers ${wrong.join(', ')}: ${result.sample}`)
  return result
}
