import type { Log } from '../../log/log.ts'

/** The delay before a probe, in ms: the first one, which doubles after each failure, and the longest. */
const firstProbeMs = 250
const longestProbeMs = 4000

export interface Breaker {
  isOpen: () => boolean
  /** How often it has opened. */
  openings: () => number
  /** Reports a failure, which opens the breaker. */
  fail: (error: unknown) => void
  close: () => void
}

/** Tells the log when counts are shared, and when not. */
export interface SharingLog {
  /** Begins a time without Redis. Gives what reports a failure in it, and what ends it. */
  begin: () => { report: (error: unknown) => void; end: () => void }
}

/** Each change of state is logged once, and while counts are not shared each other kind of failure once. */
export function sharingLog(log: Log): SharingLog {
  const logged = new Set<string>()
  let without = 0
  return {
    begin: () => {
      without += 1
      return {
        report: (error) => {
          const failure = describeFailure(error)
          // connections are lost between refusals, which is nothing new
          if (logged.has(failure) || (failure === silence && logged.size > 0)) return
          logged.add(failure)
          // only the code: the message may contain the address with its password
          log.warn({ reason: failureCode(error) }, `${failure}, quotas are counted in this process`)
        },
        end: () => {
          without -= 1
          if (without > 0) return
          logged.clear()
          log.info('redis is back, quotas are shared')
        },
      }
    },
  }
}

/** A circuit breaker: the first failure opens it, and a successful probe closes it. */
export function openBreaker(probe: () => Promise<void>, sharing: SharingLog): Breaker {
  let outage: ReturnType<SharingLog['begin']> | undefined
  let waitMs = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let openings = 0

  const report = (error: unknown): void => {
    outage ??= sharing.begin()
    outage.report(error)
  }
  const retry = (): void => {
    waitMs = Math.min(waitMs === 0 ? firstProbeMs : waitMs * 2, longestProbeMs)
    timer = setTimeout(() => void attempt(), waitMs).unref()
  }
  const attempt = async (): Promise<void> => {
    try {
      await probe()
    } catch (error) {
      if (closed) return
      report(error)
      retry()
      return
    }
    timer = undefined
    waitMs = 0
    if (!closed) outage?.end()
    outage = undefined
  }

  return {
    isOpen: () => timer !== undefined,
    openings: () => openings,
    fail: (error) => {
      if (closed) return
      report(error)
      if (timer !== undefined) return
      openings += 1
      retry()
    },
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

const silence = 'redis does not answer'

/** A failure in words, with no text of the error but the number of a database. */
function describeFailure(error: unknown): string {
  if (!isReplyError(error)) return silence
  const { message, command } = error
  if (command?.name === 'select' && message.startsWith('ERR '))
    return `redis has no database ${String(command.args[0])}`
  const [, said] = misnamed.find(([pattern]) => pattern.test(message)) ?? []
  return said ?? 'redis refuses to count'
}

/** What Redis says to a REDIS_URL of another kind, and what is then to be done. */
const misnamed: readonly (readonly [pattern: RegExp, said: string])[] = [
  [/^(MOVED|ASK|CROSSSLOT)\b/, 'redis is a node of a cluster, and REDIS_URL must begin with redis+cluster'],
  [/^CLUSTERDOWN\b/, 'the cluster of redis has hash slots that no node serves'],
  [/cluster support disabled/, 'redis is no cluster, and REDIS_URL must begin with redis or redis+sentinel'],
  [/unknown command '?`?evalsha/i, 'redis is a Sentinel, and REDIS_URL must begin with redis+sentinel'],
]

/** An error reply of Redis. */
interface ReplyError extends Error {
  command?: { name: string; args: readonly (string | number)[] }
}

function isReplyError(error: unknown): error is ReplyError {
  return error instanceof Error && error.name === 'ReplyError'
}

function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : (/^[A-Z]+(?= )/.exec(error.message)?.[0] ?? error.name)
}
