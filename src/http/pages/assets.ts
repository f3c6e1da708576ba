import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { document, type Document } from './document.ts'

/** The static files of the pages. */
export interface Assets {
  /** Of all files. It is a part of their address, so that browsers may keep them for ever. */
  digest: string
  files: ReadonlyMap<string, Document>
  /** The page at `/docs`, with `assets/` in front of the names of files. */
  docs: string
}

const require = createRequire(import.meta.url)
const ownNames = [
  'accessible.js',
  'contents.js',
  'contract-parts.js',
  'copy.js',
  'docs.css',
  'docs.js',
  'exact-numbers.js',
  'home.css',
  'home.js',
  'icon.svg',
  'key-form.js',
  'keys.js',
  'reference.css',
  'reference.js',
  'requests.js',
  'samples.js',
]
const packageFiles = {
  'swagger-ui.css': () => require.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': () => require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
}
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
  const docs = await readFile(own('docs.html'), 'utf8')
  const hash = createHash('sha256')
  const files = new Map<string, Document>()
  const sources = Object.entries(packageFiles).map(([name, path]) => [name, path()] as const)
  for (const [name, path] of [...ownNames.map((name) => [name, own(name)] as const), ...sources]) {
    const one = document(await readFile(path), types[extname(name)] ?? '')
    files.set(name, one)
    hash.update(`${name} ${one.digest}\n`)
  }
  return { digest: hash.digest('hex').slice(0, 16), files, docs }
}

function own(name: string): string {
  return fileURLToPath(new URL(`assets/${name}`, import.meta.url))
}
