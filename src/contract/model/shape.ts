import { kept } from '../../kept.ts'
import { matcherOf, type Matcher } from './pattern/matcher.ts'
import type { Schema } from './schema.ts'

const shapes = new WeakMap<Schema, Shape>()

/** What a schema and its parts say of a value. */
export function shapeOf({ target }: Schema): Shape {
  return kept(shapes, target, () => new Shape([target]))
}

/** What one or several schemas, with those that they apply in place, say together of one value. */
export class Shape {
  /** All these schemas, each once. */
  readonly parts: readonly Schema[]

  constructor(schemas: readonly Schema[]) {
    this.parts = [...new Set(schemas.flatMap(({ parts }) => parts))]
  }

  /** Equal for shapes of the same schemas. */
  get key(): string {
    return this.parts.map((part) => idOf(part)).join()
  }

  /** The types that they name, without null. */
  get types(): ReadonlySet<string> {
    return new Set(this.parts.flatMap(({ types }) => types.filter((type) => type !== 'null')))
  }

  /** The shape of each property that they name. */
  get properties(): ReadonlyMap<string, Shape> {
    const found = new Map<string, Schema[]>()
    for (const { properties } of this.parts) {
      for (const [name, schema] of properties) {
        const known = found.get(name)
        if (known) known.push(schema)
        else found.set(name, [schema])
      }
    }
    return new Map(Array.from(found, ([name, schemas]) => [name, shapeOfAll(schemas)]))
  }

  /** The shape of the items of a list; undefined if they say nothing of them. */
  get items(): Shape | undefined {
    return shapeOrNothing(this.parts.flatMap(({ items }) => items ?? []))
  }

  /** The shapes of the first items of a list, by their position. */
  get firstItems(): Shape[] {
    const lists = this.parts.map((part) => part.schemas('prefixItems'))
    const length = Math.max(0, ...lists.map((list) => list.length))
    return Array.from({ length }, (_, index) => shapeOfAll(lists.flatMap((list) => list[index] ?? [])))
  }

  /** The schemas of properties whose names match a pattern. */
  get patterns(): { pattern: Matcher; shape: Shape }[] {
    return this.parts.flatMap((part) =>
      Array.from(part.named('patternProperties'), ([pattern, schema]) => ({
        pattern: matcherOf(pattern),
        shape: shapeOf(schema),
      })),
    )
  }

  /** The shape of properties that have no name in the contract; undefined if they say nothing of them. */
  get others(): Shape | undefined {
    return shapeOrNothing(this.#others.filter((others) => typeof others === 'object'))
  }

  /** Whether objects may have properties that have no name in the contract, because it says so. */
  get isOpen(): boolean {
    return this.#others.some((others) => others !== undefined && others !== false)
  }

  get #others(): (Schema | boolean | undefined)[] {
    return this.parts.flatMap((part) => [part.others('additionalProperties'), part.others('unevaluatedProperties')])
  }

  /** The names that they require. */
  get required(): ReadonlySet<string> {
    return new Set(this.parts.flatMap(({ required }) => required))
  }
}

function shapeOfAll(schemas: readonly Schema[]): Shape {
  const [first, ...others] = schemas
  return first && others.length === 0 ? shapeOf(first) : new Shape(schemas)
}

function shapeOrNothing(schemas: readonly Schema[]): Shape | undefined {
  return schemas.length > 0 ? shapeOfAll(schemas) : undefined
}

const ids = new WeakMap<Schema, number>()
let lastId = 0

function idOf(schema: Schema): number {
  return kept(ids, schema, () => (lastId += 1))
}
