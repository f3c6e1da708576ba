import { spawn } from 'node:child_process'

/** Runs a program with the same output as this process. Gives its exit code, and rejects if a signal ended it. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === null) reject(new Error(`${program} was ended by ${signal ?? 'a signal'}.`))
      else resolve(code)
    })
  })
}
