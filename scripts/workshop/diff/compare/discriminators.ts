import { pathOf, pointerOf } from '../../../../src/contract/model/node.ts'
import { isReference, pathOfReference } from '../../../../src/contract/model/reference.ts'
import type { Level } from '../change.ts'
import { changeWording } from '../wording.ts'
import { levelOf, narrower, tell, type Here } from './comparison.ts'
import type { Choice } from './parts.ts'
import type { Spot } from './spot.ts'

/** Compares the values by which clients and the service tell alternatives apart. */
export function compareDiscriminators(
  here: Here,
  from: Choice,
  to: Choice,
  pairs: readonly (readonly [Spot, Spot])[],
): void {
  const [old, now] = [from, to].map(({ holder }) => holder.field('discriminator'))
  if (!old || !now) return
  const say = (level: Level, what: string, aspect = ''): void => {
    const spots = { parent: to.holder, before: from.holder, after: to.holder, property: 'discriminator', aspect }
    tell(here, { rule: 'discriminator-changed', level, what }, spots)
  }
  const [name, nameNow] = [old.get('propertyName'), now.get('propertyName')]
  const isInBoth = name !== undefined && nameNow !== undefined
  if (name !== nameNow) {
    say(isInBoth ? 'breaking' : 'compatible', changeWording('discriminator', name, nameNow))
    return
  }
  for (const [before, after] of isInBoth ? pairs : []) {
    const [values, valuesNow] = [valuesOf(old.field('mapping'), before), valuesOf(now.field('mapping'), after)]
    const lost = values.filter((value) => !valuesNow.includes(value))
    const gained = valuesNow.filter((value) => !values.includes(value))
    const name = referenceIn(after)?.split('/').at(-1) ?? ''
    if (lost.length > 0 && gained.length > 0) {
      say(
        'breaking',
        `the discriminator value of ${name} changed from ${lost.join(', ')} to ${gained.join(', ')}`,
        name,
      )
    } else if (lost.length > 0) {
      say(levelOf(here.direction, narrower), `${name} lost the discriminator value ${lost.join(', ')}`, name)
    } else if (gained.length > 0) {
      // as for a value that an enum gains
      const level = here.direction === 'request' ? 'compatible' : 'risky'
      say(level, `${name} gained the discriminator value ${gained.join(', ')}`, name)
    }
  }
}

/** The values that stand for an alternative: those of the mapping, else its name. */
function valuesOf(mapping: Spot, alternative: Spot): string[] {
  const reference = referenceIn(alternative)
  if (reference === undefined) return []
  const name = pathOf(reference).at(-1) ?? ''
  const values = mapping.entries.flatMap(([value, { text }]) => {
    const isIt = text !== '' && (text === name || pointerOf(pathOfReference(text)) === reference)
    return isIt ? [value] : []
  })
  return values.length > 0 ? values : [name]
}

/** The pointer of the reference that an alternative is, also alone in an `allOf`. */
export function referenceIn(alternative: Spot): string | undefined {
  const [only, ...more] = alternative.field('allOf').items
  const { value } = only && more.length === 0 ? only : alternative
  return isReference(value) ? pointerOf(pathOfReference(value.$ref)) : undefined
}
