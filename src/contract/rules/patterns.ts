import { messageOf } from '../../failure.ts'
import type { Path } from '../model/node.ts'
import { automatonOf } from '../model/pattern/automaton.ts'
import { growthOf } from '../model/pattern/growth.ts'
import { patternOf } from '../model/pattern/pattern.ts'
import type { Schema } from '../model/schema.ts'
import { rule } from './rule.ts'

/** Patterns are regular expressions. */
export const patterns = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'schemas',
  level: 'refused',
  check: (schema, report) => {
    for (const { text, at } of patternsOf(schema)) {
      const engine = engineOf(text)
      if (engine instanceof RegExp) continue
      const why = messageOf(engine).replace(/^Invalid regular expression: .*: /, '')
      report(at, `The pattern is no regular expression: ${why}.`, { fix: 'Correct it.' })
    }
  },
})

/** No pattern has texts that engines take exponentially long to refuse. */
export const costlyPatterns = rule({
  id: 'costly-patterns',
  on: 'schema',
  stage: 'schemas',
  level: 'warned',
  check: (schema, report) => {
    for (const { text, at } of patternsOf(schema)) {
      const engine = engineOf(text)
      const automaton = engine instanceof RegExp ? automatonOf(engine, { counted: true }) : undefined
      if (!automaton || growthOf(automaton) !== 'exponential') continue
      const message = 'Some texts fit parts of the pattern in so many ways that most engines never finish with them.'
      const here = 'So does this service, because of its look-around, back references or word boundaries.'
      const fix = 'Write it so that each text fits in one way.'
      report(at, automaton.isWhole ? message : `${message} ${here}`, { fix })
    }
  },
})

/** The patterns of a schema for values and for names. */
function patternsOf(schema: Schema): { text: string; at: Path }[] {
  const pattern = schema.get('pattern')
  const named = [...schema.named('patternProperties').keys()].map((name) => ({
    text: name,
    keys: ['patternProperties', name],
  }))
  const all = typeof pattern === 'string' ? [...named, { text: pattern, keys: ['pattern'] }] : named
  return all.map(({ text, keys }) => ({ text, at: [...schema.at, ...keys] }))
}

/** The regular expression of a pattern, or why it is none. */
function engineOf(text: string): unknown {
  try {
    return patternOf(text)
  } catch (error) {
    return error
  }
}
