import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from '@jest/globals'
import { closingMs, readConfig } from '../src/config/config.ts'
import { endAll, newFiles, runCommand, serve, testFolder } from './support/process.ts'

const newFile = newFiles(testFolder())
afterEach(endAll)

const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8')

describe('the health check of the image', () => {
  const [, command = ''] = /^HEALTHCHECK CMD (\[.+\])$/m.exec(dockerfile) ?? []
  const check = async (env: Record<string, string>): Promise<unknown> => {
    const [, ...args] = JSON.parse(command) as string[]
    return (await runCommand(process.execPath, args, { env })).code
  }

  test('asks the port that PORT names', async () => {
    const server = await serve({ DATABASE_URL: `sqlite:${newFile()}` })
    expect(await check({ PORT: String(server.port) })).toBe(0)
    await server.stop()
    expect(await check({ PORT: String(server.port) })).toBe(1)
  })

  test('asks 8080 without PORT', () => {
    expect(command).toContain('(process.env.PORT || 8080)')
  })
})

describe('the time that a process has to stop', () => {
  const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
  const { shutdownDelayMs, shutdownGraceMs } = readConfig({ NODE_ENV: 'production' })

  test.each([
    ['compose.yaml', /SHUTDOWN_DELAY_MS: (\d+)/, /stop_grace_period: (\d+)s/],
    ['examples/animal-store.service', /Environment=SHUTDOWN_DELAY_MS=(\d+)/, /TimeoutStopSec=(\d+)/],
  ])('in %s is longer than it takes', (name, delay, limit) => {
    expect(Number(delay.exec(read(name))?.[1])).toBe(shutdownDelayMs)
    const limitMs = 1000 * Number(limit.exec(read(name))?.[1])
    expect(limitMs).toBeGreaterThan(shutdownDelayMs + shutdownGraceMs + closingMs)
  })
})
