import { exactText } from '../../../../src/integers.ts'
import { Value } from '../../../../src/contract/model/value.ts'
import { levels, type Level } from '../change.ts'
import { removal } from '../life-cycle.ts'
import type { DiffRule } from '../rules.ts'
import { tell, type Here } from './comparison.ts'
import { deref, type Part, type Spot } from './spot.ts'

/** Keys that may differ between what is the same under two names. */
const texts = new Set(['name', 'required', 'title', 'description', 'example', 'examples', 'externalDocs'])

/** What values are, without their names and texts for readers; equal for what is the same. */
export function contentOf(...values: readonly unknown[]): string {
  const plain = values.map((value) =>
    Object.entries(Value.of(value).node)
      .filter(([key]) => !texts.has(key))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  return exactText(plain)
}

/** The content of something removed; undefined if it was removed as it should be, after its sunset. */
function goneContent({ all }: Here, { node }: Part): string | undefined {
  return removal(node, all.today).level === 'compatible' ? undefined : contentOf(node)
}

/** As `renamesOf`, of two mappings whose values have contents. What has none was not renamed. */
export function renamedKeys<T>(
  old: ReadonlyMap<string, T>,
  now: ReadonlyMap<string, T>,
  content: { gone: (value: T) => string | undefined; fresh: (value: T) => string | undefined },
): Map<string, string> {
  const contents = (
    all: ReadonlyMap<string, T>,
    others: ReadonlyMap<string, T>,
    of: (value: T) => string | undefined,
  ): Map<string, string> => {
    const found = [...all].filter(([key]) => !others.has(key)).map(([key, value]) => [key, of(value)] as const)
    return new Map(found.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])))
  }
  return renamesOf(contents(old, now, content.gone), contents(now, old, content.fresh))
}

/**
 * Pairs what is gone with what is new and has the same content: first by names that differ in case and signs,
 * then by those of which one is in the other, at last the only ones that are left. Gives the keys of new ones by those
 * that are gone.
 */
function renamesOf(gone: ReadonlyMap<string, string>, fresh: ReadonlyMap<string, string>): Map<string, string> {
  const renames = new Map<string, string>()
  const taken = new Set<string>()
  for (const isLike of likeness) {
    const isFit = (from: string, to: string): boolean =>
      gone.get(from) === fresh.get(to) && isLike(lettersOf(from), lettersOf(to))
    for (const from of gone.keys()) {
      if (renames.has(from)) continue
      const [to, ...more] = [...fresh.keys()].filter((one) => !taken.has(one) && isFit(from, one))
      if (to === undefined || more.length > 0) continue
      const rivals = [...gone.keys()].filter((one) => one !== from && !renames.has(one) && isFit(one, to))
      if (rivals.length > 0) continue
      renames.set(from, to)
      taken.add(to)
    }
  }
  return renames
}

const likeness: readonly ((one: string, other: string) => boolean)[] = [
  (one, other) => one === other,
  (one, other) => one.includes(other) || other.includes(one),
  () => true,
]

/** The letters and digits of a key, without the place of a parameter. */
function lettersOf(key: string): string {
  return key
    .slice(key.indexOf(':') + 1)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** What is compared by its name: the parameters of a request, or the headers of an answer. */
interface Named {
  old: ReadonlyMap<string, Spot>
  now: ReadonlyMap<string, Spot>
  /** Where they stand in the newer contract. */
  parent: Spot
  rules: Record<'added' | 'removed' | 'renamed', DiffRule>
  /** Whether a request without a required one is refused. */
  isDemanded: boolean
  canBeRenamed: (key: string) => boolean
  nameOf: (spot: Spot) => string
  removalOf: (key: string, gone: Part) => ReturnType<typeof removal>
  compare: (before: Part, after: Part) => void
}

/** Compares two mappings by their names. What is gone, and is the same as something new, is reported as renamed. */
export function compareByName(here: Here, named: Named): void {
  const { old, now, parent, rules, canBeRenamed } = named
  const isDemanded = (value: Spot): boolean =>
    named.isDemanded && deref(here.all, value, value)[1].node.required === true
  const [gone, fresh] = [old, now].map((all) => new Map([...all].filter(([key]) => canBeRenamed(key))))
  const renames = renamedKeys(gone ?? old, fresh ?? now, {
    gone: (value) => goneContent(here, deref(here.all, value, parent)[0]),
    fresh: (value) => contentOf(deref(here.all, value, value)[1].node),
  })
  const freshNames = new Set(renames.values())
  for (const [key, value] of now) {
    if (old.has(key) || freshNames.has(key)) continue
    const [level, what] = isDemanded(value)
      ? (['breaking', 'added, and required'] as const)
      : (['compatible', 'added'] as const)
    tell(here, { rule: rules.added, level, what }, { parent, after: value })
  }
  for (const [key, value] of old) {
    const other = now.get(key)
    if (other) {
      named.compare(...deref(here.all, value, other))
      continue
    }
    const judgement = named.removalOf(key, deref(here.all, value, parent)[0])
    const after = now.get(renames.get(key) ?? '')
    if (after) {
      const isRequired = isDemanded(after)
      const added = isRequired ? 'breaking' : 'compatible'
      const judged = renamed(named.nameOf(after), { removed: judgement.level, added, isRequired })
      tell(here, { rule: rules.renamed, ...judged }, { parent: after, before: value })
    } else tell(here, { rule: rules.removed, ...judgement }, { parent, before: value })
  }
}

/** The level and the words of a rename, from the levels that its removal and its addition would have. */
export function renamed(
  to: string,
  { removed, added, isRequired }: { removed: Level; added: Level; isRequired: boolean },
): { level: Level; what: string } {
  const level = levels.indexOf(removed) < levels.indexOf(added) ? removed : added
  const what = isRequired
    ? `seems renamed to ${to}, which is required; keep both, the new one not required and the old one deprecated with a sunset`
    : `seems renamed to ${to}; keep both, the old one deprecated with a sunset`
  return { level, what }
}
