import { describe, expect, test } from '@jest/globals'
import { lastUse } from '../../src/auth/last-use.ts'
import { onEachEngine } from '../support/servers/each-engine.ts'
import { startService, type TestService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

const dayMs = 86_400_000
const monday = 20_000 * dayMs

onEachEngine(({ newStore }) => {
  test('the last day on which a key was used is stored, once for the day, also by several processes', async () => {
    let now = monday + 5
    const DATABASE_URL = await newStore()
    const one = await startService({ DATABASE_URL }, { now: () => now })
    const other = await startService({ DATABASE_URL }, { now: () => now })
    const services = [one, other]
    let writes = 0
    for (const { stores } of services) {
      const used = stores.keys.used
      stores.keys.used = (...of) => {
        writes += 1
        return used(...of)
      }
    }
    const { key, record } = await one.addKey()
    const ask = async ({ port }: TestService): Promise<number> => {
      const headers = { Authorization: `Bearer ${key}` }
      return (await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers })).status
    }
    const stored = async (): Promise<number | undefined> =>
      (await one.stores.keys.list()).find(({ id }) => id === record.id)?.lastUsedAt

    expect(await stored()).toBeUndefined()
    expect(await ask(one)).toBe(200)
    await eventually(async () => (await stored()) === monday)
    expect(writes).toBe(1)
    for (const later of [1000, 10_000, dayMs - 10]) {
      now = monday + later
      for (const service of services) expect(await ask(service)).toBe(200)
    }
    // a key is believed for a second before it is looked up again
    now = monday + dayMs + 1000
    expect(await ask(other)).toBe(200)
    // a stop stores what is noted
    await other.stop()
    expect(await stored()).toBe(monday + dayMs)
    await one.stop()
    expect(writes).toBe(2)
  })
})

describe('the last use', () => {
  test('that cannot be stored is told once, and stored when its key is looked up again', async () => {
    const stored: string[] = []
    let works = false
    const faults: unknown[] = []
    const keys = {
      used: async (ids: readonly string[]) => {
        if (!works) throw new Error('read-only')
        stored.push(...ids)
      },
    }
    const uses = lastUse(keys, (error) => faults.push(error))
    for (let time = 0; time < 3; time += 1) {
      uses.note({ id: 'key_a', lastUsedAt: undefined }, monday)
      await uses.close()
    }
    expect(faults).toEqual([new Error('read-only')])
    works = true
    uses.note({ id: 'key_a', lastUsedAt: undefined }, monday)
    uses.note({ id: 'key_b', lastUsedAt: monday }, monday + dayMs - 1)
    await uses.close()
    expect(stored).toEqual(['key_a'])
  })
})
