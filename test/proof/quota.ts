import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeKey } from '../faults/service.ts'
import { ask, isRefusal } from './ask.ts'
import { undisturbed, type Fleet } from './fleet.ts'

const atOnce = 8
const dayMs = 86_400_000
/** What a try takes at most, in ms. */
const tryMs = 20_000

/** What became of a key's requests. */
export interface Spent {
  requests: number
  admitted: number
  requestMs: number[]
  wrong: string[]
}

/** Sends half more than a key's limit over both processes at once: exactly the limit must be admitted. */
export async function spendQuota(fleet: Fleet, limit: number): Promise<Spent> {
  return undisturbed(fleet, async () => {
    // a new day has new counts
    const leftMs = dayMs - (Date.now() % dayMs)
    if (leftMs < tryMs) await sleep(leftMs)
    return spend(fleet, limit)
  })
}

async function spend({ backing, services }: Fleet, limit: number): Promise<Spent> {
  const key = await makeKey(backing, { perDay: limit })
  const agent = new Agent({ keepAlive: true })
  const spent: Spent = { requests: Math.ceil(limit * 1.5), admitted: 0, requestMs: [], wrong: [] }
  let sent = 0
  const client = async (): Promise<void> => {
    while (sent < spent.requests) {
      sent += 1
      const beganMs = performance.now()
      const answer = await ask(services[sent % 2 === 0 ? 0 : 1].address, '/v1/pets?limit=1', { key, agent })
      spent.requestMs.push(performance.now() - beganMs)
      if (answer.status === 200) spent.admitted += 1
      else if (!isRefusal(answer, 429, 'rate_limited')) {
        spent.wrong.push(`A request of the quotas is answered ${answer.status}: ${answer.body}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  agent.destroy()
  if (spent.admitted !== limit) spent.wrong.push(`Of a limit of ${limit} requests ${spent.admitted} were admitted.`)
  return spent
}
