import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { sum } from './statistics.js'

const ticksPerSecond = Number(output('getconf', ['CLK_TCK']) ?? 100)

/** CPU time that the threads of a process have used, in µs; undefined where there is no /proc. */
export function cpuUs(pid) {
  const nanoseconds = threadsOf(pid).map((thread) => Number(readProc(`${thread}/schedstat`)?.split(' ')[0]))
  const used = sum(nanoseconds) / 1000
  return used > 0 ? used : cpuTicksUs(pid)
}

/** The same for kernels that do not count it by the nanosecond; in steps of 10 ms. */
function cpuTicksUs(pid) {
  const stat = readProc(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // the name, in parentheses, may itself have spaces; utime and stime are the 12th and 13th field after it
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6
}

/** Resident memory of a process in MB; undefined where there is no /proc. */
export function residentMb(pid) {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6
}

/** The core for the server and the one for the load; undefined where processes cannot be pinned to two cores. */
export const cores = pinnableCores()

/** A command that runs pinned to a core. */
export function pinned(core, command, args) {
  return core === undefined ? [command, args] : ['taskset', ['-c', String(core), command, ...args]]
}

/** Keeps a process that runs already to a core, and those that it makes from now on. */
export function pin(pid, core) {
  if (core !== undefined) output('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

function isOnPath(command) {
  return output('which', [command]) !== undefined
}

export function describeMachine() {
  const [cpu] = cpus()
  return {
    Processor: `${cpu?.model.trim() ?? 'unknown'}, ${cpus().length} cores`,
    Memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    System: `${process.platform} ${release()}`,
    'Node.js': process.versions.node,
    npm: output('npm', ['--version']) ?? 'unknown',
    Cores: cores ? `server on core ${cores.server}, load on core ${cores.load}` : 'not pinned',
  }
}

function pinnableCores() {
  const list = /^Cpus_allowed_list:\s+(\S+)$/m.exec(readProc('/proc/self/status') ?? '')?.[1]
  const allowed = (list ?? '').split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  if (allowed.length < 2 || !isOnPath('taskset')) return undefined
  return { server: allowed[0], load: allowed[1] }
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  } catch {
    return []
  }
}

function readProc(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function output(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
