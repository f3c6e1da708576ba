import { follow, locate, nodeOf, pathOf, pointerOf, type Node, type Path } from '../../../src/contract/document/tree.ts'
import { changeOf, type Change, type Judgement, type Level } from './change.ts'
import { annotations, lifeKeys, type NormalisedPair } from './normalised.ts'
import { lifeChanges, removal } from './life-cycle.ts'
import type { Side } from '../usage.ts'
import { changeWording, endOf, whereOf } from './wording.ts'

/** A change as `redocly diff --format json` reports it. */
export interface RawChange {
  /** A pointer to the changed thing, with the keys of the new contract if it is there. */
  path: string
  typeName: string
  kind: 'added' | 'removed' | 'modified'
  impact: 'major' | 'minor' | 'patch'
  verdicts: { ruleId: string; message: string }[]
  /** The changed property of a modified thing; `key` when the thing has another name. */
  property?: string
  base?: { pointer: string; value?: unknown }
  revision?: { pointer: string; value?: unknown }
}

/** A change with the paths of the changed thing in both original contracts. */
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
/** Rules for things that may be removed after their sunset. */
const mayEnd = new Set(['property-removed', 'parameter-removed', 'response-header-removed'])

/** Grades the changes that redocly found. Edits of texts for readers are counted and not listed. */
export function gradeChanges(
  raw: readonly RawChange[],
  { base, head, normalised, today }: { base: Side; head: Side; normalised: NormalisedPair; today: string },
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

  /** A pointer ends with the name of the property if the thing has it. */
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
      before: before && normalised.base.source(before, change.kind !== 'modified'),
      after: after && normalised.head.source(after, change.kind !== 'modified'),
    }
  }

  function judge(change: Found, verdict: RawChange['verdicts'][number] | undefined): Judgement | undefined {
    const { kind, impact } = change
    const rule = verdict?.ruleId ?? ruleOf(change)
    let level = levelOf(change, rule, verdict ? 'breaking' : 'compatible')
    let what = normalised.exact(wordingOf(change, verdict?.message))
    if (verdict && kind === 'removed' && mayEnd.has(rule)) {
      ;({ level, what } = removal(nodeAt(base, change.before), today))
    }
    if (rule === 'required-properties-removed' && kind === 'modified') {
      const kept = namesIn(verdict?.message ?? '').filter((name) => !hasGone(name, change.before, change.after))
      // the removal of the property is another change
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

  /** The change for the report; none if no operation of both contracts uses the changed thing. */
  function tell(change: Found, judgement: Judgement): Change[] {
    const { before, after, property } = change
    // security of all operations in one contract may be security of one operation in the other
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

  /** The path of the parent of something removed, in the new contract. */
  function parentOf({ path }: Found): Path {
    const { root, source } = normalised.head
    return source(locate(root, pathOf(path).slice(0, -1)).at)
  }

  function hasGone(name: string, before: Path = [], after: Path = []): boolean {
    const has = (side: Side, at: Path): boolean =>
      Object.hasOwn(nodeOf(nodeOf(locate(side.document.root, at).value).properties), name)
    return has(base, before) && !has(head, after)
  }
}

/** The node at a path, or the node that a reference there leads to. */
function nodeAt({ document: { root } }: Side, at: Path = []): Node {
  return nodeOf(follow(root, locate(root, at)).value)
}

/** Whether clients do not use the changed thing itself, such as a component; its uses are changes of their own. */
function isUnused({ path, kind, property, verdicts, base, revision }: RawChange): boolean {
  const at = pathOf((revision ?? base)?.pointer ?? path)
  if (at[0] === 'components' && at[1] === 'parameters') return verdicts.length === 0
  return at[0] === 'components' && at.length <= 3 && (kind !== 'modified' || property === 'key')
}

/**
 * redocly takes two things with similar names for one that was renamed. For a client one was removed and another added,
 * and the differences between the two do not matter.
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

/** Splits a change of all properties or headers at once into one change for each. */
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

/** The end of the sentence about a change: redocly's own if it says more than the kind of the change. */
function wordingOf({ kind, property, verdicts, base, revision }: Found, message: string | undefined): string {
  if (kind === 'modified') {
    return message === undefined ? changeWording(property ?? '', base?.value, revision?.value) : endOf(message)
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

/** The name of the rule for a change that redocly has no rule for. */
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
