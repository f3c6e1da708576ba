import { removal } from '../life-cycle.ts'
import { levelOf, narrower, tell, wider, type Here } from './comparison.ts'
import { compareContent, compareValues } from './messages.ts'
import { compareDefaults } from './properties.ts'
import type { PairedOperation, Side } from './sides.ts'
import { compareSchemas } from './schemas.ts'
import { compareSerialization, type Serialization } from './serialization.ts'
import { compareByName } from './renames.ts'
import { partsOf, typesOf } from './parts.ts'
import { deref, orAny, spotAt, valuesIn, type Part, type Spot } from './spot.ts'
import { compareLife, compareRequired, compareTexts } from './texts.ts'

/** Compares the parameters of an operation, by their names. */
export function compareParameters(here: Here, before: PairedOperation, after: PairedOperation): void {
  const { base, head } = here.all
  const isRenamed = before.path !== after.path
  const old = parametersOf(ownersOf(base, before), isRenamed ? before.path : '')
  const now = parametersOf(ownersOf(head, after), isRenamed ? after.path : '')
  compareAll(here, [old, now], spotAt(head, [...after.at, 'parameters']))
}

/** Compares the parameters of requests that the service sends, by the path items and operations. */
export function compareSentParameters(here: Here, before: readonly Spot[], after: readonly Spot[]): void {
  const [last] = after.slice(-1)
  if (!last) return
  compareAll(here, [parametersOf(before, ''), parametersOf(after, '')], last.field('parameters'))
}

function ownersOf(side: Side, { at }: PairedOperation): Spot[] {
  return [spotAt(side, at.slice(0, -1)), spotAt(side, at)]
}

type Parameters = ReadonlyMap<string, Spot>

function compareAll(here: Here, [old, now]: readonly [Parameters, Parameters], parent: Spot): void {
  compareByName(here, {
    ...{ old, now, parent },
    rules: { added: 'parameter-added', removed: 'parameter-removed', renamed: 'parameter-renamed' },
    isDemanded: here.direction === 'request',
    canBeRenamed: (key) => !key.startsWith('path:'),
    nameOf: (after) => String(deref(here.all, after, after)[1].node.name),
    removalOf: (key, gone) => removalOf(here, key, gone),
    compare: (before, after) => {
      compareParameter(here, before, after)
    },
  })
}

function removalOf(here: Here, key: string, { node }: Part): ReturnType<typeof removal> {
  const judgement = removal(node, here.all.today)
  // the service refuses a query that it does not know, and ignores such a header
  const isIgnored = here.direction === 'request' && judgement.level === 'breaking' && /^(header|cookie)/.test(key)
  return isIgnored ? { level: 'risky', what: 'removed, so it has no effect' } : judgement
}

/** Headers that other parts of a contract declare (OpenAPI 3.0.3, parameter object). */
const ignored = ['header:accept', 'header:content-type', 'header:authorization']

/**
 * The parameters of a path item and its operation by keys such as `query:limit`. Those of a path that was written in
 * another way have their positions in it.
 */
function parametersOf(owners: readonly Spot[], path: string): Parameters {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const parameters = new Map<string, Spot>()
  for (const value of owners.flatMap((owner) => owner.field('parameters').items)) {
    const { node } = value.target
    const [place, name] = [String(node.in), String(node.name)]
    const position = place === 'path' ? names.indexOf(name) : -1
    const key = `${place}:${position >= 0 ? String(position) : place === 'header' ? name.toLowerCase() : name}`
    // a parameter of the operation overrides one of the path
    if (!ignored.includes(key)) parameters.set(key, value)
  }
  return parameters
}

function compareParameter(here: Here, old: Part, now: Part): void {
  const spots = { parent: now, before: old, after: now }
  compareTexts(here, [old], [now])
  compareLife(here, spots, old.node, now.node)
  compareRequired(here, 'parameter-became-required', old, now)
  const [form, formNow] = compareSerialization(here, old, now)
  if (form.content !== formNow.content) return
  if (old.node.content !== undefined) compareContent(here, old, now)
  else if (becameList(here, [old, form], [now, formNow])) compareWithItems(here, old, now)
  else compareValues({ ...here, isText: true }, old, now)
  const [schema, schemaNow] = [old.field('schema'), now.field('schema')]
  const isRead = here.direction === 'request' && old.node.required !== true
  if (isRead && schema.value !== undefined && schemaNow.value !== undefined)
    compareDefaults(here, [schema], [schemaNow])
}

/** Whether one value became a list that is written the same with one item: `name=value`, in the style form. */
function becameList(
  { all }: Here,
  [old, form]: readonly [Part, Serialization],
  [now, formNow]: readonly [Part, Serialization],
): boolean {
  const [parts, partsNow] = partsOf(all, [old.field('schema')], [now.field('schema')])
  const [types, typesNow] = [typesOf(parts), typesOf(partsNow)]
  const isLoose = [form, formNow].every(({ style, explode }) => style === 'form' && explode === true)
  return (
    isLoose &&
    types !== undefined &&
    !types.has('array') &&
    !types.has('object') &&
    [...(typesNow ?? [])].join() === 'array'
  )
}

function compareWithItems(here: Here, old: Part, now: Part): void {
  const [value, list] = [old.field('schema'), now.field('schema')]
  const [, parts] = partsOf(here.all, [value], [list])
  const needsMore = parts.some(({ node }) => Number(node.minItems ?? 0) > 1)
  const judgement = {
    rule: 'schema-type-changed',
    level: levelOf(here.direction, needsMore ? narrower : wider),
  } as const
  const spots = { parent: now, before: old, after: now, property: 'schema' }
  tell(here, { ...judgement, what: `one value became a list${needsMore ? ' of more' : ''}` }, spots)
  compareSchemas({ ...here, isText: true }, [value], orAny(valuesIn(parts, 'items'), list.field('items')))
}
