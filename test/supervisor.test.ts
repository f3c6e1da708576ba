import { expect, test } from '@jest/globals'
import { restartDelayMs } from '../src/supervisor.ts'

test('the delay before a restart doubles each time a worker ends soon, up to 10 s', () => {
  const delays = [0]
  while (delays.length < 10) delays.push(restartDelayMs(delays.at(-1) ?? 0, 59_999))
  expect(delays.slice(1)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
})

test('a worker that lived for a minute is started again after the shortest delay', () => {
  expect(restartDelayMs(10_000, 60_000)).toBe(100)
})
