import type { ChildProcess } from 'node:child_process'
import { endWithParent, forkScript } from './child-process.ts'

/** A process that answers one request at a time. */
export interface Worker<Request extends object, Result> {
  /**
   * Calls `request` with whether the process is new and so has no results of earlier requests. Rejects if the process
   * ends before its answer; the next call starts a new process.
   */
  ask: (request: (isNew: boolean) => Request) => Promise<Result>
  end: () => void
}

/** Starts a worker that runs a script of this folder. */
export function startWorker<Request extends object, Result>(script: string): Worker<Request, Result> {
  const start = (): ChildProcess => forkScript(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  let child = start()
  let isNew = true
  return {
    ask: (request) => {
      if (!child.connected) {
        child = start()
        isNew = true
      }
      const asked = child
      return new Promise((resolve, reject) => {
        const over = (): void => {
          reject(new Error('the check itself broke off.'))
        }
        asked.once('exit', over)
        asked.once('message', (result: Result) => {
          asked.off('exit', over)
          resolve(result)
        })
        asked.send(request(isNew))
        isNew = false
      })
    },
    end: () => {
      if (child.connected) child.disconnect()
    },
  }
}

/** Makes this process a worker: `answer` is called for each request. */
export function work(answer: (request: never) => Promise<object>): void {
  endWithParent(() => process.exit())
  process.on('message', (request) => {
    void answer(request as never).then((result) => process.send?.(result))
  })
}
