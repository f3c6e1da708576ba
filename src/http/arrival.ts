import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import { atEndOfTurn } from '../event-loop.ts'

/** When the event loop has waited for longer than this since the last turn, in ms, no data was waiting. */
const idleMs = 100
/** The same for connections: a client that opens one after another must not seem to have opened all at once. */
const queueIdleMs = 10
/** The most connections that wait in the system (the default of `server.listen`). */
const backlog = 511

const connectionCame = Symbol('when the connection came')
type Connection = Duplex & { [connectionCame]?: { ms: number; busyPeriod: number } | undefined }

let turn = 0
let inTurn = false
let beganMs = -Infinity
let waitedMs = -Infinity
/** When data that is read in this turn came at the earliest. */
let dataMs = -Infinity
/** Counts the times between long waits. */
let busyPeriod = 0

let accepted = 0
let lastAcceptTurn = -1
/** When the first connection came of those that were accepted turn after turn. */
let queueMs = -Infinity
const acceptedMs = Array.from({ length: backlog }, () => -Infinity)

/** Notes when a connection came that is accepted now; called for every connection of the server. */
export function noteConnection(connection: Connection): void {
  const nowMs = performance.now()
  noteTurn(nowMs)
  if (turn - lastAcceptTurn > 1) queueMs = dataMs
  lastAcceptTurn = turn
  const place = accepted % backlog
  connection[connectionCame] = { ms: Math.max(queueMs, acceptedMs[place] ?? -Infinity), busyPeriod }
  acceptedMs[place] = nowMs
  accepted += 1
}

/**
 * The earliest time, in ms of `performance.now()`, at which a request came that is read now. While the event loop is busy,
 * data and connections wait in the system: data may have come since the turn before began, and of the connections libuv
 * accepts one in each turn. The first request of a connection may have come with it.
 */
export function earliestArrivalMs(connection: Connection, nowMs: number): number {
  noteTurn(nowMs)
  const first = connection[connectionCame]
  if (!first) return dataMs
  connection[connectionCame] = undefined
  return first.busyPeriod === busyPeriod ? Math.min(first.ms, dataMs) : dataMs
}

function noteTurn(nowMs: number): void {
  if (inTurn) return
  inTurn = true
  turn += 1
  const { idle } = performance.eventLoopUtilization()
  const pauseMs = idle - waitedMs
  waitedMs = idle
  if (pauseMs > queueIdleMs) lastAcceptTurn = -1
  if (pauseMs > idleMs) busyPeriod += 1
  dataMs = pauseMs > idleMs ? nowMs : beganMs
  beganMs = nowMs
  atEndOfTurn(() => {
    inTurn = false
  })
}
