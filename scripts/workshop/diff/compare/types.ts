import { impliedTypes } from './choices.ts'
import { levelOf, narrower, noEffect, tell, wider, type Effect, type Here } from './comparison.ts'
import { commonTypes, typesOf } from './parts.ts'
import { typeEffect } from './keywords.ts'
import type { Nulls } from './nulls.ts'
import { tellKeyword, type Pair } from './pair.ts'
import { Spot, type Part } from './spot.ts'

/** What a change of null does. */
export function nullEffectOf(here: Here, pair: Pair): Effect {
  const [old, fresh] = pair.nulls ?? []
  if (!old || !fresh || old.isValid === fresh.isValid || here.isForm === true) return noEffect
  // no value that is sent as text is null unless a schema says so
  if (here.isText && impliedTypes(old.isValid ? pair.old : pair.now) === undefined) return noEffect
  if (old.isMeant !== fresh.isMeant) return fresh.isValid ? wider : narrower
  tellIgnoredNullable(here, pair.now[0])
  return noEffect
}

/** Reports once for all schemas that one contract has `nullable: true`, which means nothing there, and the other null. */
function tellIgnoredNullable(here: Here, holder: Part | undefined): void {
  if (!holder) return
  const whole = new Spot(holder, { shown: [], reference: holder.reference })
  const what =
    'null is written as a type in one version and by nullable, which means nothing in OpenAPI 3.1, in the other; it is taken as no change'
  const spots = { parent: whole, before: whole, after: whole, aspect: 'nullable' }
  tell(here, { rule: 'nullable-ignored', level: 'compatible', what }, spots)
}

/** Compares types and null. Returns whether there is more to compare: nothing else matters between an object and a string. */
export function compareTypes(
  here: Here,
  pair: Pair,
  { nullEffect, isDone }: { nullEffect: Effect; isDone: boolean },
): boolean {
  const { old, now, nulls } = pair
  const [said, saidNow] = [typesOf(old), typesOf(now)]
  const [implied, impliedNow] = [impliedTypes(old), impliedTypes(now)]
  const types = saidNow ? implied : said
  const typesNow = said ? impliedNow : saidNow
  // a type that alternatives or an enum have said before is not new
  const typed = isDone
    ? noEffect
    : withinBoth(typeEffect(types, typesNow, here.isText), typeEffect(implied, impliedNow, here.isText))
  const isOther = typed.narrows === true || typed.widens === true
  // a form is an object anyway
  const isObject =
    here.isForm === true && [types, typesNow].every((all) => [...(all ?? ['object'])].join() === 'object')
  const effect = {
    narrows: (typed.narrows === true && !isObject) || nullEffect.narrows === true,
    widens: typed.widens === true || nullEffect.widens === true,
  }
  if (!isOther && nullEffect === noEffect) return true
  const breaks = levelOf(here.direction, effect) === 'breaking'
  const how =
    !breaks || (effect.narrows && effect.widens) ? 'changed' : here.direction === 'request' ? 'narrowed' : 'widened'
  const isNamed = !isDone && types !== undefined && typesNow !== undefined
  const names = [typeNames(types, nulls?.[0]), typeNames(typesNow, nulls?.[1])]
  const what =
    isOther || isNamed
      ? `type ${how} from ${names.join(' to ')}`
      : `null was ${nullEffect.widens === true ? 'added' : 'removed'}`
  tellKeyword(here, pair, { keyword: isOther ? 'type' : 'nullable', rule: 'schema-type-changed', effect, what })
  const hasNone = types !== undefined && typesNow !== undefined && commonTypes(types, typesNow).size === 0
  return !(isOther && hasNone && (breaks || types.size === 0 || typesNow.size === 0))
}

/** The types of values that keywords say something of; all others say something of any value. */
const holders: Readonly<Record<string, readonly string[]>> = {
  number: ['minimum', 'maximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
  object: ['properties', 'propertyNames', 'patternProperties', 'minProperties', 'maxProperties'],
}

/** Whether a keyword says nothing of values that one of two schemas accepts by its types, unlike the other. */
export function isOfOne({ isText }: Here, { old, now }: Pair, keyword: string): boolean {
  const [type] = Object.entries(holders).find(([, keywords]) => keywords.includes(keyword)) ?? []
  const mayBe = (types: ReadonlySet<string> | undefined): boolean =>
    types === undefined || type === undefined || types.has(type) || (type === 'number' && types.has('integer'))
  return !(isText && type === 'string') && mayBe(typesOf(old)) !== mayBe(typesOf(now))
}

function typeNames(types: ReadonlySet<string> | undefined, nulls: Nulls | undefined): string {
  if (types === undefined) return 'any'
  const names = [...types, ...(nulls?.isValid === true ? ['null'] : [])]
  return names.length === 0 ? 'none that all its parts have' : names.join(' | ')
}

function withinBoth(one: Effect, other: Effect): Effect {
  return {
    narrows: one.narrows === true && other.narrows === true,
    widens: one.widens === true && other.widens === true,
  }
}
