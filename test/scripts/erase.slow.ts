import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { Test } from 'supertest'
import { run, testFolder, type Finished } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { engines } from '../support/servers/engines.ts'

// every run is a process of its own
jest.setTimeout(240_000)

const folder = testFolder()

for (const engine of engines(folder)) {
  engine.describe(`erase in ${engine.name}`, () => {
    beforeAll(engine.start)
    afterAll(engine.stop)

    test('removes a row and what is remembered of its requests, while the service runs', async () => {
      const url = await engine.newStore()
      const erase = (...args: string[]): Promise<Finished> => run(['scripts/erase.ts', ...args], { DATABASE_URL: url })
      const service = await startService({ DATABASE_URL: url })
      const create = (name: string): Test =>
        service.call('post', '/pets').set('Idempotency-Key', name).send({ name, categoryId: 1 })
      expect((await create('Quetzalcoatl')).status).toBe(201)
      expect((await create('Rex')).status).toBe(201)

      expect(await erase('pets', '1')).toEqual({
        ...{ code: 0, stderr: '', stdout: 'Erased pets 1: 1 row, 1 remembered request.\n' },
      })
      expect((await service.call('get', '/pets/1')).status).toBe(404)
      expect((await service.call('get', '/pets/2')).status).toBe(200)
      expect(await erase('pets', '1', '--json')).toMatchObject({
        ...{ code: 0, stdout: '{"table":"pets","key":"1","rows":0,"requests":0}\n' },
      })
      await service.stop()
      if (engine.name === 'SQLite') {
        for (const name of readdirSync(folder)) {
          expect(readFileSync(`${folder}/${name}`).includes('Quetzalcoatl')).toBe(false)
        }
      }
    })
  })
}

test('a wrong table, a wrong key and a missing store are refused', async () => {
  const erase = (...args: string[]): Promise<Finished> =>
    run(['scripts/erase.ts', ...args], { DATABASE_URL: `sqlite:${folder}/none.db` })
  expect(await erase('pet', '1')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('No table is called pet. Did you mean pets?') as unknown },
  })
  expect(await erase('pets', 'Rex')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('The key Rex is no integer, as id is.') as unknown },
  })
  expect(await erase('pets', '1')).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining(`There is no store at ${folder}/none.db.`) as unknown },
  })
})
