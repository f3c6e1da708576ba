import { describe, expect, test } from '@jest/globals'
import { failure } from '../../src/road/answer.ts'
import { StoreUnavailable } from '../../src/store/unavailable.ts'

describe('the answer of the service', () => {
  test('is 503 without the sentence, which is logged with its cause', () => {
    const cause = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    const error = new StoreUnavailable('The database is locked by another process; tried for 2 s.', cause, 'locked')
    expect(failure(error)).toEqual({
      status: 503,
      headers: ['Retry-After', '1'],
      body: '{"code":"unavailable","message":"The service cannot answer now; try again later.","status":503}',
      code: 'unavailable',
      reason: 'locked',
      cause: error,
    })
  })

  test('has nothing to log of a store that was said to be lost before', () => {
    expect(failure(new StoreUnavailable('The database is gone. Put it back, or a backup of it.'))).toMatchObject({
      status: 503,
      cause: undefined,
    })
  })
})
