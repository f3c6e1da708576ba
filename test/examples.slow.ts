import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runCommand, works, type Finished } from './support/process.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
let front: Server
let port: number
/** The requests so far, and the refusals to answer instead of the service. */
let seen: IncomingMessage[]
let refusals: Refusal[]
beforeEach(async () => {
  service = await startService()
  seen = []
  refusals = []
  // a proxy that answers with a refusal now and then
  front = createServer((request, response) => {
    seen.push(request)
    const index = refusals.findIndex(({ to }) => to(request))
    const [refusal] = index < 0 ? [] : refusals.splice(index, 1)
    if (refusal) {
      const { status, waitS } = refusal
      request.resume()
      response.writeHead(status, { 'Retry-After': waitS, 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ code: status === 429 ? 'rate_limited' : 'unavailable', message: 'Later.', status }))
      return
    }
    const { method, url: path, headers } = request
    const onwards = forward({ port: service.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onwards)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  port = (front.address() as AddressInfo).port
})
afterEach(async () => {
  front.closeAllConnections()
  await new Promise((resolve) => front.close(resolve))
  await service.stop()
})

interface Refusal {
  to: (request: IncomingMessage) => boolean
  status: 429 | 503
  waitS: number
}
const named = ({ headers }: IncomingMessage): boolean => headers['idempotency-key'] !== undefined
const reading = ({ method }: IncomingMessage): boolean => method === 'GET'
const plain = (request: IncomingMessage): boolean => !named(request) && !reading(request)

describe.each([
  ['curl', 'sh', ['examples/first-steps.sh'], ['curl', '--version']],
  ['Python', 'python3', ['examples/first_steps.py'], ['python3', '-c', 'import requests']],
  ['Go', 'go', ['run', 'examples/first-steps.go'], ['go', 'version']],
  ['TypeScript', process.execPath, ['--import', 'tsx', 'examples/typescript/first-steps.ts'], [process.execPath, '-v']],
] as const)('the first steps in %s', (_, command, args, [tool, ...flags]) => {
  const there = works(tool, flags)
  const testWithTool = there ? test : test.skip
  const take = (key: string): Promise<Finished> => {
    const ANIMAL_STORE_URL = `http://127.0.0.1:${port}/v1`
    return runCommand(command, args, { env: { ...process.env, ANIMAL_STORE_URL, ANIMAL_STORE_KEY: key } })
  }

  testWithTool('succeed, also when the service is busy at first', async () => {
    for (let index = 0; index < 4; index++) {
      await service.stores.pets.add({ name: 'Mia "id": 1', categoryId: 1n, status: 'available' })
      await service.stores.pets.add({ name: 'Sol', categoryId: 1n, status: 'sold' })
    }
    refusals = [{ to: named, status: 429, waitS: 1 }]
    const { code, stdout, stderr } = await take(service.key)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Added animal 9 of category 9007199254740993\.\nSent again: animal 9, replayed\.\nFound 5 available animals on 3 pages\.\nRefused: 400 invalid_request: body\.name .+\n$/,
    )
    // two creations, three pages, one refused creation, and one that was retried
    expect(seen).toHaveLength(7)
    for (const { headers } of seen.filter(reading)) expect(headers).not.toHaveProperty('content-length')
    expect(await service.stores.pets.list({ limit: 100 })).toHaveLength(9)
    expect(await service.stores.pets.find(9n)).toMatchObject({ name: 'Rex', categoryId: 9_007_199_254_740_993n })
  })

  testWithTool(
    'send again after a 503 what adds nothing twice, and no creation without an Idempotency-Key',
    async () => {
      refusals = [
        { to: named, status: 503, waitS: 1 },
        { to: reading, status: 503, waitS: 1 },
        { to: plain, status: 429, waitS: 1 },
        { to: plain, status: 503, waitS: 1 },
      ]
      const { code, stdout, stderr } = await take(service.key)
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toBe(
        'Added animal 1 of category 9007199254740993.\nSent again: animal 1, replayed.\n' +
          'Found 1 available animals on 1 pages.\nRefused: 503 unavailable: Later.\n',
      )
      expect([seen.filter(named).length, seen.filter(reading).length, seen.filter(plain).length]).toEqual([3, 2, 2])
    },
  )

  testWithTool('do not wait for more than 90 s, and print the refusal', async () => {
    refusals = [{ to: named, status: 429, waitS: 91 }]
    const { code, stdout, stderr } = await take(service.key)
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('429 rate_limited: Later.')
    expect(seen).toHaveLength(1)
  })

  testWithTool('end with one sentence without a key, with a wrong one, and without a service', async () => {
    const complaint = ({ code, stderr }: Finished): string => {
      expect(code).not.toBe(0)
      // go adds a line of its own
      return stderr.replace(/exit status 1\n$/, '')
    }
    expect(complaint(await take(''))).toMatch(/^.*Set .*to an API key\.\n$/)
    expect(complaint(await take('wrong'))).toMatch(/^401 unauthorized: .+\.\n$/)
    front.closeAllConnections()
    await new Promise((resolve) => front.close(resolve))
    expect(complaint(await take(service.key))).toMatch(/^No answer from http:\S+\. Does the service run there\?\n$/)
  })
})
