import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { testFolder } from '../../support/process.ts'

const folder = testFolder()

test('the service of dev ends when dev has ended before the service listened for that', async () => {
  const service = fork(fileURLToPath(new URL('../../../scripts/dev/service.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, LOG_LEVEL: 'silent', PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'store.db')}` },
    stdio: 'ignore',
  })
  service.disconnect()
  const [code] = (await once(service, 'exit')) as [number | null]
  expect(code).toBe(0)
})
