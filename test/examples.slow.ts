import { execFile, execFileSync } from 'node:child_process'
import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { startService, type TestService } from './support/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

let service: TestService
let front: Server
/** Requests that came, and how many of the next ones are refused. */
let seen = 0
let refusals = 0
beforeEach(async () => {
  service = await startService()
  seen = 0
  refusals = 0
  // the service with a refusal in front now and then
  front = createServer((request, response) => {
    seen++
    if (refusals > 0) {
      refusals--
      request.resume()
      response.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/json' })
      response.end('{"code":"rate_limited","message":"Later.","status":429}')
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
})
afterEach(async () => {
  front.closeAllConnections()
  await new Promise((resolve) => front.close(resolve))
  await service.stop()
})

describe.each([
  ['curl', 'sh', ['examples/first-steps.sh'], ['curl', '--version']],
  ['Python', 'python3', ['examples/first_steps.py'], ['python3', '--version']],
  ['Go', 'go', ['run', 'examples/first-steps.go'], ['go', 'version']],
  ['TypeScript', process.execPath, ['--import', 'tsx', 'examples/typescript/first-steps.ts'], [process.execPath, '-v']],
] as const)('the first steps in %s', (_, command, args, [tool, ...flags]) => {
  const there = works(tool, flags)
  const testWithTool = there ? test : test.skip
  const take = (key: string): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        ANIMAL_STORE_URL: `http://127.0.0.1:${(front.address() as AddressInfo).port}/v1`,
        ANIMAL_STORE_KEY: key,
      }
      execFile(command, args, { cwd: root, env, encoding: 'utf8' }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
      })
    })

  testWithTool('go well, also when the service is busy at first', async () => {
    for (let index = 0; index < 4; index++) {
      await service.stores.pets.add({ name: 'Mia "id": 1', categoryId: 1n, status: 'available' })
      await service.stores.pets.add({ name: 'Sol', categoryId: 1n, status: 'sold' })
    }
    refusals = 1
    const { code, stdout, stderr } = await take(service.key)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Added animal 9 of category 9007199254740993\.\nSent again: animal 9, replayed\.\nFound 5 available animals on 3 pages\.\nRefused: 400 invalid_request: body\.name .+\n$/,
    )
    // two creations, three pages, a refused one, and the one that came too early
    expect(seen).toBe(7)
    expect(await service.stores.pets.list({ limit: 100 })).toHaveLength(9)
    expect(await service.stores.pets.find(9n)).toMatchObject({ name: 'Rex', categoryId: 9_007_199_254_740_993n })
  })

  testWithTool('ask for a key when there is none, and say why one is refused', async () => {
    const without = await take('')
    expect(without.code).not.toBe(0)
    expect(without.stdout + without.stderr).toContain('to an API key.')
    const wrong = await take('wrong')
    expect(wrong.code).not.toBe(0)
    expect(wrong.stdout + wrong.stderr).toContain('401 unauthorized')
  })
})

function works(command: string, flags: readonly string[]): boolean {
  try {
    execFileSync(command, flags, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
