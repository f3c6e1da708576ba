import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, jest, test } from '@jest/globals'
import { Database } from '../../src/store/sqlite/connection/driver.ts'
import { applicationId, schema } from '../../src/store/schema.ts'
import { sqliteStores } from '../../src/store/sqlite/stores.ts'
import { newFiles, run, testFolder } from '../support/process.ts'

// every run is a process of its own
jest.setTimeout(120_000)

const newFile = newFiles(testFolder())

function makeOld(file: string): void {
  const db = new Database(file)
  for (const step of schema.sqliteSteps.slice(0, 1)) db.exec(step)
  db.pragma('user_version = 1')
  db.pragma(`application_id = ${applicationId}`)
  db.close()
}

test.each([
  [
    'an empty file',
    (file: string) => {
      writeFileSync(file, '')
    },
    /it is not a database of this service\.\n$/,
  ],
  [
    'another file',
    (file: string) => {
      writeFileSync(file, 'Dear all,')
    },
    /file is not a database\.\n$/,
  ],
  [
    'a store of an older program',
    makeOld,
    /has a schema of version 1, and \d+ is needed\. Run migrate on it first\.\n$/,
  ],
])('store:copy refuses %s as FROM, leaves it as it is and makes no TO', async (_, make, message) => {
  const [from, to] = [newFile(), newFile()]
  make(from)
  const before = readFileSync(from)
  const { code, stdout, stderr } = await run(['scripts/store-copy.ts', `sqlite:${from}`, `sqlite:${to}`])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(message)
  expect(readFileSync(from).equals(before)).toBe(true)
  expect(existsSync(to)).toBe(false)
})

test('store:copy copies a store between two files without a change to FROM', async () => {
  const [from, to] = [newFile(), newFile()]
  const source = sqliteStores(from)
  await source.pets.add({ name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'sold' })
  await source.close()
  const before = readFileSync(from)
  expect(await run(['scripts/store-copy.ts', `sqlite:${from}`, `sqlite:${to}`])).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(from).equals(before)).toBe(true)
  const target = sqliteStores(to)
  expect(await target.pets.find(1n)).toEqual({ id: 1n, name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'sold' })
  await target.close()
})
