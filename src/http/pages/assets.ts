import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A static file. */
export interface Asset {
  text: string
  type: string
  /** The `ETag` of the text. */
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
  'contents.js': { file: () => own('contents.js'), type: js },
  'contract-parts.js': { file: () => own('contract-parts.js'), type: js },
  'copy.js': { file: () => own('copy.js'), type: js },
  'exact-numbers.js': { file: () => own('exact-numbers.js'), type: js },
  'key-form.js': { file: () => own('key-form.js'), type: js },
  'reference.js': { file: () => own('reference.js'), type: js },
  'samples.js': { file: () => own('samples.js'), type: js },
  'home.css': { file: () => own('home.css'), type: css },
  'icon.svg': { file: () => own('icon.svg'), type: 'image/svg+xml' },
  'swagger-ui.css': { file: () => require.resolve('swagger-ui-dist/swagger-ui.css'), type: css },
  'swagger-ui-bundle.js': { file: () => require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), type: js },
}

/** The names of the static files. */
export type AssetName = keyof typeof sources

export const assetNames = Object.keys(sources) as AssetName[]

const kept = new Map<AssetName, Asset>()

/** Reads a file on the first request for it, and keeps it. */
export async function asset(name: AssetName): Promise<Asset> {
  const before = kept.get(name)
  if (before) return before
  const { file, type } = sources[name]
  const text = await readFile(file(), 'utf8')
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  const one = { text, type, etag }
  kept.set(name, one)
  return one
}
