import { automatonOf, type Automaton } from './automaton.ts'
import { marks } from './characters.ts'
import { growthOf } from './growth.ts'
import { patternOf } from './pattern.ts'

/** What a text is matched against. */
export interface Matcher {
  test: (text: string) => boolean
  /** The text of the pattern, by which Ajv knows it. */
  toString: () => string
}

/**
 * What matches a pattern of the contract in a time that grows as the text does. The engine of JavaScript backtracks, which
 * is faster and may take for ever: a pattern with which it could is matched in all ways at once (Thompson 1968). One with
 * look-around, back references or word boundaries is left to the engine.
 */
export const matcherOf = Object.assign(
  (pattern: string): Matcher => {
    const engine = patternOf(pattern)
    const shape = automatonOf(engine, { counted: false })
    if (!shape?.isWhole || growthOf(shape) === 'linear') return engine
    const automaton = automatonOf(engine, { counted: true })
    if (!automaton) return engine
    return { test: (text) => matches(automaton, text, engine.unicode), toString: () => String(engine) }
  },
  { code: 'new RegExp' },
)

/** Whether the automaton gets from its first states to a last one by the characters of a text. */
function matches({ characters, first, follow, last, isEmpty }: Automaton, text: string, unicode: boolean): boolean {
  if (isEmpty) return true
  const seenAt = new Int32Array(characters.length).fill(-1)
  let states: number[] = []
  let reached: number[] = []
  let step = 0
  const enter = (after: readonly number[], code: number): boolean => {
    for (const state of after) {
      if (seenAt[state] === step) continue
      seenAt[state] = step
      if (!characters[state]?.has(code)) continue
      if (last.has(state)) return true
      reached.push(state)
    }
    return false
  }
  const read = (code: number): boolean => {
    for (const state of states) if (enter(follow[state] ?? [], code)) return true
    ;[states, reached] = [reached, states]
    reached.length = 0
    step += 1
    return false
  }
  if (enter(first, marks.start)) return true
  ;[states, reached] = [reached, states]
  step += 1
  for (let at = 0; at < text.length && states.length > 0; at += 1) {
    const code = unicode ? Number(text.codePointAt(at)) : text.charCodeAt(at)
    if (read(code)) return true
    if (code > 0xffff) at += 1
  }
  return read(marks.end)
}
