/*
 * node bench/admission.js
 *
 * Prints what the quota's `admit` costs in this process, in µs of CPU per request: for keys, and for addresses that are
 * all different. The minimum and the median of many short batches, since a shared machine disturbs single ones. Needs
 * the build (`npm run build`).
 */
import { newRecord } from '../dist/src/auth/key.js'
import { openQuota } from '../dist/src/quota/quota.js'

const batches = 100
const perBatch = 5000
const limits = { perMinute: 1e9, perDay: 1e9 }

const quota = await openQuota({
  plans: new Map([['enterprise', 'custom']]),
  anonymous: limits,
  bans: { after: undefined, stepsS: [60] },
  keys: { ban: () => Promise.resolve() },
  redisUrl: undefined,
  installation: '',
  counts: undefined,
  log: console,
  metrics: { redisReplied: () => undefined, banned: () => undefined },
  now: Date.now,
})
const keys = Array.from({ length: 1000 }, () => ({
  key: newRecord({ plan: 'enterprise', custom: limits, createdAt: 0 }),
}))

await report('a thousand keys', (index) => keys[index % keys.length])
await report('addresses, all different', (index) => ({ address: `10.${index}` }))
quota.close()

async function report(what, callerOf) {
  const costs = []
  for (let batch = 0; batch < batches; batch++) {
    const before = process.cpuUsage()
    for (let index = 0; index < perBatch; index++) {
      const outcome = quota.admit(callerOf(batch * perBatch + index), 1e12)
      // as the pipeline does
      if (outcome instanceof Promise) await outcome
    }
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / perBatch)
  }
  costs.sort((a, b) => a - b)
  console.log(`${what}: ${costs[0].toFixed(2)} µs at least, ${costs[batches / 2].toFixed(2)} µs in the middle`)
}
