import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts a script beside this file in a process of its own. */
export function forkScript(script: string, options: ForkOptions): ChildProcess {
  return fork(fileURLToPath(new URL(script, import.meta.url)), [], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    ...options,
  })
}

/** Calls `end` when the process that has forked this one is gone, or wants no more of it. */
export function endWithParent(end: () => void): void {
  // a terminal sends it to every process; the first one tells the others when to end
  process.on('SIGINT', () => undefined)
  process.on('disconnect', end)
}
