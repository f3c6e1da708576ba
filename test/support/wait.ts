import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once the condition holds. It is checked every 20 ms; after 100 s an error shows the condition. */
export async function eventually(holds: () => unknown): Promise<void> {
  const deadline = performance.now() + 100_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`After 100 s this does not hold: ${holds.toString()}`)
    await sleep(20)
  }
}

/** Text that arrives in pieces from a process or a connection. */
export interface ArrivingText {
  text: () => string
  add: (piece: string) => void
  /** Nothing more arrives. */
  end: () => void
  /** Resolves once the text matches; rejects when it ends before. */
  until: (pattern: RegExp) => Promise<RegExpExecArray>
}

export function arrivingText(): ArrivingText {
  let text = ''
  let ended = false
  const wake: (() => void)[] = []
  const changed = (): void => {
    for (const one of wake.splice(0)) one()
  }
  return {
    text: () => text,
    add: (piece) => {
      text += piece
      changed()
    },
    end: () => {
      ended = true
      changed()
    },
    until: async (pattern) => {
      for (;;) {
        const match = pattern.exec(text)
        if (match) return match
        if (ended) throw new Error(`It ended with ${JSON.stringify(text)} and not ${pattern.source}.`)
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
  }
}
