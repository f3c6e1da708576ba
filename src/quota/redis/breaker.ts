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

/**
 * A circuit breaker: the first failure opens it, and a successful probe closes it. Each change of state is logged once,
 * and while it is open each other kind of failure once.
 */
export function openBreaker(probe: () => Promise<void>, log: Log): Breaker {
  const logged = new Set<string>()
  let waitMs = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let openings = 0

  const report = (error: unknown): void => {
    const failure = describeFailure(error)
    // connections are lost between refusals, which is nothing new
    if (logged.has(failure) || (failure === silence && logged.size > 0)) return
    logged.add(failure)
    // only the code: the message may contain the address with its password
    log.warn({ reason: failureCode(error) }, `${failure}, quotas are counted in this process`)
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
    logged.clear()
    if (!closed) log.info('redis is back, quotas are shared')
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
  return 'redis refuses to count'
}

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
