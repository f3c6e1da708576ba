import { exactText } from '../../../../src/integers.ts'
import type { Level } from '../change.ts'
import type { DiffRule } from '../rules.ts'
import { changeWording } from '../wording.ts'
import { levelOf, narrower, tell, type Here } from './comparison.ts'
import { enumOf, typesOf } from './parts.ts'
import { holderOf, type Part } from './spot.ts'

/** Compares the values that two schemas name. */
export function compareEnums(here: Here, old: readonly Part[], now: readonly Part[]): void {
  const [named, namedNow] = [enumOf(old), enumOf(now)]
  const [from, to] = [named ?? (namedNow && booleansOf(old)), namedNow ?? (named && booleansOf(now))]
  const [before, after] = [holderOf(old, 'enum'), holderOf(now, 'enum')]
  if (!after || (!from && !to)) return
  const isRequest = here.direction === 'request'
  const say = (level: Level, rule: DiffRule, what: string, aspect = ''): void => {
    tell(here, { rule, level, what }, { parent: after, before, after, property: 'enum', aspect })
  }
  if (!from || !to) {
    const rule = from ? 'enum-values-added' : 'enum-values-removed'
    const level = from ? (isRequest ? 'compatible' : 'risky') : levelOf(here.direction, narrower)
    say(level, rule, changeWording('enum', from && [...from.values()], to && [...to.values()]))
    return
  }
  const lost = [...from].flatMap(([text, value]) => (to.has(text) ? [] : [value]))
  const gained = [...to].flatMap(([text, value]) => (from.has(text) ? [] : [value]))
  const breaks = (isRequest ? lost : gained).length > 0
  if (breaks && isRequest) say('breaking', 'enum-values-removed', `enum lost values: ${list(lost)}`, 'lost')
  else if (breaks && gained.length === to.size && lost.length > 0) {
    say(
      'breaking',
      'enum-values-added',
      `all values of the enum were replaced: ${list(lost)} by ${list(gained)}`,
      'gained',
    )
  } else if (breaks) say('risky', 'enum-values-added', `enum gained values: ${list(gained)}`, 'gained')
  else if (lost.length + gained.length > 0) {
    const what = changeWording('enum', [...from.values()], [...to.values()])
    say('compatible', 'enum-changed', what, isRequest ? 'gained' : 'lost')
  } else if (before && isNullListed(before) === !(isNullListed(after) ?? isNullListed(before))) {
    say('compatible', 'enum-changed', changeWording('enum', before.node.enum, after.node.enum))
  }
}

/** Whether an enum that is nullable has null as well, which OpenAPI 3.0.3 asks for; undefined for another one. */
function isNullListed({ node: { nullable, enum: values } }: Part): boolean | undefined {
  return nullable === true && Array.isArray(values) ? values.includes(null) : undefined
}

/** The values of a schema that takes true and false alone. */
function booleansOf(parts: readonly Part[]): Map<string, unknown> | undefined {
  const isBoolean = [...(typesOf(parts) ?? [])].join() === 'boolean'
  return isBoolean ? new Map([true, false].map((value) => [exactText(value), value])) : undefined
}

function list(values: readonly unknown[]): string {
  return values.map(String).join(', ')
}
