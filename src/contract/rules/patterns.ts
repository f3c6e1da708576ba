import { messageOf } from '../../failure.ts'
import type { Path } from '../model/node.ts'
import { automatonOf } from '../model/pattern/automaton.ts'
import { growthOf } from '../model/pattern/growth.ts'
import { isCostly } from '../model/pattern/look-around.ts'
import { patternOf } from '../model/pattern/pattern.ts'
import type { Schema } from '../model/schema.ts'
import { ofSchema, rule } from './rule.ts'

/** Patterns are regular expressions. */
export const patterns = rule({
  ...ofSchema,
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

/** No pattern has texts that engines take exponentially long to refuse, or this service more than linear time. */
export const costlyPatterns = rule({
  id: 'costly-patterns',
  on: 'schema',
  stage: 'schemas',
  level: 'warned',
  check: (schema, report) => {
    for (const { text, at } of patternsOf(schema)) {
      const engine = engineOf(text)
      const automaton = engine instanceof RegExp ? automatonOf(engine, { counted: true }) : undefined
      if (!automaton) continue
      const isExponential = growthOf(automaton) === 'exponential'
      const fix = 'Write it so that each text fits in one way.'
      const ways = 'Some texts fit parts of the pattern in so many ways that most engines never finish with them.'
      const why = 'because of its look-around, back references or word boundaries.'
      if (isExponential) report(at, automaton.isWhole ? ways : `${ways} So does this service, ${why}`, { fix })
      else if (!automaton.isWhole && !isShort(schema) && isCostly(engine as RegExp)) {
        const message = `The time to match the pattern may grow faster than the text, ${why}`
        const fixes = `Write it so that each text fits in one way from its start, or allow at most ${shortText} characters.`
        report(at, message, { fix: fixes })
      }
    }
  },
})

/** Texts of so many characters cost little with any pattern that is not exponential. */
const shortText = 256

function isShort(schema: Schema): boolean {
  return Number(schema.get('maxLength') ?? Infinity) <= shortText
}

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
