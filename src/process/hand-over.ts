import type { Worker } from 'node:cluster'

/** The connection that node:cluster hands over with a message, and closes when the worker has acknowledged it. */
interface Handle {
  close: () => void
}

interface ClusterMessage {
  act?: unknown
  seq?: unknown
  ack?: unknown
}

/**
 * Closes the connections that a worker was given and had not taken when it ended. node:cluster forgets them: their
 * clients would wait for ever, and the supervisor would keep a descriptor of each. node:cluster does not document these
 * messages; if they change, nothing is closed.
 */
export function closeUntaken(worker: Worker): void {
  const child = worker.process
  const untaken = new Map<unknown, Handle>()
  const send = child.send.bind(child) as (message: ClusterMessage, handle?: Handle, ...others: unknown[]) => boolean
  child.send = (message: ClusterMessage, handle?: unknown, ...others: unknown[]) => {
    const given = handle as Handle | undefined
    if (message.act === 'newconn' && given) untaken.set(message.seq, given)
    return send(message, given, ...others)
  }
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    untaken.delete(ack)
  })
  worker.on('exit', () => {
    for (const handle of untaken.values()) handle.close()
  })
}
