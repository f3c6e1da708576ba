import { describe, expect, test } from '@jest/globals'
import type { RawReply } from '../../src/contract/compiled.ts'
import { stationsOf } from '../../src/road/stations.ts'
import { compile, done, withOperation } from '../support/contracts/things.ts'

describe('the stations', () => {
  const stations = async (handlers: object): Promise<void> => {
    stationsOf(await compile(withOperation(done)), { handlers })
  }
  const handler = async (): Promise<RawReply> => ({ status: 204 })

  test('accept one handler for each operation', async () => {
    await expect(stations({ getThing: handler })).resolves.toBeUndefined()
  })

  test('refuse an operation without a handler', async () => {
    await expect(stations({})).rejects.toThrow(new Error('The operation getThing has no handler.'))
  })

  test('refuse a handler without an operation', async () => {
    await expect(stations({ getThing: handler, dropThing: handler })).rejects.toThrow(
      new Error('The handler dropThing has no operation in the contract.'),
    )
  })
})
