import type { ErrorObject } from 'ajv'
import { valueText } from '../../../integers.ts'
import { kept } from '../../../kept.ts'

type Faults = readonly ErrorObject[]

/**
 * What is remembered within one check of a value: the faults that a schema found in a part of it, and which parts are
 * equal. So a part that is checked several times costs one check.
 */
export class CheckMemory {
  #faults = new Map<unknown, WeakMap<object, Faults>>()
  #texts = new Map<string, number>()
  #ids = new WeakMap<object, number>()

  /** Forgets the check before. */
  begin(): void {
    if (this.#faults.size > 0) this.#faults = new Map()
    if (this.#texts.size === 0) return
    this.#texts = new Map()
    this.#ids = new WeakMap()
  }

  /** The faults of a value by a schema, which is named by its key or itself. */
  faults(schema: unknown, value: unknown, find: () => Faults): Faults {
    if (typeof value !== 'object' || value === null) return find()
    const ofSchema = kept(this.#faults, schema, () => new WeakMap<object, Faults>())
    return kept(ofSchema, value, find)
  }

  /** A number that only equal values of JSON share, also where one has its properties in another order. */
  identity(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#idOf(valueText(value))
    const known = this.#ids.get(value)
    if (known !== undefined) return known
    const text = Array.isArray(value)
      ? `[${value.map((item) => this.identity(item)).join()}]`
      : `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, field]) => `${JSON.stringify(name)}:${this.identity(field)}`)
          .join()}}`
    const id = this.#idOf(text)
    this.#ids.set(value, id)
    return id
  }

  #idOf(text: string): number {
    return kept(this.#texts, text, () => this.#texts.size)
  }
}
