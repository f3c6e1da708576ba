import type { Store } from 'express-rate-limit'
import type { Log } from '../../log/log.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Charge, Counters, LocalCounters, SharingReadings } from '../counters.ts'
import { sharingLog } from './breaker.ts'
import { redisClient } from './client.ts'
import { openLane, type Lane } from './lane.ts'
import { PageStore } from './page-store.ts'

/** Counters that all processes share in one Redis. */
export interface SharedCounters extends Counters {
  /** Whether this process counts alone. */
  degraded: () => boolean
  readings: () => SharingReadings
  /** Counts requests for pages. */
  pageStore: Store
  close: () => void
}

export interface SharedParts {
  url: string
  /** The same as its file has it now, if it comes from a file. */
  urlNow: (() => string) | undefined
  timeoutMs: number
  /** Keeps apart the counts of installations that share a Redis. */
  installation: string
  local: LocalCounters
  log: Log
  metrics: Pick<Metrics, 'redisReplied'>
}

/**
 * Opens counters in a Redis, which need not be running. In a cluster, the callers are divided over the hash tags of the
 * client, and the nodes that do not answer are done without for their callers alone.
 */
export async function sharedCounters(parts: SharedParts): Promise<SharedCounters> {
  const { local, log, metrics } = parts
  const sharing = sharingLog(log)
  const client = redisClient(parts, (error) => {
    for (const lane of lanes) lane.fail(error)
  })
  const lanes = client.tags.map((tag) => openLane({ client, tag, local, sharing, metrics }))
  const laneOf = (charge: Charge): Lane => lanes[lanes.length === 1 ? 0 : placeOf(charge.caller, lanes.length)] as Lane
  const degraded = (): boolean => lanes.some((lane) => lane.isOpen())

  await client.opened
  return {
    charge: (charge) => laneOf(charge).charge(charge),
    degraded,
    readings: () => ({
      breakerOpenings: lanes.reduce((sum, lane) => sum + lane.readings().breakerOpenings, 0),
      countedLocally: lanes.reduce((sum, lane) => sum + lane.readings().countedLocally, 0),
    }),
    pageStore: new PageStore(client, client.pagePrefix, degraded),
    close: () => {
      for (const lane of lanes) lane.close()
      client.close()
    },
  }
}

/** The place of a caller, the same in all processes: FNV-1a. */
function placeOf(caller: string, count: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < caller.length; at += 1) hash = Math.imul(hash ^ caller.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % count
}
