import { posix } from 'node:path'
import { maxFileBytes, type Files, type Unread } from './files.ts'
import { partsIn, sections, type Kind } from '../grammar.ts'
import { nearest, nearestTo } from '../nearest.ts'
import { sourceOf, type Source } from './source.ts'
import { isNode, nodeOf, pointerOf, type Node, type Path, type Spot } from '../node.ts'
import { isReference, locate, pathOfReference } from '../reference.ts'

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

/** A file, with its name relative to the folder of the contract. */
/** A reference to a file, or to a part of one, that is not there. */
export interface LostReference {
  /** The keys from the root of the contract to the `$ref`. */
  at: Path
  message: string
  fix: string
}

interface File {
  name: string
  source: Source
}

/** What a reference leads to. */
interface Target extends Spot {
  file: File
}

/** Where a part of the tree comes from. */
interface Origin {
  source: Source
  path: Path
  /** Whether the key of the part is still that of the reference. */
  inPlace: boolean
}

/**
 * Joins the files of a contract. What a reference to another file leads to becomes a component, named after its last key
 * or its file; path items, and components that are such a reference, are put in their place.
 */
export function bundleOf(first: Source, files: Files | undefined): Bundle {
  const root = nodeOf(first.root)
  const own = /[^/:\\]*$/.exec(first.name)?.[0] ?? ''
  const prefix = first.name.slice(0, first.name.length - own.length)
  const opened = new Map<string, File | Unread>([[own, { name: own, source: first }]])
  const placed = new Map<string, Path>()
  const origins = new Map<string, Origin>()
  const lost = new Map<string, LostReference & { count: number }>()
  const open = new Set<string>()

  claimComponents()
  // told again by the next line
  lost.clear()
  part(root, 'document', [], { name: own, source: first })
  return {
    root: first.root,
    files: [...opened.keys()],
    sources: [...opened.values()].flatMap((file) => (typeof file === 'object' ? file.source : [])),
    lost: Array.from(lost.values(), ({ count, ...one }) =>
      count === 1 ? one : { ...one, message: `${one.message} It is used ${count} times.` },
    ),
    place,
  }

  /** Components that are references to other files give their names to what they lead to. */
  function claimComponents(): void {
    for (const { key: section, value, kind } of partsIn(nodeOf(root.components), 'components')) {
      for (const [name, one] of Object.entries(nodeOf(value))) {
        const at = ['components', section, name]
        const target = isReference(one) ? targetOf(one.$ref, at, { name: own, source: first }) : undefined
        if (target && target.file.source !== first && !placed.has(idOf(kind, target)))
          placed.set(idOf(kind, target), at)
      }
    }
  }

  /** Returns what stands for a part in the tree. */
  function part(value: unknown, kind: Kind, at: Path, from: File): unknown {
    if (Array.isArray(value)) return value.map((one, index) => part(one, kind, [...at, String(index)], from))
    if (!isNode(value)) return value
    if (isReference(value)) return referred(value, kind, at, from)
    for (const { key, value: child, kind: of, isMap } of partsIn(value, kind)) {
      const next = isMap ? named(child, of, [...at, key], from) : part(child, of, [...at, key], from)
      if (next !== child) value[key] = next
    }
    if (kind === 'schema') bundleMapping(nodeOf(value.discriminator).mapping, [...at, 'discriminator', 'mapping'], from)
    return value
  }

  function named(value: unknown, kind: Kind, at: Path, from: File): unknown {
    if (!isNode(value)) return value
    if (isReference(value)) {
      const target = targetOf(value.$ref, at, from)
      if (!target || target.file.source === first) return value
      return put(target, at, (copy) => named(copy, kind, at, target.file)) ?? value
    }
    for (const [name, child] of Object.entries(value)) {
      const next = part(child, kind, [...at, name], from)
      if (next !== child) Object.defineProperty(value, name, { value: next, enumerable: true, writable: true })
    }
    return value
  }

  /** A mapping of a discriminator may name files. */
  function bundleMapping(mapping: unknown, at: Path, from: File): void {
    if (!isNode(mapping)) return
    for (const [name, value] of Object.entries(mapping)) {
      if (typeof value !== 'string' || !/#|\.(ya?ml|json)$/i.test(value)) continue
      const { $ref } = nodeOf(referred({ $ref: value }, 'schema', [...at, name], from))
      Object.defineProperty(mapping, name, { value: $ref, enumerable: true, writable: true })
    }
  }

  function referred(reference: { $ref: string }, kind: Kind, at: Path, from: File): unknown {
    const target = targetOf(reference.$ref, at, from)
    // what leads to nothing in another file must not lead to something in this one
    if (!target)
      return reference.$ref.startsWith('#') ? { ...reference, $ref: localIn(from) + reference.$ref } : reference
    if (target.file.source === first) return { ...reference, $ref: `#${pointerOf(target.at)}` }
    const section = sections[kind]
    const id = idOf(kind, target)
    if (!placed.has(id) && at.length === 3 && at[0] === 'components' && at[1] === section) placed.set(id, at)
    const claimed = placed.get(id)
    if (section === undefined || (claimed && pointerOf(claimed) === pointerOf(at))) {
      return put(target, at, (copy) => part(copy, kind, at, target.file)) ?? reference
    }
    const path = claimed ?? placeComponent(target, kind, section)
    return path ? { ...reference, $ref: `#${pointerOf(path)}` } : reference
  }

  function localIn(file: File): string {
    return file.source === first ? '' : file.name
  }

  /** Makes a component of what a reference leads to; not if the components are no mapping. */
  function placeComponent(target: Target, kind: Kind, section: string): Path | undefined {
    const holder = mappingIn(mappingIn(root, 'components'), section)
    if (!holder) return undefined
    const name = uniqueName(target.at.at(-1) ?? target.file.name, holder)
    const path = ['components', section, name]
    placed.set(idOf(kind, target), path)
    origins.set(pointerOf(path), { source: target.file.source, path: target.at, inPlace: false })
    // takes the name before its parts look for theirs
    holder[name] = {}
    holder[name] = part(structuredClone(target.value), kind, path, target.file)
    return path
  }

  /** What a reference leads to, to be put in its place; undefined if that leads back to the place. */
  function put(target: Target, at: Path, read: (copy: unknown) => unknown): unknown {
    const id = `${pointerOf(at)} ${idOf('document', target)}`
    if (open.has(id)) {
      lose(id, at, 'The $ref leads back to itself, so it stands for nothing.', 'Write the part itself there.')
      return undefined
    }
    open.add(id)
    origins.set(pointerOf(at), { source: target.file.source, path: target.at, inPlace: true })
    const value = read(structuredClone(target.value))
    open.delete(id)
    return value
  }

  /** What a reference to another file, or in another file, leads to; undefined if it stays as it is. */
  function targetOf($ref: string, at: Path, from: File): Target | undefined {
    const [name = '', ...rest] = $ref.split('#')
    if (isRemote($ref) || (name === '' && from.source === first)) return undefined
    const told = `The $ref ${JSON.stringify($ref)} leads to`
    const file = name === '' ? from : fileAt(name, from)
    if (typeof file === 'string') {
      const [what, mend] = unread[file]
      lose($ref, at, `${told} ${what}.`, mend ?? nearestFile(name, from))
      return undefined
    }
    const path = pathOfReference(`#${rest.join('#')}`)
    if (file.source === first) return { file, at: path, value: undefined }
    const found = located(file.source.root, path)
    if (isNode(found?.value) || found?.value === true || found?.value === false) return { file, ...found }
    if (found?.value !== undefined && found.value !== null) {
      lose(`${file.name} ${pointerOf(path)}`, at, `${told} a list or a single value.`, 'Refer to a mapping.')
      return undefined
    }
    const near = found && nearestTo(file.source.root, path)
    const fix =
      near === undefined
        ? `Add that part to ${file.source.name}, or correct the name.`
        : `Did you mean "${name}${near}"?`
    lose(`${file.name} ${pointerOf(path)}`, at, `${told} nothing.`, fix)
    return undefined
  }

  function fileAt(name: string, from: File): File | Unread {
    let file: File | Unread = 'missing'
    for (const one of new Set([decoded(name), name])) {
      file = fileOf(one.startsWith('/') ? one : posix.join(posix.dirname(from.name), one))
      if (file !== 'missing') return file
    }
    return file
  }

  function fileOf(name: string): File | Unread {
    const known = opened.get(name)
    if (known) return known
    const read = files?.text(name) ?? { why: 'missing' }
    const shown = prefix.endsWith(':') ? prefix + name : posix.normalize(prefix + name)
    const file = 'why' in read ? read.why : { name, source: sourceOf(read.text, shown) }
    opened.set(name, file)
    return file
  }

  function nearestFile(name: string, from: File): string {
    const folder = posix.dirname(decoded(name))
    const own = posix.basename(decoded(name))
    const names = files?.list(posix.join(posix.dirname(from.name), folder)) ?? []
    const near = nearest(
      own,
      names.filter((one) => one !== own),
    )
    return near === undefined ? 'Add the file, or correct its name.' : `Did you mean "${posix.join(folder, near)}"?`
  }

  function lose(id: string, at: Path, message: string, fix: string): void {
    const known = lost.get(id)
    if (known) known.count += 1
    else lost.set(id, { at: [...at, '$ref'], message, fix, count: 1 })
  }

  function place(path: Path): string {
    for (let length = path.length; length > 0; length -= 1) {
      const origin = origins.get(pointerOf(path.slice(0, length)))
      if (!origin || (origin.inPlace && length === path.length)) continue
      return origin.source.place([...origin.path, ...path.slice(length)])
    }
    return first.place(path)
  }
}

/** What a reference leads to if its file is not read, and what to do about it. */
const unread: Readonly<Record<Unread, readonly [what: string, mend?: string]>> = {
  missing: ['a file that is not there'],
  outside: [
    'a file outside the folder of the contract, which would be published with it',
    'Move the file into the folder, or allow it with --outside-files.',
  ],
  special: ['something that is no regular file', 'Save that part in a file, and refer to the file.'],
  large: [
    `a file of more than ${maxFileBytes / 1024 / 1024} MB`,
    'Split the file, or take away what the contract does not need.',
  ],
}

/** Whether a reference leads to an address of the network. Nothing is fetched. */
export function isRemote($ref: string): boolean {
  return /^([a-z][a-z\d+.-]+:|\/\/)/i.test($ref)
}

function idOf(kind: Kind, { file, at }: Target): string {
  return `${kind} ${file.name}#${pointerOf(at)}`
}

function located(root: unknown, path: Path): Spot | undefined {
  try {
    return locate(root, path)
  } catch {
    return undefined
  }
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
