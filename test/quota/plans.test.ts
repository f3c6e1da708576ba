import { describe, expect, test } from '@jest/globals'
import { readPlans } from '../../src/quota/plans.ts'

describe('the plans of a contract', () => {
  test('are read with their limits', () => {
    const plans = readPlans({ 'x-plans': { free: { perMinute: 60, perDay: 1000 }, enterprise: 'custom' } })
    expect([...plans]).toEqual([
      ['free', { perMinute: 60, perDay: 1000 }],
      ['enterprise', 'custom'],
    ])
  })

  test.each([0, -1, 1.5, NaN, Infinity, '60', null, undefined, true, 2e9])(
    'must not have %p as a limit',
    (perMinute) => {
      expect(() => readPlans({ 'x-plans': { free: { perMinute, perDay: 1000 } } })).toThrow(
        'The plan free in x-plans must have perMinute and perDay as positive integers, or be custom.',
      )
    },
  )

  test.each([undefined, null, 'free'])('must be there, not %p', (plans) => {
    expect(() => readPlans({ 'x-plans': plans })).toThrow('The contract needs x-plans.')
  })
})
