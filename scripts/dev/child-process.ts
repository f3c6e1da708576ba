import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts a script of this folder in a new process. */
export function forkScript(script: string, options: ForkOptions): ChildProcess {
  return fork(fileURLToPath(new URL(script, import.meta.url)), [], {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    ...options,
  })
}

/** Calls `end` when the parent process has ended or disconnected. */
export function endWithParent(end: () => void): void {
  // a terminal sends SIGINT to all processes, but the parent decides when this one ends
  process.on('SIGINT', () => undefined)
  process.on('disconnect', end)
  // the parent may have ended before this process listened
  if (!process.connected) end()
}
