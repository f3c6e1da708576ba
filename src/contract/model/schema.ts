import { isNull } from './files/dialect.ts'
import { applicatorOf, heldBy, inPlace, type Holding } from './keywords.ts'
import { entriesOf, isNode, listOf, ownValue, type Node, type Path } from './node.ts'
import { matcherOf, type Matcher } from './pattern/matcher.ts'
import { isReference, pathOfReference, type Resolved } from './reference.ts'

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
  readonly #written: Node
  #target: Schema | undefined
  #parts: readonly Schema[] | undefined
  #shape: Shape | undefined
  #size: number | undefined
  readonly #maps = new Map<string, ReadonlyMap<string, Schema>>()

  /** Where it is written; the place of the `$ref` for a reference. */
  readonly at: Path

  constructor(source: SchemaSource, written: Node, at: Path) {
    this.at = at
    this.#source = source
    this.#written = written
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
    return this.target.#written
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
    const known = target.#maps.get(keyword)
    if (known) return known
    const entries = entriesOf(this.get(keyword)).flatMap(([name, value]): [string, Schema][] =>
      isNode(value) ? [[name, this.#source.schema(value, [...target.at, keyword, name])]] : [],
    )
    const map = new Map(entries)
    target.#maps.set(keyword, map)
    return map
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

  /** What it and its parts say of a value. */
  get shape(): Shape {
    const { target } = this
    return (target.#shape ??= new Shape([target]))
  }

  /** How many values it has with all that it refers to; infinite if it contains itself. */
  get size(): number {
    const { target } = this
    if (target.#size !== undefined) return target.#size
    target.#size = Infinity
    target.#size = this.#sizeOf(target.#written)
    return target.#size
  }

  #sizeOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 1
    let size = 1
    for (const child of Object.values(value) as unknown[]) {
      const target = isReference(child) ? this.#source.resolve(child.$ref) : { value: child, at: [] }
      if ('why' in target) continue
      const isSchema = isReference(child) && isNode(target.value)
      size += isSchema ? this.#source.schema(target.value as Node, target.at).size : this.#sizeOf(target.value)
      if (size === Infinity) break
    }
    return size
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
    return new Map(Array.from(found, ([name, schemas]) => [name, shapeOf(schemas)]))
  }

  /** The shape of the items of a list; undefined if they say nothing of them. */
  get items(): Shape | undefined {
    return shapeOrNothing(this.parts.flatMap(({ items }) => items ?? []))
  }

  /** The shapes of the first items of a list, by their position. */
  get firstItems(): Shape[] {
    const lists = this.parts.map((part) => part.schemas('prefixItems'))
    const length = Math.max(0, ...lists.map((list) => list.length))
    return Array.from({ length }, (_, index) => shapeOf(lists.flatMap((list) => list[index] ?? [])))
  }

  /** The schemas of properties whose names match a pattern. */
  get patterns(): { pattern: Matcher; shape: Shape }[] {
    return this.parts.flatMap((part) =>
      Array.from(part.named('patternProperties'), ([pattern, schema]) => ({
        pattern: matcherOf(pattern),
        shape: schema.shape,
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

function shapeOf(schemas: readonly Schema[]): Shape {
  const [first, ...others] = schemas
  return first && others.length === 0 ? first.shape : new Shape(schemas)
}

function shapeOrNothing(schemas: readonly Schema[]): Shape | undefined {
  return schemas.length > 0 ? shapeOf(schemas) : undefined
}

const ids = new WeakMap<Schema, number>()
let lastId = 0

function idOf(schema: Schema): number {
  const known = ids.get(schema) ?? (lastId += 1)
  ids.set(schema, known)
  return known
}
