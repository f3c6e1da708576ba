import { expect, test } from '@jest/globals'
import { run } from '../support/process.ts'

/** Spends a day of two requests at its beginning, and tells what becomes of two more at each hour given. */
const script = `
  import { spend, testQuota } from './test/support/quota.ts'
  const begin = Date.parse(process.env.FIRST)
  const quota = await testQuota()
  const caller = { key: quota.key('enterprise', { perMinute: 1000, perDay: 2 }) }
  const told = []
  for (const hours of [0, 1, 2, 12, 22, 23, 23.9999, 24]) {
    const outcomes = await spend(quota, caller, 2, begin + hours * 3600000)
    told.push(outcomes.map(({ verdict }) => verdict).join())
  }
  console.log(JSON.stringify({ hour: new Date(begin).getHours(), told }))
  quota.close()
`

test.each([
  ['Europe/Berlin', '2026-10-25T00:00:00Z', 2],
  ['Europe/Berlin', '2026-03-29T00:00:00Z', 1],
  ['America/New_York', '2026-11-01T00:00:00Z', 20],
  ['Asia/Kathmandu', '2026-12-31T00:00:00Z', 5],
])('in %s, the day of %s has the 24 hours of UTC', async (zone, first, hour) => {
  const { stdout, stderr } = await run(['--input-type=module', '--eval', script], { TZ: zone, FIRST: first })
  expect(stderr).toBe('')
  const [full, refused] = ['admitted,admitted', 'day,day']
  expect(JSON.parse(stdout)).toEqual({ hour, told: [full, ...Array.from({ length: 6 }, () => refused), full] })
})
