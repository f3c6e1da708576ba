import { follow, locate, nodeOf, pathOf, pointerOf, type Node, type Path } from '../../../src/contract/document/tree.ts'
import { changeOf, type Change, type Judgement, type Level } from './change.ts'
import { annotations, lifeKeys, type Essences } from './normalised.ts'
import { lifeChanges, removal } from './life-cycle.ts'
import type { Side } from '../usage.ts'
import { changeWords, endOf, whereOf } from './wording.ts'

/** A change as `redocly diff --format json` reports it. */
export interface RawChange {
  /** How the thing is come to, by the keys of the new contract where it has it. */
  path: string
  typeName: string
  kind: 'added' | 'removed' | 'modified'
  impact: 'major' | 'minor' | 'patch'
  verdicts: { ruleId: string; message: string }[]
  /** Of a modified thing; `key` when it has another name. */
  property?: string
  base?: { pointer: string; value?: unknown }
  revision?: { pointer: string; value?: unknown }
}

/** A change with the places, in both contracts themselves, of the thing that was changed. */
interface Found extends RawChange {
  before: Path | undefined
  after: Path | undefined
}

const life = new Set(lifeKeys.values())
const lists: Record<string, { typeName: string; what: string }> = {
  SchemaProperties: { typeName: 'Schema', what: 'property' },
  HeadersMap: { typeName: 'Header', what: 'header' },
}
const plain = new Set(['response-removed', 'media-type-removed', 'request-body-removed', 'parameter-became-required'])
/** Rules on things that may be removed after their sunset. */
const mayEnd = new Set(['property-removed', 'parameter-removed', 'response-header-removed'])

/** Grades what redocly found in the essences. Edits of what only people read are counted, not listed. */
export function gradeChanges(
  raw: readonly RawChange[],
  { base, head, essences, today }: { base: Side; head: Side; essences: Essences; today: string },
): { changes: Change[]; editorial: number } {
  const found = raw.filter((change) => !isUnused(change)).map(place)
  const editorial = found.filter(({ property = '' }) => annotations.has(property))
  const others = withoutRenames(found.filter(({ property = '' }) => !annotations.has(property)))
  const lives = others.filter(({ property = '' }) => life.has(property))
  const rest = others.filter(({ property = '' }) => !life.has(property)).flatMap(itemsOf)
  const changes = [
    ...unique(lives.map((one) => ({ ...one, property: '', kind: 'modified' as const }))).flatMap(lifeOf),
    ...rest.flatMap((one) => {
      const verdicts = one.verdicts.length > 0 ? one.verdicts : [undefined]
      return verdicts.flatMap((verdict) => {
        const judgement = judge(one, verdict)
        return judgement ? tell(one, judgement) : []
      })
    }),
  ]
  const seen = new Map(changes.map((change) => [`${change.fingerprint} ${change.place.line}`, change]))
  return { changes: [...seen.values()], editorial: unique(editorial).length }

  /** The property's name is the last key of a pointer when the thing has the property. */
  function place(change: RawChange): Found {
    const at = (spot: RawChange['base']): string[] | undefined => {
      if (!spot) return undefined
      const path = pathOf(spot.pointer)
      return change.property !== undefined && change.property !== 'key' && spot.value !== undefined
        ? path.slice(0, -1)
        : path
    }
    const [before, after] = [at(change.base), at(change.revision)]
    return {
      ...change,
      before: before && essences.base.source(before, change.kind !== 'modified'),
      after: after && essences.head.source(after, change.kind !== 'modified'),
    }
  }

  function judge(change: Found, verdict: RawChange['verdicts'][number] | undefined): Judgement | undefined {
    const { kind, impact } = change
    const rule = verdict?.ruleId ?? ruleOf(change)
    let level = levelOf(change, rule, verdict ? 'breaking' : 'compatible')
    let what = essences.exact(wordsOf(change, verdict?.message))
    if (verdict && kind === 'removed' && mayEnd.has(rule)) {
      ;({ level, what } = removal(nodeAt(base, change.before), today))
    }
    if (rule === 'required-properties-removed' && kind === 'modified') {
      const kept = namesIn(verdict?.message ?? '').filter((name) => !hasGone(name, change.before, change.after))
      // the removal of the property itself is told already
      if (kept.length === 0) return undefined
      what = `no longer required: ${kept.join(', ')}`
    }
    const isFeature = level === 'risky' || verdict !== undefined || impact !== 'patch'
    return { rule, level, what, bump: level === 'breaking' ? 'major' : isFeature ? 'minor' : 'patch' }
  }

  function lifeOf(change: Found): Change[] {
    return lifeChanges(nodeAt(base, change.before), nodeAt(head, change.after), today).flatMap((judgement) => {
      const key = /^(sunset|stability)/.exec(judgement.rule)?.[0]
      return tell({ ...change, property: key === undefined ? 'deprecated' : `x-${key}` }, judgement)
    })
  }

  /** A change as it is reported, unless no operation of both contracts uses what was changed. */
  function tell(change: Found, judgement: Judgement): Change[] {
    const { before, after, property } = change
    // security that all operations share may be only one's own on the other side
    const shared = (path: Path | undefined): Path | undefined => (path?.[0] === 'security' ? path : undefined)
    const [mine, yours] = [before ?? shared(after), after ?? shared(before)]
    const users = [mine && base.usage(mine), yours && head.usage(yours)].filter((usage) => usage !== undefined)
    const operations = [...head.operations.values()].filter(
      ({ key }) => base.operations.has(key) && users.every(({ keys }) => keys.has(key)),
    )
    const at = after ?? before ?? []
    if (operations.length === 0) return []
    const side = after ? head : base
    const last = property === undefined || property === 'key' ? [] : [property]
    return [
      changeOf(judgement, {
        where: whereOf(side.document.root, at, new Set(users.flatMap(({ directions }) => [...directions]))),
        operations: operations.map(({ name }) => name),
        place: head.document.place(after ? [...after, ...last] : parentOf(change)),
        pointer: pointerOf(at),
      }),
    ]
  }

  /** Where the parent of something removed is now. */
  function parentOf({ path }: Found): Path {
    const { root, source } = essences.head
    return source(locate(root, pathOf(path).slice(0, -1)).at)
  }

  function hasGone(name: string, before: Path = [], after: Path = []): boolean {
    const has = (side: Side, at: Path): boolean =>
      Object.hasOwn(nodeOf(nodeOf(locate(side.document.root, at).value).properties), name)
    return has(base, before) && !has(head, after)
  }
}

/** The thing that stands at a place, or that a reference there leads to. */
function nodeAt({ document: { root } }: Side, at: Path = []): Node {
  return nodeOf(follow(root, locate(root, at)).value)
}

/** What is not part of what clients use: components as such, and parameters apart from the operations that have them. */
function isUnused({ path, kind, property, verdicts, base, revision }: RawChange): boolean {
  const at = pathOf((revision ?? base)?.pointer ?? path)
  if (at[0] === 'components' && at[1] === 'parameters') return verdicts.length === 0
  return at[0] === 'components' && at.length <= 3 && (kind !== 'modified' || property === 'key')
}

/**
 * redocly takes things with names half alike for one thing that was renamed. A client sees one go and another come, and
 * what differs between the two is of no interest.
 */
function withoutRenames(changes: readonly Found[]): Found[] {
  const renames = changes.filter(({ property }) => property === 'key')
  const isInside = ({ before, after }: Found, rename: Found): boolean =>
    startsWith(before, rename.before) || startsWith(after, rename.after)
  return changes.flatMap((change) => {
    if (renames.some((rename) => rename !== change && isInside(change, rename))) return []
    if (change.property !== 'key') return [change]
    const [from, to] = [change.before?.at(-1) ?? '', change.after?.at(-1) ?? '']
    if (change.typeName === 'Header' && from.toLowerCase() === to.toLowerCase()) return []
    const { property: _, ...thing } = change
    return [
      { ...thing, kind: 'removed' as const, after: undefined },
      { ...thing, kind: 'added' as const, before: undefined, verdicts: [], impact: 'minor' as const },
    ]
  })
}

function startsWith(path: Path | undefined, start: Path | undefined): boolean {
  return path !== undefined && start !== undefined && start.every((key, index) => path[index] === key)
}

/** All properties or headers that come or go together are as many changes. */
function itemsOf(change: Found): Found[] {
  const list = lists[change.typeName]
  if (!list || change.kind === 'modified') return [change]
  return Object.keys(nodeOf((change.revision ?? change.base)?.value)).map((name) => ({
    ...change,
    typeName: list.typeName,
    path: `${change.path}${pointerOf([name])}`,
    before: change.before && [...change.before, name],
    after: change.after && [...change.after, name],
  }))
}

function unique(changes: readonly Found[]): Found[] {
  const byPlace = changes.map((change): [string, Found] => {
    const { before = [], after = [], property = '' } = change
    return [[pointerOf(before), pointerOf(after), property].join(' '), change]
  })
  return [...new Map(byPlace).values()]
}

/** The end of the sentence on a change, with redocly's own words where it has some that say more than the kind does. */
function wordsOf({ kind, property, verdicts, base, revision }: Found, message: string | undefined): string {
  if (kind === 'modified') {
    return message === undefined ? changeWords(property ?? '', base?.value, revision?.value) : endOf(message)
  }
  if (message === undefined || verdicts.some(({ ruleId }) => plain.has(ruleId))) {
    return message?.startsWith('Required ') ? 'added, and required' : kind
  }
  return endOf(message)
}

function levelOf({ kind, typeName, property, before, after }: Found, rule: string, level: Level): Level {
  if (rule === 'enum-values-added' || property === 'default') return 'risky'
  if (typeName !== 'Response' || kind === 'modified') return level
  const isError = /^([45]|default$)/.test((after ?? before)?.at(-1) ?? '')
  if (isError) return 'compatible'
  return kind === 'added' ? 'risky' : level
}

/** The name of a change that redocly has no rule for. */
function ruleOf({ kind, typeName, property, before, after }: Found): string {
  if (kind === 'modified' && property !== undefined) return `${kebab(property)}-changed`
  const isProperty = (after ?? before)?.at(-2) === 'properties'
  return `${isProperty ? 'property' : kebab(typeName)}-${kind}`
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
}

/** The names that a sentence of redocly lists after its colon. */
function namesIn(sentence: string): string[] {
  return [...sentence.slice(sentence.indexOf(': ')).matchAll(/`([^`]*)`/g)].map(([, name = '']) => name)
}
