import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CheckRequest, Verdict } from './protocol.ts'

export interface Checker {
  /** For one request at a time. Rejects when the checker's process ends over it; the next request starts another. */
  check: (request: CheckRequest) => Promise<Verdict>
  end: () => void
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts the process that tells what edits mean. */
export function startChecker(): Checker {
  let child: ChildProcess | undefined
  return {
    check: (request) => {
      const isNew = !child?.connected
      const asked = child?.connected ? child : start()
      child = asked
      return new Promise((resolve, reject) => {
        const over = (): void => {
          reject(new Error('the check itself broke off.'))
        }
        asked.once('exit', over)
        asked.once('message', (verdict: Verdict) => {
          asked.off('exit', over)
          resolve(verdict)
        })
        // a new process knows nothing of the contract
        asked.send({ contract: request.contract || isNew } satisfies CheckRequest)
      })
    },
    end: () => {
      child?.disconnect()
    },
  }
}

function start(): ChildProcess {
  return fork(fileURLToPath(new URL('checker.ts', import.meta.url)), [], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}
