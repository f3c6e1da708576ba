import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { messageOf } from '../failure.ts'

const closingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const
export type ClosingSignal = (typeof closingSignals)[number]

/**
 * The signals that close-with-grace must not handle: the closing ones are handled here, and a fault in native code must
 * end the process at once. A handler would return to the faulting instruction, and the process would repeat it for ever.
 */
export const notByGrace = [
  ...closingSignals,
  ...(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP'] as const),
]

/** npm forwards a signal to its child, which may also get it from the terminal or systemd. Both come within this time. */
const forwardingMs = 500
/** Whether npm started this process; undefined until the defaults are installed. */
let isUnderNpm: boolean | undefined

/**
 * Sets what signals do until `onClosingSignal` is called. To be called before anything else is loaded; a second call does
 * nothing. `codeOf` gives the exit code after a signal that arrives so early.
 */
export function installSignalDefaults(env: NodeJS.ProcessEnv, codeOf: (signal: ClosingSignal) => number): void {
  if (isUnderNpm !== undefined) return
  isUnderNpm = env.npm_lifecycle_event !== undefined
  // otherwise Node opens its debugger
  process.on('SIGUSR1', () => undefined)
  releaseLostTerminals()
  // the kernel drops signals to process 1 of a container that have no handler
  if (process.pid !== 1) return
  for (const signal of closingSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(codeOf(signal))
    })
  }
}

/** Calls `close` for the first signal to close, and `kill` for the next one, which an impatient user sends. */
export function onClosingSignal(close: (signal: ClosingSignal) => void, kill: () => void): void {
  let first: { signal: ClosingSignal; ms: number } | undefined
  for (const signal of closingSignals) {
    process.on(signal, () => {
      const ms = performance.now()
      if (!first) {
        first = { signal, ms }
        close(signal)
      } else if (!isCopy(signal, first, ms)) kill()
    })
  }
}

/** Whether a signal is the first one again: a shell repeats the hang-up of its terminal, npm forwards what it gets. */
function isCopy(signal: ClosingSignal, first: { signal: ClosingSignal; ms: number }, ms: number): boolean {
  return signal === first.signal && (signal === 'SIGHUP' || (isUnderNpm === true && ms - first.ms < forwardingMs))
}

/** Whether close-with-grace closes because something was thrown, which may have been `undefined`. */
export function isFault(why: { err?: unknown }): boolean {
  return 'err' in why
}

/** Names a fault that came while the process closed after one, and that ends it at once. The log is too slow for it. */
export function tellSecondFault(error: unknown): void {
  process.stderr.write(`Another fault while closing: ${messageOf(error)}\n`)
}

/** The exit code of a service after a signal: 0 after an order to stop, otherwise one that makes a supervisor restart it. */
export function closedCode(signal: ClosingSignal | undefined): number {
  return signal === undefined || signal === 'SIGTERM' || signal === 'SIGINT' ? 0 : interruptedCode(signal)
}

/** The exit code of a command that a signal has interrupted, as shells give it. */
export function interruptedCode(signal: ClosingSignal): number {
  return 128 + constants.signals[signal]
}

/** At the exit Node restores the mode of its terminals. If one is gone it aborts, unless it is closed. */
function releaseLostTerminals(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  process.on('exit', () => {
    for (const descriptor of terminals) {
      if (isatty(descriptor)) continue
      try {
        closeSync(descriptor)
      } catch {
        // closed already
      }
    }
  })
}
