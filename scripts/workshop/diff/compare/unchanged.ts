import { exactText } from '../../../../src/integers.ts'
import { kept } from '../../../../src/kept.ts'
import { pathOfReference } from '../../../../src/contract/model/reference.ts'
import { Value } from '../../../../src/contract/model/value.ts'
import type { PairedOperation, Sides } from './sides.ts'

/** Whether a part has the same text in both contracts, and the references in it. */
interface Pair {
  isSame: boolean
  references: readonly string[]
}

/**
 * Tells which operations both contracts write with the same text, and all that they refer to: there is nothing to
 * compare. Most edits change a few operations of many.
 */
export function unchanged({ base, head }: Sides): (before: PairedOperation, after: PairedOperation) => boolean {
  const [old, now] = [Value.of(base.document.root), Value.of(head.document.root)]
  const known = new Map<string, Pair>()
  let sameSchemas: boolean | undefined
  const isSameAt = (...path: string[]): boolean => exactText([old.get(...path)]) === exactText([now.get(...path)])
  const pairOf = (before: unknown, after: unknown): Pair => {
    const text = exactText([before])
    if (text !== exactText([after])) return { isSame: false, references: [] }
    const references = Array.from(text.matchAll(/"\$ref":"([^"]*)"/g), ([, reference = '']) => reference)
    // a discriminator may mean schemas that no reference names, so all schemas must be the same
    const isSame = !text.includes('"discriminator"') || (sameSchemas ??= isSameAt('components', 'schemas'))
    return { isSame, references }
  }
  const pairBehind = (reference: string): Pair => {
    const path = pathOfReference(reference)
    return kept(known, reference, () => pairOf(old.find(path).value, now.find(path).value))
  }
  const isSameAround =
    ['openapi', 'security', 'servers'].every((key) => isSameAt(key)) && isSameAt('components', 'securitySchemes')
  return (before, after) => {
    if (!isSameAround || before.name !== after.name) return false
    const [one, other] = [before, after].map(({ operation, item }) => [operation, item.parameters, item.servers])
    const pairs = [pairOf(one, other)]
    const reached = new Set<string>()
    // a list visits also what is added on the way
    for (const { isSame, references } of pairs) {
      if (!isSame) return false
      for (const reference of references) {
        if (reached.has(reference)) continue
        reached.add(reference)
        pairs.push(pairBehind(reference))
      }
    }
    return true
  }
}
