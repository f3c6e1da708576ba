import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from '@jest/globals'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A process that a test has started. */
export interface Running {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  /** Resolves once the standard output matches; rejects when the process ends before. */
  until: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Its exit code, or the name of the signal that ended it. */
  ended: Promise<number | string | null>
}

const alive = new Set<Running>()

/** Ends whatever this file of tests has started and left running, as a failed test does. */
export async function endAll(): Promise<void> {
  const all = [...alive]
  for (const { child } of all) child.kill('SIGKILL')
  await Promise.all(all.map(({ ended }) => ended))
}

/** A folder for a file of tests. It goes when they are over, after the processes that they started. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
  afterAll(async () => {
    await endAll()
    rmSync(folder, { recursive: true })
  })
  return folder
}

/** Gives the name of a file that is not there yet, each time another one. */
export function newFiles(folder: string): () => string {
  let files = 0
  return () => {
    files += 1
    return `${folder}/${files}.db`
  }
}

/**
 * Starts Node with TypeScript in the project's folder: `args` are a script and its arguments, or `--eval` and code.
 * The process gets only the environment given here.
 */
export function start(args: readonly string[], env: Record<string, string> = {}): Running {
  return startProgram(process.execPath, ['--import', 'tsx', ...args], env)
}

/** Starts any program, with only the environment given here and PATH. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd: string = root,
): Running {
  const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  let wake: (() => void)[] = []
  let over = false
  const changed = (): void => {
    for (const one of wake) one()
    wake = []
  }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      changed()
    })
  }
  // writing to a process that has ended is no fault of the test
  child.stdin.on('error', () => undefined)
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => {
      over = true
      alive.delete(running)
      changed()
      resolve(code ?? signal)
    })
  })
  const running: Running = {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    until: async (pattern) => {
      for (;;) {
        const match = pattern.exec(text.stdout)
        if (match) return match
        if (over) throw new Error(`The process ended without ${pattern.source}:\n${text.stdout}${text.stderr}`)
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    ended,
  }
  alive.add(running)
  return running
}

/** Runs a script to its end. */
export async function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | string | null; stdout: string; stderr: string }> {
  const { child, ended, stdout, stderr } = start(args, env)
  child.stdin?.end()
  const code = await ended
  return { code, stdout: stdout(), stderr: stderr() }
}

export interface Server extends Running {
  /** Where the operations stand. */
  address: string
  port: number
}

/** Starts the service as a process on a free port, and waits until it listens. */
export async function serve(env: Record<string, string>): Promise<Server> {
  const running = start(['src/main.ts'], { PORT: '0', ...env })
  const [, address = '', port = ''] = await running.until(/"address":"(http:\/\/[^"]+:(\d+)\/v1)"[^\n]*"listening"/)
  return { ...running, address, port: Number(port) }
}
