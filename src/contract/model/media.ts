import { isJson, plainType } from './media-type.ts'
import { entriesOf, isNode, nodeOf, type Node, type Path } from './node.ts'
import type { Example, Schema, SchemaSource } from './schema.ts'
import { shapeOf } from './shape.ts'

/** What a body is, as handlers get and return it: a JSON value, an object of fields, a text, or bytes. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes'

/** What parts need of their contract: schemas, and the targets of references. */
export interface PartSource extends SchemaSource {
  /** An object, or the one that a reference leads to; undefined for anything else. */
  part: (value: unknown, at: Path) => { node: Node; at: Path } | undefined
}

/** A part that may have content: a body, an answer, or one that has a schema. */
export class Message {
  protected readonly source: PartSource

  /** The keywords as the contract has them. */
  readonly node: Node
  /** Where it stands, behind references. */
  readonly at: Path

  constructor(source: PartSource, node: Node, at: Path) {
    this.node = node
    this.at = at
    this.source = source
  }

  get required(): boolean {
    return this.node.required === true
  }

  /** The media types under `content`, in their order. */
  get content(): Media[] {
    return entriesOf(this.node.content).flatMap(([name, value]) => {
      const target = this.source.part(value, [...this.at, 'content', name])
      return target ? new Media(this.source, name, target.node, target.at) : []
    })
  }
}

/** A part that has a schema and examples of its values: a media type, a parameter or a header. */
export class Described extends Message {
  get schema(): Schema | undefined {
    const { schema } = this.node
    return isNode(schema) ? this.source.schema(schema, [...this.at, 'schema']) : undefined
  }

  get examples(): Example[] {
    const { example } = this.node
    const named = entriesOf(this.node.examples).flatMap(([name, one]): Example[] => {
      const target = this.source.part(one, [...this.at, 'examples', name])
      return target?.node.value === undefined ? [] : [{ name, at: [...target.at, 'value'], value: target.node.value }]
    })
    return example === undefined ? named : [{ at: [...this.at, 'example'], value: example }, ...named]
  }
}

/** The content of a body for one media type. */
export class Media extends Described {
  /** The media type as the contract has it, with its parameters. */
  readonly name: string

  constructor(source: PartSource, name: string, node: Node, at: Path) {
    super(source, node, at)
    this.name = name
  }

  /** The media type without its parameters, in lower case. */
  get type(): string {
    return plainType(this.name)
  }

  /** What a body is; undefined if the service can neither read nor write it. */
  get kind(): BodyKind | undefined {
    const { type } = this
    if (isJson(type)) return 'json'
    if (type === 'application/x-www-form-urlencoded') return 'form'
    if (type === 'multipart/form-data') return 'multipart'
    if (type.startsWith('multipart/')) return undefined
    const types = this.schema && shapeOf(this.schema).types
    // of a range of media types it is JSON
    if (types?.has('object') || types?.has('array')) return ['*/*', 'application/*'].includes(type) ? 'json' : undefined
    return type.startsWith('text/') ? 'text' : 'bytes'
  }

  /** The names of the fields that `encoding` describes. */
  get encoded(): string[] {
    return entriesOf(this.node.encoding).map(([field]) => field)
  }

  /** How a field of a form is written. */
  encoding(field: string): Node {
    return nodeOf(nodeOf(this.node.encoding)[field])
  }
}
