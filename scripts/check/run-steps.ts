import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** A program with its arguments, and the name that it is told by. */
export interface Step {
  name: string
  command: readonly [program: string, ...args: string[]]
}

/**
 * Runs steps one after another, and writes a line for each: how it ended, and after how long. Stops at the first that
 * fails. Returns its exit code, 128 and the number of its signal if it was killed, or 0.
 */
export async function runSteps(steps: readonly Step[], write: (line: string) => void): Promise<number> {
  for (const step of steps) {
    const began = performance.now()
    const { how, code } = await end(step)
    write(`${step.name} ${how} after ${((performance.now() - began) / 1000).toFixed(1)} s`)
    if (code !== 0) return code
  }
  return 0
}

/** Runs a step to its end. */
function end({ command: [program, ...args] }: Step): Promise<{ how: string; code: number }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    child.on('error', ({ message }) => {
      resolve({ how: `could not be run (${message})`, code: 127 })
    })
    child.on('exit', (code, signal) => {
      if (signal) resolve({ how: `was killed by ${signal}`, code: 128 + constants.signals[signal] })
      else resolve({ how: code === 0 ? 'passed' : `failed with exit code ${String(code)}`, code: code ?? 1 })
    })
  })
}
