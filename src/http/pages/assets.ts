import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { document, type Document } from './document.ts'

/** The static files of the pages. */
export interface Assets {
  /** Of all files. It is a part of their address, so that browsers may keep them for ever. */
  digest: string
  files: ReadonlyMap<string, Document>
}

const names = [
  'copy.js',
  'docs.css',
  'docs.js',
  'execute.js',
  'home.css',
  'home.js',
  'icon.svg',
  'key-form.js',
  'keys.js',
  'reference.css',
  'request.js',
  'samples-go.js',
  'samples-python.js',
  'samples-script.js',
  'samples.js',
  'search.js',
]
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

let reading: Promise<Assets> | undefined

/** Reads the files on the first request for one, and keeps them. A read that failed is repeated on the next request. */
export function assets(): Promise<Assets> {
  reading ??= read().catch((error: unknown) => {
    reading = undefined
    throw error
  })
  return reading
}

async function read(): Promise<Assets> {
  const hash = createHash('sha256')
  const files = new Map<string, Document>()
  for (const name of names) {
    const path = fileURLToPath(new URL(`assets/${name}`, import.meta.url))
    const one = document(await readFile(path), types[extname(name)] ?? '')
    files.set(name, one)
    hash.update(`${name} ${one.digest}\n`)
  }
  return { digest: hash.digest('hex').slice(0, 16), files }
}
