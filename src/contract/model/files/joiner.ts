import { posix } from 'node:path'
import type { Files } from './files.ts'
import { partsIn, sections, type Kind } from '../grammar.ts'
import { ContractReader, type File, type LostReference, type Target } from './reader.ts'
import type { Source } from './source.ts'
import { isNode, nodeOf, pointerOf, type Node, type Path } from '../node.ts'
import { isReference } from '../reference.ts'

/** A contract as one tree, made of its file and the files that it refers to. */
export interface Bundle {
  /** References lead to parts of this tree, but for those in `lost`. */
  root: unknown
  /** The names of all files, also of those that are not there, relative to the folder of the first one. */
  files: string[]
  /** The files that were read, the first one first. */
  sources: Source[]
  /** The references that lead to no file, or to nothing in it. */
  lost: LostReference[]
  /** The place of a value of the tree in the file that it comes from. */
  place: Source['place']
}

/** Where a part of the tree comes from. */
interface Origin {
  source: Source
  path: Path
  /** Whether the part stands where the reference stood, under its key. */
  inPlace: boolean
}

/**
 * Joins the files of a contract. What a reference to another file leads to becomes a component, named after its last key
 * or its file; path items, and components that are such a reference, are put in their place.
 */
export function bundleOf(first: Source, files: Files | undefined): Bundle {
  return new Joiner(new ContractReader(first, files)).join()
}

class Joiner {
  readonly #reader: ContractReader
  readonly #root: Node
  readonly #placed = new Map<string, Path>()
  readonly #origins = new Map<string, Origin>()
  readonly #open = new Set<string>()

  constructor(reader: ContractReader) {
    this.#reader = reader
    this.#root = nodeOf(reader.first.source.root)
  }

  join(): Bundle {
    const { first } = this.#reader
    this.#claimComponents()
    // the next line visits the same references again
    this.#reader.forgetLost()
    this.#part(this.#root, 'document', [], first)
    const { names, sources, lost } = this.#reader
    return { root: first.source.root, files: names, sources, lost, place: (path) => this.#place(path) }
  }

  /** Components that are references to other files give their names to what they lead to. */
  #claimComponents(): void {
    for (const { key: section, value, kind } of partsIn(nodeOf(this.#root.components), 'components')) {
      for (const [name, one] of Object.entries(nodeOf(value))) {
        const at = ['components', section, name]
        const target = isReference(one) ? this.#reader.targetOf(one.$ref, at, this.#reader.first) : undefined
        if (target && target.file.source !== this.#reader.first.source && !this.#placed.has(idOf(kind, target)))
          this.#placed.set(idOf(kind, target), at)
      }
    }
  }

  /** Returns what stands for a part in the tree. */
  #part(value: unknown, kind: Kind, at: Path, from: File): unknown {
    if (Array.isArray(value)) return value.map((one, index) => this.#part(one, kind, [...at, String(index)], from))
    if (!isNode(value)) return value
    if (isReference(value)) return this.#referred(value, kind, at, from)
    for (const { key, value: child, kind: of, isMap } of partsIn(value, kind)) {
      const next = isMap ? this.#named(child, of, [...at, key], from) : this.#part(child, of, [...at, key], from)
      if (next !== child) value[key] = next
    }
    if (kind === 'schema')
      this.#bundleMapping(nodeOf(value.discriminator).mapping, [...at, 'discriminator', 'mapping'], from)
    return value
  }

  #named(value: unknown, kind: Kind, at: Path, from: File): unknown {
    if (!isNode(value)) return value
    if (isReference(value)) {
      const target = this.#reader.targetOf(value.$ref, at, from)
      if (!target || target.file.source === this.#reader.first.source) return value
      return this.#put(target, at, (copy) => this.#named(copy, kind, at, target.file)) ?? value
    }
    for (const [name, child] of Object.entries(value)) {
      const next = this.#part(child, kind, [...at, name], from)
      if (next !== child) Object.defineProperty(value, name, { value: next, enumerable: true, writable: true })
    }
    return value
  }

  /** A mapping of a discriminator may name files. */
  #bundleMapping(mapping: unknown, at: Path, from: File): void {
    if (!isNode(mapping)) return
    for (const [name, value] of Object.entries(mapping)) {
      if (typeof value !== 'string' || !/#|\.(ya?ml|json)$/i.test(value)) continue
      const { $ref } = nodeOf(this.#referred({ $ref: value }, 'schema', [...at, name], from))
      Object.defineProperty(mapping, name, { value: $ref, enumerable: true, writable: true })
    }
  }

  #referred(reference: { $ref: string }, kind: Kind, at: Path, from: File): unknown {
    const target = this.#reader.targetOf(reference.$ref, at, from)
    // a reference that leads to nothing in its own file must not lead to a part of this one
    if (!target)
      return reference.$ref.startsWith('#') ? { ...reference, $ref: this.#localIn(from) + reference.$ref } : reference
    if (target.file.source === this.#reader.first.source) return { ...reference, $ref: `#${pointerOf(target.at)}` }
    const section = sections[kind]
    const id = idOf(kind, target)
    if (!this.#placed.has(id) && at.length === 3 && at[0] === 'components' && at[1] === section)
      this.#placed.set(id, at)
    const claimed = this.#placed.get(id)
    if (section === undefined || (claimed && pointerOf(claimed) === pointerOf(at))) {
      return this.#put(target, at, (copy) => this.#part(copy, kind, at, target.file)) ?? reference
    }
    const path = claimed ?? this.#placeComponent(target, kind, section)
    return path ? { ...reference, $ref: `#${pointerOf(path)}` } : reference
  }

  #localIn(file: File): string {
    return file.source === this.#reader.first.source ? '' : file.name
  }

  /** Makes a component of what a reference leads to; not if the components are no mapping. */
  #placeComponent(target: Target, kind: Kind, section: string): Path | undefined {
    const holder = mappingIn(mappingIn(this.#root, 'components'), section)
    if (!holder) return undefined
    const name = uniqueName(target.at.at(-1) ?? target.file.name, holder)
    const path = ['components', section, name]
    this.#placed.set(idOf(kind, target), path)
    this.#origins.set(pointerOf(path), { source: target.file.source, path: target.at, inPlace: false })
    // takes the name before its parts look for theirs
    holder[name] = {}
    holder[name] = this.#part(structuredClone(target.value), kind, path, target.file)
    return path
  }

  /** What a reference leads to, to be put in its place; undefined if that leads back to the place. */
  #put(target: Target, at: Path, read: (copy: unknown) => unknown): unknown {
    const id = `${pointerOf(at)} ${idOf('document', target)}`
    if (this.#open.has(id)) {
      this.#reader.lose(
        id,
        at,
        'The $ref leads back to itself, so it stands for nothing.',
        'Write the part itself there.',
      )
      return undefined
    }
    this.#open.add(id)
    this.#origins.set(pointerOf(at), { source: target.file.source, path: target.at, inPlace: true })
    const value = read(structuredClone(target.value))
    this.#open.delete(id)
    return value
  }

  #place(path: Path): string {
    for (let length = path.length; length > 0; length -= 1) {
      const origin = this.#origins.get(pointerOf(path.slice(0, length)))
      if (!origin || (origin.inPlace && length === path.length)) continue
      return origin.source.place([...origin.path, ...path.slice(length)])
    }
    return this.#reader.first.source.place(path)
  }
}

function idOf(kind: Kind, { file, at }: Target): string {
  return `${kind} ${file.name}#${pointerOf(at)}`
}

/** A name of a component (OpenAPI 3.0.3, Components Object) that is not taken: of a key, or of a file without its ending. */
function uniqueName(key: string, taken: Node): string {
  const name =
    posix
      .basename(key)
      .replace(/\.(ya?ml|json)$/i, '')
      .replace(/[^\w.-]+/g, '_') || 'part'
  let unique = name
  for (let digit = 2; unique in taken; digit += 1) unique = `${name}${digit}`
  return unique
}

/** The mapping under a key, which is made if there is nothing; undefined if it is something else. */
function mappingIn(node: Node | undefined, key: string): Node | undefined {
  if (node?.[key] === undefined && node) node[key] = {}
  return isNode(node?.[key]) ? node[key] : undefined
}
