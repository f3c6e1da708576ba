import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { Document } from 'openapi-backend'
import type { Document as YamlDocument } from 'yaml'
import { exactText } from '../../../integers.ts'
import { inOneDialect } from './dialect.ts'
import { readParsed, type ParsedContract } from './parsed-cache.ts'
import { bundleOf } from './joiner.ts'
import type { LostReference } from './reader.ts'
import { withCommonHeaders } from './every-response.ts'
import { contractBytes, filesBeside, type Files, type ReadOptions } from './files.ts'
import { knownSource, sourceOf, type Source } from './source.ts'
import { textOf } from './text.ts'
import { requireText } from './text-faults.ts'
import { Value } from '../value.ts'

/** A contract, which may be made of several files. */
export interface ContractDocument extends ParsedContract {
  /** The name of its file, as messages show it. */
  name: string
  /** The names of its files relative to the folder of the first one, also of those that are missing. */
  files: readonly string[]
  /** The files that were read, the first one first. */
  sources: readonly Source[]
  /** References to files, or to parts of files, that are not there. */
  lost: readonly LostReference[]
  /** The first file as a tree that keeps comments. It is parsed at the first call of `yaml` or `place`. */
  yaml: () => YamlDocument.Parsed
  /** The place of a value, such as `openapi.yaml:12:3`; of its nearest ancestor when the value does not exist. */
  place: (path: readonly string[]) => string
}

/**
 * Reads a contract with the files that it refers to. A file that is not one YAML document, or not OpenAPI 3.0, 3.1 or
 * 3.2, throws an error that begins with the place. If the build has written the parsed contract beside the file, and for
 * the same text, it is used.
 */
export function readContract(file: string, options: ReadOptions = {}): ContractDocument {
  const name = basename(file)
  const text = textOf(contractBytes(file), name)
  const values = readParsed(file, text)
  if (!values) return parseContract(text, name, filesBeside(file, options))
  const source = knownSource(text, name, values.source)
  const { yaml, place } = source
  return { name, ...values, files: [name], sources: [source], lost: [], yaml, place }
}

/**
 * Parses the text of a contract as `readContract` does; `name` is its name in messages. Without `files` a reference to
 * another file leads to nothing.
 */
export function parseContract(text: string, name: string, files?: Files): ContractDocument {
  const source = sourceOf(text, name)
  if (!isOpenApi(source.root)) requireText(text, name)
  const bundle = bundleOf(source, files)
  const values = bundle.root as Document
  withCommonHeaders(Value.of(values), bundle.place)
  const digest = createHash('sha256').update(exactText(values)).digest('hex')
  return {
    name,
    source: values,
    root: inOneDialect(values),
    digest,
    files: bundle.files,
    sources: bundle.sources,
    lost: bundle.lost,
    yaml: source.yaml,
    place: bundle.place,
  }
}

function isOpenApi(root: unknown): boolean {
  const version: unknown = (root as { openapi?: unknown } | null)?.openapi
  return typeof version === 'string' && /^3\.[012]\.\d+$/.test(version)
}
