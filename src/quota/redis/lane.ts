import { atEndOfTurn } from '../../event-loop.ts'
import {
  fullWindow,
  type Charge,
  type Charged,
  type Counters,
  type LocalCounters,
  type SharingReadings,
} from '../counters.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { openBreaker, type SharingLog } from './breaker.ts'
import type { RedisClient } from './client.ts'
import { openLedger } from './ledger.ts'
import { readReply, type Adjustment, type Command, type Reply } from './script.ts'

/** The most callers, and the most adjustments, of one command, which must not keep Redis from its other work. */
const maxPerCommand = 500
/** The counter of a probe. */
const probed: Adjustment = { key: 'probe', windowMs: 1000, change: 1 }

/** The counters of the callers that have one hash tag. */
export interface Lane extends Counters {
  /** Whether this process counts them alone. */
  isOpen: () => boolean
  /** Reports that Redis cannot be reached. */
  fail: (error: unknown) => void
  readings: () => SharingReadings
  close: () => void
}

export interface LaneParts {
  client: RedisClient
  /** What lets all its names be in one hash slot; empty without a cluster. */
  tag: string
  local: LocalCounters
  sharing: SharingLog
  metrics: Pick<Metrics, 'redisReplied'>
}

/** Requests of one caller that are charged together. */
interface Batch {
  charge: Charge
  waiting: ((charged: Charged) => void)[]
  /** How many of them were admitted in this process, because Redis did not reply in time. */
  admittedHere?: number
}

/**
 * Opens counters. One command charges all requests of a turn of the event loop; requests that arrive before its reply share
 * the next command. No request fails because of Redis, or waits longer than a time-out: `local` then continues from the last
 * known counts, and Redis gets the difference when it is back.
 */
export function openLane({ client, tag, local, sharing, metrics }: LaneParts): Lane {
  const ledger = openLedger()
  const breaker = openBreaker(probe, sharing)
  const run = client.runner(tag)
  const batches = new Map<string, Batch>()
  let charging: Promise<void> | undefined
  let lastNumber = 0
  let countedLocally = 0
  /** The command that was sent last, until its reply is known. */
  let unsettled: { command: Command; batches: readonly Batch[] } | undefined

  return {
    charge: (charge) => {
      if (breaker.isOpen()) return chargeHere(charge)
      const counts = local.counts(charge)
      // a window that is known to be full costs no command
      if (fullWindow(charge.limits, counts)) return { admitted: false, ...counts }
      return new Promise((resolve) => {
        batchOf(charge).waiting.push(resolve)
        charging ??= chargeTurns()
      })
    },
    isOpen: breaker.isOpen,
    fail: breaker.fail,
    readings: () => ({ breakerOpenings: breaker.openings(), countedLocally }),
    close: breaker.close,
  }

  function batchOf(charge: Charge): Batch {
    const { caller, minute, limits } = charge
    const name = `${minute}:${caller} ${limits.perMinute} ${limits.perDay}`
    const known = batches.get(name)
    if (known) return known
    const batch = { charge, waiting: [] }
    batches.set(name, batch)
    return batch
  }

  /** Charges turn after turn while requests are waiting, or Redis lacks changes. Never rejects. */
  async function chargeTurns(): Promise<void> {
    do {
      await new Promise<void>(atEndOfTurn)
      const sent = breaker.isOpen() ? [] : takeBatches()
      const adjustments = breaker.isOpen() ? [] : ledger.take(maxPerCommand)
      try {
        if (sent.length + adjustments.length > 0) await send(adjustments, sent)
      } catch (error) {
        breaker.fail(error)
        // first those that Redis may have charged
        for (const batch of sent) batch.admittedHere = admitHere(batch)
      }
      if (breaker.isOpen()) admitAllHere()
    } while (batches.size > 0 || !(breaker.isOpen() || ledger.isEmpty()))
    charging = undefined
  }

  function takeBatches(): Batch[] {
    const taken = Array.from(batches).slice(0, maxPerCommand)
    for (const [name] of taken) batches.delete(name)
    return taken.map(([, batch]) => batch)
  }

  async function send(adjustments: Adjustment[], sent: readonly Batch[]): Promise<void> {
    lastNumber += 1
    const charges = sent.map(({ charge, waiting }) => ({ charge, requests: waiting.length }))
    unsettled = { command: { number: lastNumber, adjustments, charges }, batches: sent }
    await settle()
  }

  /** Sends the unsettled command, which Redis carries out once, however often it is sent. */
  async function settle(): Promise<void> {
    if (!unsettled) return
    const { command, batches: sent } = unsettled
    const replies = readReply(await runTimed(command))
    unsettled = undefined
    replies.forEach((reply, index) => {
      const batch = sent[index]
      if (batch?.admittedHere !== undefined) ledger.add(batch.charge, batch.admittedHere - reply.admitted)
      else if (batch) tell(batch, reply)
    })
  }

  async function runTimed(command: Command): Promise<string> {
    const beganMs = performance.now()
    let failed = true
    try {
      const reply = await run(command)
      failed = false
      return reply
    } finally {
      metrics.redisReplied(performance.now() - beganMs, failed)
    }
  }

  function tell({ charge, waiting }: Batch, { admitted, minuteUsed, dayUsed }: Reply): void {
    local.minute.set(charge.minute, charge.caller, minuteUsed)
    local.day.set(charge.day, charge.caller, dayUsed)
    waiting.forEach((resolve, index) => {
      const later = admitted - index - 1
      if (later < 0) resolve({ admitted: false, minuteUsed, dayUsed })
      else resolve({ admitted: true, minuteUsed: minuteUsed - later, dayUsed: dayUsed - later })
    })
  }

  function admitHere({ charge, waiting }: Batch): number {
    let admitted = 0
    countedLocally += waiting.length
    for (const resolve of waiting) {
      const charged = local.charge(charge)
      if (charged.admitted) admitted += 1
      resolve(charged)
    }
    return admitted
  }

  function admitAllHere(): void {
    for (const batch of batches.values()) ledger.add(batch.charge, admitHere(batch))
    batches.clear()
  }

  function chargeHere(charge: Charge): Charged {
    countedLocally += 1
    const charged = local.charge(charge)
    if (charged.admitted) ledger.add(charge, 1)
    return charged
  }

  /** Counts as requests do: a user may write and not run scripts, and a replica answers everything but writes. */
  async function probe(): Promise<void> {
    await charging
    await settle()
    await send([...ledger.take(maxPerCommand), probed], [])
    // when the breaker is closed
    charging ??= chargeTurns()
  }
}
