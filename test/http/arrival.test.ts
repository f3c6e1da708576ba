import { Duplex } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { earliestArrivalMs, noteConnection } from '../../src/http/arrival.ts'

/** How long before now a request came at the earliest that is the first of a connection that is accepted now. */
function ageOfFirst(): number {
  const connection = new Duplex()
  noteConnection(connection)
  const now = performance.now()
  return now - earliestArrivalMs(connection, now)
}

function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Resolves once the event loop has waited for more than 100 ms; on a busy machine that may take longer than 150 ms. */
async function idle(): Promise<void> {
  const before = performance.eventLoopUtilization().idle
  do await sleep(150)
  while (performance.eventLoopUtilization().idle - before <= 100)
}

describe('a request', () => {
  test('that the event loop has waited for came when it was read', async () => {
    await idle()
    const connection = new Duplex()
    noteConnection(connection)
    await idle()
    const now = performance.now()
    expect(earliestArrivalMs(connection, now)).toBe(now)
  })

  test('that is read behind others in a turn came with them, or since the turn before', async () => {
    await idle()
    const [one, two] = [new Duplex(), new Duplex()]
    const began = performance.now()
    expect(earliestArrivalMs(one, began)).toBe(began)
    work(20)
    expect(earliestArrivalMs(two, performance.now())).toBe(began)
    await nextTurn()
    expect(earliestArrivalMs(one, performance.now())).toBe(began)
    work(20)
    await nextTurn()
    expect(earliestArrivalMs(two, performance.now())).toBeGreaterThanOrEqual(began + 20)
  })

  test('on a connection that waited in the queue came with the first of the queue', async () => {
    await idle()
    const began = performance.now()
    for (let accepted = 0; accepted < 50; accepted += 1) {
      const age = ageOfFirst()
      expect(performance.now() - began - age).toBeLessThan(5)
      work(10)
      await nextTurn()
    }
  })

  test('of a client that opens a connection for each, slowly or fast, came not long before', async () => {
    for (let sent = 0; sent < 100; sent += 1) {
      await sleep(20)
      // a refusal that came a second before counts
      expect(ageOfFirst()).toBeLessThan(1000)
    }
    // more than can be queued
    const began = performance.now()
    const ages: number[] = []
    for (let sent = 0; sent < 1100; sent += 1) {
      await nextTurn()
      ages.push(ageOfFirst())
    }
    const last = ages.at(-1) ?? Infinity
    expect(last).toBeLessThan((performance.now() - began) * 0.75)
  })
})
