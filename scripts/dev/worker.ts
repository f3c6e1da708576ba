import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A process that answers one request at a time. */
export interface Worker<Request extends object, Result> {
  /**
   * `request` is told whether the process is new, and so knows of no request before. Rejects when the process ends over
   * it; the next request starts another.
   */
  ask: (request: (isNew: boolean) => Request) => Promise<Result>
  end: () => void
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A worker that runs a script beside this file. */
export function startWorker<Request extends object, Result>(script: string): Worker<Request, Result> {
  let child = start(script)
  let isNew = true
  return {
    ask: (request) => {
      if (!child.connected) {
        child = start(script)
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

function start(script: string): ChildProcess {
  return fork(fileURLToPath(new URL(script, import.meta.url)), [], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

/** Makes this process a worker. */
export function work(answer: (request: never) => Promise<object>): void {
  // the terminal sends it to every process, and the first one tells the others when to end
  process.on('SIGINT', () => undefined)
  process.on('disconnect', () => process.exit())
  process.on('message', (request) => {
    void answer(request as never).then((result) => process.send?.(result))
  })
}
