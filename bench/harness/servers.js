import { copyFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { cores, residentMb } from './machine.js'
import { freePort, pause, removeFolder, start, temporaryFolder } from './processes.js'

const startMs = 20_000

/**
 * Starts a contestant on a copy of a database, and waits until it answers 200. `readyMs` is the time from starting the
 * process to that answer.
 */
export async function startServer({ script }, { database, env = {}, core = cores?.server }) {
  const folder = temporaryFolder()
  const file = join(folder, 'animals.db')
  copyFileSync(database.file, file)
  const port = await freePort()
  const began = performance.now()
  const child = start(process.execPath, [script], {
    core,
    cwd: folder,
    env: {
      ...{ NODE_ENV: 'production', LOG_LEVEL: 'warn', HOST: '127.0.0.1', PORT: String(port) },
      ...{ DATABASE_URL: `sqlite:${file}`, ...env },
    },
  })
  const key = database.keys.load[0]
  let status
  while (status !== 200) {
    if (child.hasEnded()) throw new Error(`${script} ended at the start: ${child.complaints()}`)
    if (performance.now() - began > startMs) {
      await child.stop()
      throw new Error(`${script} did not answer 200 but ${status ?? 'nothing'}: ${child.complaints()}`)
    }
    status = await statusOf(port, key)
    if (status !== 200) await pause(3)
  }
  return {
    port,
    pid: child.pid,
    readyMs: performance.now() - began,
    residentMb: () => residentMb(child.pid),
    stop: async () => {
      await child.stop()
      removeFolder(folder)
    },
  }
}

function statusOf(port, key) {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/v1/pets/1', headers: { Authorization: `Bearer ${key}` } })
    asked.once('response', (response) => {
      response.resume()
      response.once('close', () => resolve(response.statusCode))
    })
    asked.once('error', () => resolve(undefined))
    asked.end()
  })
}
