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

  test.each([null, 'free'])('must be a mapping, not %p', (plans) => {
    expect(() => readPlans({ 'x-plans': plans })).toThrow('x-plans must be a mapping of plans by name.')
  })

  test('are one without limits to speak of where the contract has none', () => {
    expect([...readPlans({})]).toEqual([['unlimited', { perMinute: 1_000_000_000, perDay: 1_000_000_000 }]])
  })
})
