import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import type { Document } from 'openapi-backend'

/** The content of a contract, without its layout and comments. */
export interface ParsedContract {
  /** The document as its file has it, as plain values. */
  source: Document
  /** The document in the dialect that the rest reads (`inOneDialect`). Integers beyond 2^53 - 1 are `bigint`, so that no digit is lost. */
  root: Document
  /** SHA-256 of the content, in hex: equal for two files that differ only in layout or comments. */
  digest: string
}

interface Stored extends ParsedContract {
  textDigest: string
}

/**
 * Writes the parsed contract beside its file. Parsing YAML takes a third of a start with 3 operations, half with 200.
 */
export function writeParsed(file: string, { source, root, digest }: ParsedContract): void {
  const stored: Stored = { source, root, digest, textDigest: digestOf(readFileSync(file)) }
  writeFileSync(fileBeside(file), serialize(stored))
}

/** Reads the parsed contract beside a file; undefined when there is none, or it is of another text or Node.js. */
export function readParsed(file: string, text: string): ParsedContract | undefined {
  try {
    const { source, root, digest, textDigest } = deserialize(readFileSync(fileBeside(file))) as Stored
    return textDigest === digestOf(text) ? { source, root, digest } : undefined
  } catch {
    return undefined
  }
}

function fileBeside(file: string): string {
  return `${file}.parsed`
}

function digestOf(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex')
}
