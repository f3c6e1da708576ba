import { exactText } from '../../../../src/integers.ts'
import { pointerOf, type Node } from '../../../../src/contract/model/node.ts'
import type { Level } from '../change.ts'
import { lifeChanges } from '../life-cycle.ts'
import type { DiffRule } from '../rules.ts'
import { levelOf, narrower, tell, wider, type Here } from './comparison.ts'
import type { Spot } from './spot.ts'

/** Properties with texts for readers. */
const annotations = [
  ...['title', 'summary', 'description', 'termsOfService', 'contact', 'license', 'tags', 'externalDocs'],
  ...['example', 'examples', 'x-pattern-message'],
]

/** Counts the texts for readers that were edited. Of several parts, the first with a text counts. */
export function compareTexts({ into }: Pick<Here, 'into'>, before: readonly Spot[], after: readonly Spot[]): void {
  for (const key of annotations) {
    const [old, now] = [before, after].map((parts) => parts.find(({ node }) => node[key] !== undefined))
    if (exactText([old?.node[key]]) === exactText([now?.node[key]])) continue
    into.editorial.push(pointerOf([...((now ?? old)?.shown ?? []), key]))
  }
}

/** Reports how the life cycle of something has changed. */
export function compareLife(
  here: Here,
  spots: { parent: Spot; before: Spot; after: Spot },
  before: Node,
  after: Node,
): void {
  for (const judgement of lifeChanges(before, after, here.all.today)) {
    const key = /^(sunset|stability)/.exec(judgement.rule)?.[0]
    tell(here, judgement, { ...spots, property: key === undefined ? 'deprecated' : `x-${key}`, aspect: judgement.rule })
  }
}

/** Reports that a body, a parameter or a header became required or optional. */
export function compareRequired(here: Here, rule: DiffRule, before: Spot, after: Spot): void {
  const [was, is] = [before.node.required === true, after.node.required === true]
  if (was === is) return
  const judgement = { rule, level: levelOf(here.direction, is ? narrower : wider) }
  const what = is ? 'became required' : 'became optional'
  tell(here, { ...judgement, what }, { parent: after, before, after, property: 'required' })
}

/** Reports that a keyword has another value. No client depends on it, unless `level` says so. */
export function compareWhole(
  here: Here,
  property: 'links' | 'xml',
  before: Spot,
  after: Spot,
  level: Level = 'compatible',
): void {
  if (exactText([before.node[property]]) === exactText([after.node[property]])) return
  const judgement = { rule: `${property}-changed`, level, what: `${property} changed` } as const
  tell(here, judgement, { parent: after, before, after, property })
}
