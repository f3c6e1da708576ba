import { isNode, ownValue, type Node, type Path } from './node.ts'
import { follow, locate, ReferenceCircle } from './reference.ts'

/**
 * A value of a document with its place, and with the document that its references lead into. What is not there, or is
 * not what is asked for, reads as empty.
 */
export class Value {
  /** The whole document. */
  readonly root: unknown
  readonly value: unknown
  readonly at: Path

  constructor(root: unknown, value: unknown, at: Path) {
    this.root = root
    this.value = value
    this.at = at
  }

  /** A whole document. */
  static of(root: unknown): Value {
    return new Value(root, root, [])
  }

  /** The value of a key that it has itself, and of further keys in that one. */
  field(...keys: string[]): Value {
    return new Value(this.root, this.get(...keys), [...this.at, ...keys])
  }

  /** What `field` has, without its place. */
  get(...keys: string[]): unknown {
    let inner = this.value
    for (const key of keys)
      inner = typeof inner === 'object' && inner !== null ? ownValue(inner as Node, key) : undefined
    return inner
  }

  get isThere(): boolean {
    return this.value !== undefined
  }

  /** The mapping that it is. */
  get node(): Node {
    return isNode(this.value) ? this.value : {}
  }

  /** The keys of a mapping. */
  get keys(): string[] {
    return Object.keys(this.node)
  }

  /** The keys and values of a mapping. */
  get entries(): [string, Value][] {
    return this.keys.map((key) => [key, this.field(key)])
  }

  /** The values of a list. */
  get items(): Value[] {
    return this.list.map((_, index) => this.field(String(index)))
  }

  /** What `items` has, without the places. */
  get list(): readonly unknown[] {
    return Array.isArray(this.value) ? (this.value as unknown[]) : []
  }

  get text(): string {
    return typeof this.value === 'string' ? this.value : ''
  }

  /** Another value in its place. */
  with(value: unknown): Value {
    return new Value(this.root, value, this.at)
  }

  /** The value of the document at a path, following references on the way but not the last one. */
  find(path: Path, open: readonly string[] = []): Value {
    const { value, at } = locate(this.root, path, open)
    return new Value(this.root, value, at)
  }

  /** The value that a reference leads to in the end; itself for any other. Throws `ReferenceCircle`. */
  get target(): Value {
    const { value, at } = follow(this.root, this)
    return new Value(this.root, value, at)
  }

  /** The target if it is a mapping; undefined also for a reference that leads nowhere or round in a circle. */
  get part(): Value | undefined {
    try {
      const { target } = this
      return isNode(target.value) ? target : undefined
    } catch (error) {
      if (error instanceof ReferenceCircle) return undefined
      throw error
    }
  }
}
