import { pathOf, pointerOf, type Path } from '../../../../src/contract/model/node.ts'
import { isReference } from '../../../../src/contract/model/reference.ts'
import { Value } from '../../../../src/contract/model/value.ts'
import type { Side, Sides } from './sides.ts'

/** How a change of a value is reported. */
interface Telling {
  /** The path that names it in messages. It differs from `at` behind a reference that only one contract has. */
  shown: Path
  /** The path of that reference, which is the place of all that is behind it. */
  reference: Path | undefined
}

/** A value of a contract, and how a change of it is reported. */
export class Spot extends Value implements Telling {
  readonly shown: Path
  readonly reference: Path | undefined

  constructor({ root, value, at }: Pick<Value, 'root' | 'value' | 'at'>, { shown, reference }: Telling) {
    super(root, value, at)
    this.shown = shown
    this.reference = reference
  }

  override field(...keys: string[]): Spot {
    const { root, at, shown, reference } = this
    const inner = { root, value: this.get(...keys), at: [...at, ...keys] }
    return new Spot(inner, { shown: [...shown, ...keys], reference })
  }

  override get entries(): [string, Spot][] {
    return this.keys.map((key) => [key, this.field(key)])
  }

  override get items(): Spot[] {
    return this.list.map((_, index) => this.field(String(index)))
  }

  override with(value: unknown): Spot {
    return new Spot({ root: this.root, value, at: this.at }, this)
  }
}

/** A value behind its reference. */
export class Part extends Spot {
  /** The pointer that the last reference on the way led to; empty without a reference. */
  readonly origin: string

  constructor(value: Pick<Value, 'root' | 'value' | 'at'>, telling: Telling, origin: string) {
    super(value, telling)
    this.origin = origin
  }

  override with(value: unknown): Part {
    return new Part({ root: this.root, value, at: this.at }, this, this.origin)
  }
}

/** The value at a path of one of two contracts. */
export function spotAt({ document }: Side, at: Path): Spot {
  const { root, value } = Value.of(document.root).find(at)
  return new Spot({ root, value, at }, { shown: at, reference: undefined })
}

/** The values of a keyword in the parts that have it. */
export function valuesIn(parts: readonly Spot[], ...keys: string[]): Spot[] {
  return parts.map((part) => part.field(...keys)).filter(({ isThere }) => isThere)
}

/** The given schemas, or the one that accepts everything. */
export function orAny(schemas: readonly Spot[], absent: Spot): readonly Spot[] {
  return schemas.length > 0 ? schemas : [absent.with({})]
}

/** The first part with a keyword, or else the first of all. */
export function holderOf(parts: readonly Part[], keyword: string): Part | undefined {
  return parts.find(({ node }) => node[keyword] !== undefined) ?? parts[0]
}

/**
 * Two values behind their references. If both lead to the same component, a change is reported there, else at the
 * reference.
 */
export function deref(all: Sides, before: Spot, after: Spot): [Part, Part] {
  const [old, now] = [partOf(before), partOf(after)]
  const isCommon = old.origin !== '' && now.origin !== '' && isSame(all, old.origin, now.origin)
  return isCommon ? [own(old), own(now)] : [old, now]
}

/** Whether two pointers lead to the same thing: they are equal, or one was renamed to the other. */
export function isSame({ base, head }: Sides, before: string, after: string): boolean {
  if (before === after) return true
  return !spotAt(head, pathOf(before)).isThere && !spotAt(base, pathOf(after)).isThere
}

/** The same part, whose changes are reported at its own place. */
export function own(part: Part): Part {
  return new Part(part, { shown: part.at, reference: undefined }, part.origin)
}

/** A value behind its reference; `origin` is that of what it is a part of. */
export function partOf(value: Spot, origin = ''): Part {
  if (!isReference(value.value)) return new Part(value, value, origin)
  const { target, shown, reference = [...value.at, '$ref'] } = value
  return new Part(target, { shown, reference }, pointerOf(target.at))
}
