import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { fetchFrom } from '../../support/page.ts'
import { endAll, newFiles, serve, testFolder } from '../../support/process.ts'

const newFile = newFiles(testFolder())
afterEach(endAll)

const bundle = createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js')
const bundleBytes = readFileSync(bundle).length

/** A figure of a process, as Linux tells it in one of the process's files. */
function figure(pid: number, file: 'status' | 'io', name: string): number {
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8')
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1])
}

/** Asks for a file, reads the first piece of the answer, and nothing more. */
async function askWithoutReading(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /)
  return socket
}

const linux = process.platform === 'linux' ? describe : describe.skip
linux('the largest file of the documentation', () => {
  test('is read and kept in memory once, however many ask for it at once and do not read it', async () => {
    const { port, child } = await serve({ DATABASE_URL: `sqlite:${newFile()}`, NODE_ENV: 'production' })
    const pid = child.pid ?? NaN
    const before = figure(pid, 'io', 'rchar')
    const path = '/assets/swagger-ui-bundle.js'
    const sockets = await Promise.all(Array.from({ length: 200 }, () => askWithoutReading(port, path)))
    expect(figure(pid, 'status', 'VmHWM') * 1024).toBeLessThan(200_000_000)
    expect(figure(pid, 'io', 'rchar') - before).toBeLessThan(2 * bundleBytes)
    expect((await fetchFrom(port, path)).text.length).toBe(readFileSync(bundle, 'utf8').length)
    for (const socket of sockets) socket.destroy()
  })
})
