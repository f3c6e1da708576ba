import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from '@jest/globals'
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
