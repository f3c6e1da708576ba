import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cores } from './machine.js'
import { start } from './processes.js'
import { spreadOf, sum, summary } from './statistics.js'

const script = fileURLToPath(new URL('../spin.js', import.meta.url))

/** A machine on which more than this happens is not quiet, and what was measured on it is not published. */
export const bounds = {
  /** The distance of the quartiles of the CPU time of a loop that only computes, as a part of its median. */
  spread: 0.05,
  /** The part of the cores that programs other than the bench took. */
  others: 0.05,
}

/**
 * Watches what else the machine does: `round` lets a loop that only computes run on the core of the servers, and `stop`
 * gives the spread of its times, the part of the cores that others took, and whether both are within the bounds.
 * Undefined parts are those that the system does not tell.
 */
export async function watchMachine() {
  const loop = start(process.execPath, [script], { core: cores?.server, channel: true })
  await loop.ask({})
  const before = cpuTicks()
  const times = []
  return {
    round: async () => void times.push((await loop.ask({})).ms),
    stop: async () => {
      const after = cpuTicks()
      await loop.stop()
      const spread = Number(spreadOf(summary(times)).toFixed(4))
      const others =
        before &&
        after &&
        Number(((after.busy - before.busy - (after.own - before.own)) / (after.all - before.all)).toFixed(4))
      return { spread, others, isQuiet: spread <= bounds.spread && (others === undefined || others <= bounds.others) }
    },
  }
}

/** Ticks of the cores since the start of the machine: all, busy ones, and those of the bench with all its processes. */
function cpuTicks() {
  let line
  try {
    ;[line] = readFileSync('/proc/stat', 'utf8').split('\n')
  } catch {
    return undefined
  }
  // user, nice, system, idle, iowait, irq, softirq, steal; the time of guests is in user already
  const [user, nice, system, idle, wait, irq, softirq, steal] = line.split(/ +/).slice(1).map(Number)
  const busy = user + nice + system + irq + softirq + steal
  return { all: busy + idle + wait, busy, own: sum(ownProcesses().map(({ ticks }) => ticks)) }
}

/** This process and all that descend from it, with the ticks of those of their children that have ended. */
function ownProcesses() {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        // the name, in parentheses, may itself have spaces; the parent is the second field after it
        const fields = stat
          .slice(stat.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number)
        return [{ pid: Number(pid), parent: fields[1], ticks: sum(fields.slice(11, 15)) }]
      } catch {
        return [] // it has ended meanwhile
      }
    })
  const own = all.filter(({ pid }) => pid === process.pid)
  for (const one of own) own.push(...all.filter(({ parent }) => parent === one.pid))
  return own
}
