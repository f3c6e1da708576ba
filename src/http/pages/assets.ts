import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A static file. */
export interface Asset {
  bytes: Buffer
  type: string
  /** The `ETag` of the bytes. */
  etag: string
}

const require = createRequire(import.meta.url)
const own = (name: string): string => fileURLToPath(new URL(`assets/${name}`, import.meta.url))
const html = 'text/html; charset=utf-8'
const css = 'text/css; charset=utf-8'
const js = 'text/javascript; charset=utf-8'

const sources = {
  'docs.html': { file: () => own('docs.html'), type: html },
  'docs.css': { file: () => own('docs.css'), type: css },
  'docs.js': { file: () => own('docs.js'), type: js },
  'home.css': { file: () => own('home.css'), type: css },
  'icon.svg': { file: () => own('icon.svg'), type: 'image/svg+xml' },
  'swagger-ui.css': { file: () => require.resolve('swagger-ui-dist/swagger-ui.css'), type: css },
  'swagger-ui-bundle.js': { file: () => require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), type: js },
}

/** The names of the static files. */
export type AssetName = keyof typeof sources

export const assetNames = Object.keys(sources) as AssetName[]

const kept = new Map<AssetName, Promise<Asset>>()

/** Reads a file on the first request for it, and keeps it. A read that failed is repeated on the next request. */
export function asset(name: AssetName): Promise<Asset> {
  const before = kept.get(name)
  if (before) return before
  const reading = read(name).catch((error: unknown) => {
    kept.delete(name)
    throw error
  })
  kept.set(name, reading)
  return reading
}

async function read(name: AssetName): Promise<Asset> {
  const { file, type } = sources[name]
  const bytes = await readFile(file())
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}
