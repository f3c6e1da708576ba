import { nodeOf } from '../../../../src/contract/model/node.ts'
import { follow } from '../../../../src/contract/model/reference.ts'
import { removal } from '../life-cycle.ts'
import { levelOf, narrower, tell, wider, type Here } from './comparison.ts'
import { compareContent, compareValues } from './messages.ts'
import { compareDefaults } from './properties.ts'
import type { PairedOperation } from './sides.ts'
import { typesOf } from './keywords.ts'
import { compareSchemas } from './schemas.ts'
import { compareSerialization, type Serialization } from './serialization.ts'
import { contentOf, goneContent, renamed, renamedKeys } from './renames.ts'
import { behind, inside, insides, orAny, partsOf, spotAt, valuesIn, type Part, type Spot } from './spot.ts'
import { compareLife, compareTexts } from './texts.ts'

/** Compares the parameters of an operation, by their names. */
export function compareParameters(here: Here, before: PairedOperation, after: PairedOperation): void {
  const { base, head } = here.all
  const isRenamed = before.path !== after.path
  const old = parametersOf(base.document.root, ownersOf(base.document.root, before), isRenamed ? before.path : '')
  const now = parametersOf(head.document.root, ownersOf(head.document.root, after), isRenamed ? after.path : '')
  compareByName(here, [old, now], spotAt(head.document.root, [...after.at, 'parameters']))
}

/** Compares the parameters of requests that the service sends, by the path items and operations. */
export function compareSentParameters(here: Here, before: readonly Spot[], after: readonly Spot[]): void {
  const [last] = after.slice(-1)
  if (!last) return
  const { base, head } = here.all
  const [old, now] = [parametersOf(base.document.root, before, ''), parametersOf(head.document.root, after, '')]
  compareByName(here, [old, now], inside(last, 'parameters'))
}

function ownersOf(root: unknown, { at }: PairedOperation): Spot[] {
  return [spotAt(root, at.slice(0, -1)), spotAt(root, at)]
}

type Parameters = ReadonlyMap<string, Spot>

function compareByName(here: Here, [old, now]: readonly [Parameters, Parameters], parent: Spot): void {
  const isSent = here.direction === 'response'
  const isDemanded = (spot: Spot): boolean => !isSent && behind(here.all, spot, spot)[1].node.required === true
  const [gone, fresh] = [old, now].map((all) => new Map([...all].filter(([key]) => !key.startsWith('path:'))))
  const renames = renamedKeys(gone ?? old, fresh ?? now, {
    gone: (spot) => goneContent(here, behind(here.all, spot, parent)[0]),
    fresh: (spot) => contentOf(behind(here.all, spot, spot)[1].node),
  })
  const freshNames = new Set(renames.values())
  for (const [key, spot] of now) {
    if (old.has(key) || freshNames.has(key)) continue
    const [level, what] = isDemanded(spot)
      ? (['breaking', 'added, and required'] as const)
      : (['compatible', 'added'] as const)
    tell(here, { rule: 'parameter-added', level, what }, { parent, after: spot })
  }
  for (const [key, spot] of old) {
    const other = now.get(key)
    if (other) {
      compareParameter(here, ...behind(here.all, spot, other))
      continue
    }
    const judgement = removalOf(here, key, behind(here.all, spot, parent)[0])
    const to = renames.get(key) ?? ''
    const after = now.get(to)
    if (after) {
      const isRequired = isDemanded(after)
      const added = isRequired ? 'breaking' : 'compatible'
      const told = renamed(String(behind(here.all, after, after)[1].node.name), {
        removed: judgement.level,
        added,
        isRequired,
      })
      tell(here, { rule: 'parameter-renamed', ...told }, { parent: after, before: spot })
    } else tell(here, { rule: 'parameter-removed', ...judgement }, { parent, before: spot })
  }
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
function parametersOf(root: unknown, owners: readonly Spot[], path: string): Parameters {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const parameters = new Map<string, Spot>()
  for (const [, spot] of owners.flatMap((owner) => insides(owner, 'parameters'))) {
    const node = nodeOf(follow(root, spot).value)
    const [place, name] = [String(node.in), String(node.name)]
    const position = place === 'path' ? names.indexOf(name) : -1
    const key = `${place}:${position >= 0 ? String(position) : place === 'header' ? name.toLowerCase() : name}`
    // a parameter of the operation overrides one of the path
    if (!ignored.includes(key)) parameters.set(key, spot)
  }
  return parameters
}

function compareParameter(here: Here, old: Part, now: Part): void {
  const spots = { parent: now, before: old, after: now }
  compareTexts(here, [old], [now])
  compareLife(here, spots, old.node, now.node)
  const [was, is] = [old.node.required === true, now.node.required === true]
  if (was !== is) {
    const judgement = {
      rule: 'parameter-became-required',
      level: levelOf(here.direction, is ? narrower : wider),
    } as const
    tell(here, { ...judgement, what: is ? 'became required' : 'became optional' }, { ...spots, property: 'required' })
  }
  const [form, formNow] = compareSerialization(here, old, now)
  if (form.content !== formNow.content) return
  if (old.node.content !== undefined) compareContent(here, old, now)
  else if (becameList(here, [old, form], [now, formNow])) compareWithItems(here, old, now)
  else compareValues({ ...here, isText: true }, old, now)
  const [schema, schemaNow] = [inside(old, 'schema'), inside(now, 'schema')]
  const isRead = here.direction === 'request' && !was
  if (isRead && schema.value !== undefined && schemaNow.value !== undefined)
    compareDefaults(here, [schema], [schemaNow])
}

/** Whether one value became a list that is written the same with one item: `name=value`, in the style form. */
function becameList(
  { all }: Here,
  [old, form]: readonly [Part, Serialization],
  [now, formNow]: readonly [Part, Serialization],
): boolean {
  const [parts, partsNow] = partsOf(all, [inside(old, 'schema')], [inside(now, 'schema')])
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
  const [value, list] = [inside(old, 'schema'), inside(now, 'schema')]
  const [, parts] = partsOf(here.all, [value], [list])
  const needsMore = parts.some(({ node }) => Number(node.minItems ?? 0) > 1)
  const judgement = {
    rule: 'schema-type-changed',
    level: levelOf(here.direction, needsMore ? narrower : wider),
  } as const
  const spots = { parent: now, before: old, after: now, property: 'schema' }
  tell(here, { ...judgement, what: `one value became a list${needsMore ? ' of more' : ''}` }, spots)
  compareSchemas({ ...here, isText: true }, [value], orAny(valuesIn(parts, 'items'), inside(list, 'items')))
}
