import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, jest, test } from '@jest/globals'
import { start } from '../../support/process.ts'
import { copyProject } from '../../support/project.ts'

// the service is made to start slowly
jest.setTimeout(240_000)

const ours = (file: string): string => readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')

test('a service that starts slowly is waited for, and one that never starts is replaced with the next save', async () => {
  const project = copyProject()
  project.write('redocly.yaml', ours('redocly.yaml'))
  const handler = project.read('src/handlers/getPet.ts')
  const slowly = (code: string): void => {
    project.write('src/handlers/getPet.ts', `${handler}\n${code}\n`)
  }
  // longer than anybody would set a time-out for a start on a quiet machine
  slowly('await new Promise((resolve) => setTimeout(resolve, 25_000))')
  const database = `sqlite:${join(project.folder, 'data', 'store.db')}`
  const dev = start([join(project.folder, 'scripts/dev.ts')], { PORT: '0', DATABASE_URL: database })
  try {
    const waits =
      /service: still starting after \d+ s: it waits for its sources to load; the next save starts it anew\n/
    await dev.until(waits)
    const [, took = ''] = await dev.until(/^service: started in (\d+)\.\d\d s at /m)
    expect(Number(took)).toBeGreaterThanOrEqual(25)

    const before = dev.stdout().length
    slowly('setInterval(() => undefined, 1000)\nawait new Promise(() => undefined)')
    await dev.until(new RegExp(`^[^]{${before}}[^]*${waits.source}`))
    project.write('src/handlers/getPet.ts', handler)
    const [shown] = await dev.until(new RegExp(`^[^]{${before}}[^]*service: reloaded in .*\n`))
    expect(shown.slice(before)).not.toMatch(/^(load|service: still runs)/m)
  } finally {
    await dev.stop()
    project.remove()
  }
})
