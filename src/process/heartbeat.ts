import type { Worker } from 'node:cluster'

/** How often the supervisor asks a worker whether it runs, in ms. */
const everyMs = 1000
/** A worker that misses so many questions hangs. A store may stop it for 10 s, as by locks or by a slow disk. */
const maxMissed = 15

const question = { heartbeat: 'asked' }
const answer = { heartbeat: 'answered' }

/** In a worker: answers the supervisor as long as the event loop turns. */
export function answerHeartbeats(): void {
  process.on('message', (message) => {
    if (isOf(question, message)) process.send?.(answer, undefined, undefined, () => undefined)
  })
}

/**
 * In the supervisor: calls `hangs` when a worker does not answer for `maxMissed` questions. Questions are counted and not
 * time, since a machine that was suspended stops all processes alike.
 */
export function watchHeartbeats(worker: Worker, hangs: () => void): void {
  let missed = 0
  worker.on('message', (message: unknown) => {
    if (isOf(answer, message)) missed = 0
  })
  const asking = setInterval(() => {
    missed += 1
    if (missed > maxMissed) {
      clearInterval(asking)
      hangs()
    } else worker.send(question, () => undefined)
  }, everyMs)
  worker.on('exit', () => {
    clearInterval(asking)
  })
}

function isOf({ heartbeat }: typeof question, message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'heartbeat' in message && message.heartbeat === heartbeat
}
