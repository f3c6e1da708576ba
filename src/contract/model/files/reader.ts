import { posix } from 'node:path'
import { maxFileBytes, type Files, type Unread } from './files.ts'
import { nearest, nearestTo } from '../nearest.ts'
import { sourceOf, type Source } from './source.ts'
import { isNode, pointerOf, type Path, type Located } from '../node.ts'
import { pathOfReference } from '../reference.ts'
import { Value } from '../value.ts'

/** A reference to a file, or to a part of one, that is not there. */
export interface LostReference {
  /** The keys from the root of the contract to the `$ref`. */
  at: Path
  /** Other places of a `$ref` to the same. */
  alsoAt: readonly Path[]
  message: string
  fix: string
}

/** A file that was read. */
export interface File {
  /** Relative to the folder of the contract. */
  name: string
  source: Source
}

/** What a reference leads to. */
export interface Target extends Located {
  file: File
}

/** Opens the files of a contract, each once, and tells which references lead to none of their parts. */
export class ContractReader {
  /** The file that the contract begins with. */
  readonly first: File
  readonly #files: Files | undefined
  readonly #prefix: string
  readonly #opened: Map<string, File | Unread>
  readonly #lost = new Map<string, LostReference & { alsoAt: Path[] }>()

  constructor(source: Source, files: Files | undefined) {
    const name = /[^/:\\]*$/.exec(source.name)?.[0] ?? ''
    this.first = { name, source }
    this.#files = files
    this.#prefix = source.name.slice(0, source.name.length - name.length)
    this.#opened = new Map([[name, this.first]])
  }

  /** The names of all files, also of those that are not there, relative to the folder of the first one. */
  get names(): string[] {
    return [...this.#opened.keys()]
  }

  /** The files that were read, the first one first. */
  get sources(): Source[] {
    return [...this.#opened.values()].flatMap((file) => (typeof file === 'object' ? file.source : []))
  }

  /** The references that lead to no file, or to nothing in it. */
  get lost(): LostReference[] {
    return Array.from(this.#lost.values(), (one) =>
      one.alsoAt.length === 0 ? one : { ...one, message: `${one.message} It is used ${one.alsoAt.length + 1} times.` },
    )
  }

  /** Forgets the lost references, for a second pass that finds them again. */
  forgetLost(): void {
    this.#lost.clear()
  }

  /** What a reference to another file, or in another file, leads to; undefined if it stays as it is. */
  targetOf($ref: string, at: Path, from: File): Target | undefined {
    const [name = '', ...rest] = $ref.split('#')
    if (isRemote($ref) || (name === '' && from.source === this.first.source)) return undefined
    const leads = `The $ref ${JSON.stringify($ref)} leads to`
    const file = name === '' ? from : this.#fileAt(name, from)
    if (typeof file === 'string') {
      const [what, fix] = unread[file]
      this.lose($ref, at, `${leads} ${what}.`, fix ?? this.#nearestFile(name, from))
      return undefined
    }
    const path = pathOfReference(`#${rest.join('#')}`)
    if (file.source === this.first.source) return { file, at: path, value: undefined }
    const document = Value.of(file.source.root)
    const found = located(document, path)
    if (isNode(found?.value) || found?.value === true || found?.value === false)
      return { file, at: found.at, value: found.value }
    if (found?.value !== undefined && found.value !== null) {
      this.lose(`${file.name} ${pointerOf(path)}`, at, `${leads} a list or a single value.`, 'Refer to a mapping.')
      return undefined
    }
    const near = found && nearestTo(document, path)
    const fix =
      near === undefined
        ? `Add that part to ${file.source.name}, or correct the name.`
        : `Did you mean "${name}${near}"?`
    this.lose(`${file.name} ${pointerOf(path)}`, at, `${leads} nothing.`, fix)
    return undefined
  }

  #fileAt(name: string, from: File): File | Unread {
    let file: File | Unread = 'missing'
    for (const one of new Set([decoded(name), name])) {
      file = this.#fileOf(one.startsWith('/') ? one : posix.join(posix.dirname(from.name), one))
      if (file !== 'missing') return file
    }
    return file
  }

  #fileOf(name: string): File | Unread {
    const known = this.#opened.get(name)
    if (known) return known
    const read = this.#files?.text(name) ?? { why: 'missing' }
    const shown = this.#prefix.endsWith(':') ? this.#prefix + name : posix.normalize(this.#prefix + name)
    const file = 'why' in read ? read.why : { name, source: sourceOf(read.text, shown) }
    this.#opened.set(name, file)
    return file
  }

  #nearestFile(name: string, from: File): string {
    const folder = posix.dirname(decoded(name))
    const own = posix.basename(decoded(name))
    const names = this.#files?.list(posix.join(posix.dirname(from.name), folder)) ?? []
    const near = nearest(
      own,
      names.filter((one) => one !== own),
    )
    return near === undefined ? 'Add the file, or correct its name.' : `Did you mean "${posix.join(folder, near)}"?`
  }

  /** Notes a reference that leads to nothing; those of one id are one. */
  lose(id: string, at: Path, message: string, fix: string): void {
    const known = this.#lost.get(id)
    const place = [...at, '$ref']
    if (known) known.alsoAt.push(place)
    else this.#lost.set(id, { at: place, alsoAt: [], message, fix })
  }
}

/** What a reference leads to if its file is not read, and what to do about it. */
const unread: Readonly<Record<Unread, readonly [what: string, fix?: string]>> = {
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

function located(document: Value, path: Path): Value | undefined {
  try {
    return document.find(path)
  } catch {
    return undefined
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
