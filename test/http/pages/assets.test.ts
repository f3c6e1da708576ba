import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { fetchFrom } from '../../support/page.ts'
import { start, testFolder } from '../../support/process.ts'

const folder = testFolder()

/** A figure of a process, as Linux tells it in one of the process's files. */
function figure(pid: number, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Asks for a page, reads the first piece of the answer, and nothing more. */
async function askWithoutReading(port: number, path: string, coding: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${coding}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /)
  return socket
}

/** A contract whose reference is more than a megabyte long. */
const text = 'A description that stands for what a contract of many operations tells of each of them. '.repeat(20)
const large = `openapi: 3.0.3
info: { title: Many, version: '1' }
paths:
${Array.from(
  { length: 300 },
  (_, index) =>
    `  /things${index}: { get: { description: ${text}, responses: { '200': { description: Done. }, '400': { description: ${text} } } } }`,
).join('\n')}
`

const linux = process.platform === 'linux' ? describe : describe.skip
linux('the reference of a large contract', () => {
  test('is made and kept in memory once, however many ask for it at once and do not read it', async () => {
    const file = `${folder}/openapi.yaml`
    writeFileSync(file, large)
    const mock = start(['scripts/mock.ts', file], { PORT: '0' })
    const [, port = ''] = await mock.until(/127\.0\.0\.1:(\d+)/)
    const pid = mock.child.pid ?? NaN
    const page = await fetchFrom(Number(port), '/docs')
    expect(page.text.length).toBeGreaterThan(1_500_000)
    const before = figure(pid, 'VmHWM')
    const codings = ['identity', 'gzip', 'br']
    const sockets = await Promise.all(
      Array.from({ length: 200 }, (_, index) => askWithoutReading(Number(port), '/docs', codings[index % 3] ?? '')),
    )
    // kilobytes: a copy for each of those who ask would be 300 megabytes
    expect(figure(pid, 'VmHWM') - before).toBeLessThan(60_000)
    expect((await fetchFrom(Number(port), '/docs')).text).toBe(page.text)
    for (const socket of sockets) socket.destroy()
  })
})
