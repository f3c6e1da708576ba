import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from '@jest/globals'
import { arrivingText, eventually } from './wait.ts'

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
  /** Sends SIGTERM, and resolves as `ended` does. */
  stop: () => Promise<number | string | null>
}

/** What ends a process that is running, with those that it has started. */
const alive = new Set<() => Promise<unknown>>()

/** Kills the processes that the tests of this file have started and not ended, with those that they have started. */
export async function endAll(): Promise<void> {
  await Promise.all(Array.from(alive, (end) => end()))
}

/** A folder for the tests of a file. After the last test, their processes are ended and the folder is removed. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'))
  afterAll(async () => {
    await endAll()
    rmSync(folder, { recursive: true })
  })
  return folder
}

/** Gives the name of a new database file at each call. */
export function newFiles(folder: string): () => string {
  let files = 0
  return () => {
    files += 1
    return `${folder}/${files}.db`
  }
}

/** The same, each in a folder that holds nothing else. */
export function newFilesAlone(folder: string): () => string {
  let files = 0
  return () => {
    files += 1
    mkdirSync(`${folder}/${files}`)
    return `${folder}/${files}/x.db`
  }
}

/** Whether a command is there and succeeds. */
export function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** How a process runs. */
export interface ProcessOptions {
  /** By default the project's folder. */
  cwd?: string
  /** The whole environment except for `PATH`, which is always set. */
  env?: NodeJS.ProcessEnv
  /** A file descriptor to write the standard output to; `stdout` and `until` then see nothing. */
  stdout?: number
  /** Whether it leads a process group, which `stop` and `endAll` end as a whole. */
  group?: boolean
}

/** Starts a command, and collects what it prints. */
export function startCommand(
  command: string,
  args: readonly string[],
  { cwd = root, env = {}, stdout: descriptor, group = false }: ProcessOptions = {},
): Running {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', descriptor ?? 'pipe', 'pipe'],
    detached: group,
  })
  const [stdout, stderr] = [arrivingText(), arrivingText()]
  child.stdout?.setEncoding('utf8').on('data', stdout.add)
  child.stderr?.setEncoding('utf8').on('data', stderr.add)
  // a process may end before it has read its input
  child.stdin?.on('error', () => undefined)
  // when it has ended, another process may get its number
  const runs = (): boolean => child.exitCode === null && child.signalCode === null
  const kill = (signal: NodeJS.Signals): void => {
    if (group && runs()) process.kill(-(child.pid ?? NaN), signal)
    else child.kill(signal)
  }
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => {
      alive.delete(end)
      stdout.end()
      resolve(code ?? signal)
    })
  })
  const end = (): Promise<unknown> => {
    const started = runs() ? descendants(child.pid) : []
    kill('SIGKILL')
    for (const pid of started) sendSignal(pid, 'SIGKILL')
    // a process whose parent has ended is not found, and would keep the output open
    child.stdout?.destroy()
    child.stderr?.destroy()
    return ended
  }
  alive.add(end)
  return {
    child,
    stdout: stdout.text,
    stderr: stderr.text,
    until: (pattern) =>
      stdout.until(pattern).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}\n${stderr.text()}`, { cause: error })
      }),
    ended,
    stop: () => {
      kill('SIGTERM')
      return ended
    },
  }
}

/** Starts Node with TypeScript: `args` are a script and its arguments, or `--eval` and code. */
export function start(args: readonly string[], env: NodeJS.ProcessEnv = {}, options: ProcessOptions = {}): Running {
  return startCommand(process.execPath, ['--import', 'tsx', ...args], { env, ...options })
}

/** The result of a process that has ended. */
export interface Finished {
  code: number | string | null
  stdout: string
  stderr: string
}

/** Runs a command to its end, with this standard input. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
  input = '',
): Promise<Finished> {
  const { child, ended, stdout, stderr } = startCommand(command, args, options)
  child.stdin?.end(input)
  const code = await ended
  return { code, stdout: stdout(), stderr: stderr() }
}

/** Runs a script to its end, with this standard input. */
export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<Finished> {
  return runCommand(process.execPath, ['--import', 'tsx', ...args], { env }, input)
}

/** The processes that this one has started, and those that they have started. None where there is no `/proc`. */
export function descendants(pid: number | undefined): number[] {
  const children = readIfThere(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

/** The text of a file, empty when there is none. */
export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Sends a signal to a process that may have ended, and tells whether there was one. 0 only asks. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

export function isAlive(pid: number): boolean {
  return sendSignal(pid, 0)
}

/** Resolves once none of these processes exists. */
export async function gone(...pids: readonly number[]): Promise<void> {
  await eventually(() => !pids.some(isAlive))
}

export interface Server extends Running {
  /** The URL of the API root. */
  address: string
  port: number
}

/** Starts the service as a process on a free port, and waits until it listens. No load balancer has to notice its end. */
export async function serve(env: Record<string, string>): Promise<Server> {
  const running = start(['src/main.ts'], { PORT: '0', SHUTDOWN_DELAY_MS: '0', ...env })
  const [, address = '', port = ''] = await running.until(/"address":"(http:\/\/[^"]+:(\d+)\/v1)"[^\n]*"listening"/)
  return { ...running, address, port: Number(port) }
}
