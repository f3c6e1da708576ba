import { isNull } from './files/dialect.ts'
import { kept } from '../../kept.ts'
import { applicatorOf, heldBy, inPlace, type Holding } from './keywords.ts'
import { entriesOf, isNode, listOf, ownValue, type Node, type Path } from './node.ts'
import { isReference, pathOfReference, type Resolved } from './reference.ts'

/** An example, or what an example by name has as its value. */
export interface Example {
  /** The key in `examples`; absent for the one of `example`. */
  name?: string
  at: Path
  value: unknown
}

/** The contract that schemas belong to. */
export interface SchemaSource {
  resolve: (reference: string) => Resolved
  /** The schema that a value is; the same object for the same value. */
  schema: (value: Node, at: Path) => Schema
}

/**
 * A schema of the contract, in the one dialect of `files/dialect.ts`. A `$ref` is a schema that says what its target
 * says; one that leads to nothing accepts every value. What is not as JSON Schema says reads as if it were not there.
 */
export class Schema {
  /** The text of the `$ref` that stands here; undefined for a schema that is no reference. */
  readonly reference: string | undefined
  readonly #source: SchemaSource
  #target: Schema | undefined
  #parts: readonly Schema[] | undefined
  #size: number | undefined
  readonly #maps = new Map<string, ReadonlyMap<string, Schema>>()

  /** The keywords as the contract has them here; the `$ref` of a reference. */
  readonly written: Node
  /** Where it is written; the place of the `$ref` for a reference. */
  readonly at: Path

  constructor(source: SchemaSource, written: Node, at: Path) {
    this.at = at
    this.#source = source
    this.written = written
    this.reference = isReference(written) ? written.$ref : undefined
  }

  /** The schema that a reference leads to in the end; itself for any other. */
  get target(): Schema {
    if (this.reference === undefined) return this
    return (this.#target ??= this.#resolved(this.reference))
  }

  #resolved(reference: string): Schema {
    const found = this.#source.resolve(reference)
    if ('why' in found || !isNode(found.value)) return new Schema(this.#source, {}, this.at)
    return this.#source.schema(found.value, found.at)
  }

  /** The keywords as the contract has them, behind references. */
  get node(): Node {
    return this.target.written
  }

  /** The value of a keyword. */
  get(keyword: string): unknown {
    return ownValue(this.node, keyword)
  }

  has(keyword: string): boolean {
    return Object.hasOwn(this.node, keyword)
  }

  /** What a person would call it: the name of the component that a reference names, or its title. */
  get name(): string | undefined {
    if (this.reference !== undefined) return pathOfReference(this.reference).at(-1)
    const title = this.get('title')
    return typeof title === 'string' ? title : undefined
  }

  /** The types that it names, null among them. */
  get types(): string[] {
    return [this.get('type')].flat().filter((type) => typeof type === 'string')
  }

  get format(): string | undefined {
    const format = this.get('format')
    return typeof format === 'string' ? format : undefined
  }

  /** Whether `nullable: true` adds null to its type. */
  get isNullable(): boolean {
    return this.get('nullable') === true
  }

  /** Whether it allows nothing but null. */
  get isNull(): boolean {
    return isNull(this.node)
  }

  get isReadOnly(): boolean {
    return this.get('readOnly') === true
  }

  get isWriteOnly(): boolean {
    return this.get('writeOnly') === true
  }

  /** The values that it allows; undefined for any. */
  get enum(): readonly unknown[] | undefined {
    const values: unknown = this.get('enum')
    return Array.isArray(values) ? values : undefined
  }

  /** The names of properties that a value must have. */
  get required(): string[] {
    return listOf(this.get('required')).map(String)
  }

  /** The examples, or the one that stands for them in the dialect of the model. */
  get examples(): Example[] {
    const list = listOf(this.get('examples')).map((value, index) => ({
      at: [...this.target.at, 'examples', String(index)],
      value,
    }))
    if (list.length > 0 || !this.has('example')) return list
    return [{ at: [...this.target.at, 'example'], value: this.get('example') }]
  }

  /** The schema under a keyword that holds one; undefined for none, and for `true` and `false`. */
  schema(keyword: Holding<'schema'>): Schema | undefined {
    const value = this.get(keyword)
    return isNode(value) ? this.#source.schema(value, [...this.target.at, keyword]) : undefined
  }

  /** The schemas under a keyword that holds a list of them. */
  schemas(keyword: Holding<'schemas'>): Schema[] {
    return listOf(this.get(keyword)).flatMap((value, index) =>
      isNode(value) ? this.#source.schema(value, [...this.target.at, keyword, String(index)]) : [],
    )
  }

  /** The schemas under a keyword that holds them by names. */
  named(keyword: Holding<'schema{}'>): ReadonlyMap<string, Schema> {
    const { target } = this
    return kept(target.#maps, keyword, () => {
      const entries = entriesOf(this.get(keyword)).flatMap(([name, value]): [string, Schema][] =>
        isNode(value) ? [[name, this.#source.schema(value, [...target.at, keyword, name])]] : [],
      )
      return new Map(entries)
    })
  }

  get properties(): ReadonlyMap<string, Schema> {
    return this.named('properties')
  }

  get items(): Schema | undefined {
    return this.schema('items')
  }

  /** What other properties may be: any, none, or values of a schema; undefined if it does not say. */
  others(keyword: 'additionalProperties' | 'unevaluatedProperties'): Schema | boolean | undefined {
    const value = this.get(keyword)
    return typeof value === 'boolean' ? value : this.schema(keyword)
  }

  /** The property that tells alternatives apart, and the texts that name them; undefined without a discriminator. */
  get discriminator(): { propertyName: string; mapping: ReadonlyMap<string, string> } | undefined {
    const value = this.get('discriminator')
    if (!isNode(value) || typeof value.propertyName !== 'string') return undefined
    const mapping = entriesOf(value.mapping).map(([name, target]): [string, string] => [name, String(target)])
    return { propertyName: value.propertyName, mapping: new Map(mapping) }
  }

  /** Another schema of the contract, by a reference such as those of a discriminator's mapping. */
  refer($ref: string): Schema {
    return new Schema(this.#source, { $ref }, this.at)
  }

  /** The schemas that keywords hold directly, of those keywords alone if they are given. */
  held(keywords: readonly string[] = Object.keys(this.node)): Schema[] {
    return keywords.flatMap((keyword) =>
      heldBy(this.node, keyword).flatMap(({ keys, value }) =>
        isNode(value) ? this.#source.schema(value, [...this.target.at, ...keys]) : [],
      ),
    )
  }

  /** A copy of its keywords, with `make` of each schema that they hold directly in the place of that schema. */
  copy(make: (schema: Schema) => unknown): Node {
    const made = (value: unknown, ...keys: string[]): unknown =>
      isNode(value) ? make(this.#source.schema(value, [...this.target.at, ...keys])) : value
    const entries = Object.entries(this.node).map(([keyword, value]): [string, unknown] => {
      switch (applicatorOf(keyword)?.holds) {
        case 'schema':
          return [keyword, made(value, keyword)]
        case 'schemas':
          return [keyword, listOf(value).map((one, index) => made(one, keyword, String(index)))]
        case 'schema{}':
          return [keyword, Object.fromEntries(entriesOf(value).map(([name, one]) => [name, made(one, keyword, name)]))]
        default:
          return [keyword, structuredClone(value)]
      }
    })
    return Object.fromEntries(entries)
  }

  /** Itself and all schemas that in-place applicators apply to the same value, behind references, each once. */
  get parts(): readonly Schema[] {
    const { target } = this
    return (target.#parts ??= reached(target, (schema) => schema.held(inPlace)))
  }

  /** Itself and the schemas of its `allOf`, and of theirs, behind references, each once. */
  get conjuncts(): readonly Schema[] {
    return reached(this.target, (schema) => schema.schemas('allOf'))
  }

  /** How many values it has with all that it refers to; infinite if it contains itself. */
  get size(): number {
    const { target } = this
    // without recursion: there may be a long chain of references
    const open = target.#size === undefined ? [target] : []
    for (let schema = open.at(-1); schema; schema = open.at(-1)) {
      const { values, references } = schema.#content()
      const unknown = schema.#size === undefined ? references.filter((one) => one.#size === undefined) : []
      // what refers to one that is not known yet contains itself
      if (unknown.length > 0) schema.#size = Infinity
      else schema.#size = references.reduce((size, one) => size + (one.#size ?? 0), values)
      if (unknown.length > 0) open.push(...unknown)
      else open.pop()
    }
    return target.#size ?? 0
  }

  /** How many values it has itself, and what it refers to. */
  #content(): { values: number; references: Schema[] } {
    let values = 0
    const references: Schema[] = []
    const count = (value: unknown): void => {
      values += 1
      for (const child of typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : []) {
        const target = isReference(child) ? this.#source.resolve(child.$ref) : undefined
        if (target === undefined) count(child)
        else if ('why' in target) continue
        else if (isNode(target.value)) references.push(this.#source.schema(target.value, target.at))
        else values += 1
      }
    }
    count(this.written)
    return { values, references }
  }
}

/** Schemas that a step leads to from a first one, behind references, each once, the first one first. */
function reached(first: Schema, step: (schema: Schema) => readonly Schema[]): Schema[] {
  const found = new Set<Schema>()
  const add = ({ target }: Schema): void => {
    if (found.has(target)) return
    found.add(target)
    step(target).forEach(add)
  }
  add(first)
  return [...found]
}
