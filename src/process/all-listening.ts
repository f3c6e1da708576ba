import cluster, { type Worker } from 'node:cluster'

const word = { workers: 'listening' }

/** In the supervisor: tells a worker that all of them listen. */
export function tellAllListening(worker: Worker): void {
  worker.send(word, () => undefined)
}

/** Resolves when all workers listen, of which this is one; at once in a process alone. */
export function allListening(): Promise<void> {
  if (!cluster.isWorker) return Promise.resolve()
  return new Promise((resolve) => {
    process.on('message', (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'workers' in message) resolve()
    })
  })
}
