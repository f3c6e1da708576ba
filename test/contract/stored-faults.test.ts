import { afterEach, describe, expect, test } from '@jest/globals'
import { expectError, startService, type TestService } from '../support/service.ts'
import { Database } from '../../src/store/sqlite/connection/driver.ts'

let service: TestService
afterEach(() => service.stop())

/** A service whose animals 1 and 4 are valid. Animals 2 and 3 were stored by another program, and are not. */
async function start(env: Record<string, string>): Promise<void> {
  service = await startService(env)
  const db = new Database(`${service.folder}/store.db`)
  const insert = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  for (const [name, status] of [
    ['Rex', 'sold'],
    ['N'.repeat(300), 'sold'],
    ['Gone', 'gone'],
    ['Max', 'sold'],
  ]) {
    insert.run(name, 1, status)
  }
  expect(() => insert.run('Real', 1.5, 'sold')).toThrow(/REAL/)
  db.close()
}

function faults(): string[] {
  return service.logged.filter(({ level }) => level === 50).map(({ err }) => (err as { message: string }).message)
}

describe.each([['production'], ['development']])('stored animals that break the contract, in %s', (mode) => {
  test('are answered with 500, and the log names the fault', async () => {
    await start({ NODE_ENV: mode })
    for (const id of [2, 3]) {
      const { text } = await service.call('get', `/pets/${id}`).expect(500)
      expectError(text, 500, 'internal_error')
      expect(text).not.toMatch(/NNN|gone/)
    }
    for (const id of [1, 4]) await service.call('get', `/pets/${id}`).expect(200)
    expect(faults()).toEqual([
      'getPet answered 200 with a wrong body: body.name must have at most 255 characters.',
      'getPet answered 200 with a wrong body: body.status must be one of available, pending, sold.',
    ])
  })
})

describe('a list with animals that break the contract', () => {
  test('leaves them out in production, and the next page begins after them', async () => {
    await start({ NODE_ENV: 'production' })
    const ids = async (path: string): Promise<{ ids: string[]; next: string | undefined }> => {
      const { text, headers } = await service.call('get', path).expect(200)
      return {
        ids: Array.from(text.matchAll(/"id":(\d+)/g), ([, id]) => id ?? ''),
        next: /\/v1([^>]+)>; rel="next"/.exec(String((headers as { link?: string }).link))?.[1],
      }
    }
    expect((await ids('/pets')).ids).toEqual(['1', '4'])
    expect(faults()).toEqual([
      'listPets answered 200 with a wrong body: ' +
        'body.1.name must have at most 255 characters; body.2.status must be one of available, pending, sold.',
    ])
    const first = await ids('/pets?limit=3')
    expect(first.ids).toEqual(['1'])
    expect((await ids(first.next ?? '')).ids).toEqual(['4'])
    expect((await ids('/pets?status=sold')).ids).toEqual(['1', '4'])
  })
})
