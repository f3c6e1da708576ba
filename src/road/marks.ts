/** What a request waits for: the look-up of its key, its charge in Redis, its body, its handler; or for nothing. */
export type Part = 'key' | 'quota' | 'body' | 'handler' | 'rest'

/** What a request did from then on, as `performance.now()` has it. */
export interface Mark {
  part: Part
  atMs: number
}

export function begin(marks: Mark[], part: Part): void {
  // what waits for nothing goes on
  if (part === 'rest' && (marks.at(-1)?.part ?? 'rest') === 'rest') return
  marks.push({ part, atMs: performance.now() })
}

/** The parts that a request waited for, in their order. The last one may have lasted until the end. */
export function spansOf(marks: readonly Mark[], endMs: number): { part: Part; fromMs: number; toMs: number }[] {
  return marks
    .map(({ part, atMs }, index) => ({ part, fromMs: atMs, toMs: marks[index + 1]?.atMs ?? endMs }))
    .filter(({ part }) => part !== 'rest')
}

/** How long each part of a request took, in ms: `keyMs`, `quotaMs`, `bodyMs`, `handlerMs`, and `restMs`. */
export function partsOf(marks: readonly Mark[], beganMs: number, endMs: number): Record<string, number> {
  const spans = spansOf(marks, endMs).map(({ part, fromMs, toMs }) => [`${part}Ms`, toMs - fromMs] as const)
  const waitedMs = spans.reduce((sum, [, ms]) => sum + ms, 0)
  return Object.fromEntries([...spans, ['restMs', Math.max(0, endMs - beganMs - waitedMs)]])
}
