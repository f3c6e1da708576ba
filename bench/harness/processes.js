import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pinned } from './machine.js'

const running = new Set()
const folders = new Set()
const patienceMs = 3000

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))

/**
 * Starts a process that ends with this one at the latest. Its complaints are kept in `complaints()`; with a `channel`,
 * `ask` sends it a message and gives the next one that comes back, or `{ failure }` when it ends instead.
 */
export function start(command, args, { core, env, cwd, channel = false } = {}) {
  const [program, all] = pinned(core, command, args)
  const stdio = ['ignore', 'pipe', 'pipe', ...(channel ? ['ipc'] : [])]
  const child = spawn(program, all, { cwd, env: { ...process.env, ...env }, stdio })
  running.add(child)
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      said[stream] = (said[stream] + text).slice(-100_000)
    })
  }
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signal))
  }).finally(() => running.delete(child))

  return {
    pid: child.pid,
    ended,
    hasEnded: () => !running.has(child),
    ask: (message) => {
      child.send(message)
      const ending = ended.then((code) => ({ failure: `it ended with ${code}: ${said.stderr}` }))
      return Promise.race([new Promise((resolve) => child.once('message', resolve)), ending])
    },
    said: () => said.stdout,
    complaints: () => said.stderr,
    stop: async () => {
      child.kill('SIGTERM')
      const forced = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      await ended
      clearTimeout(forced)
    },
  }
}

/** A folder that is gone when this process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'))
  folders.add(folder)
  return folder
}

export function removeFolder(folder) {
  folders.delete(folder)
  rmSync(folder, { recursive: true, force: true })
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
