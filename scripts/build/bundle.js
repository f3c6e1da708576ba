/*
 * node scripts/build/bundle.js FOLDER
 *
 * Part of `npm run build`: joins the modules of the service, of its commands and of their packages into few files. A
 * start that reads 800 files takes almost twice the CPU time. The two files that are started keep their places.
 */
import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const folder = resolve(process.argv[2] ?? 'dist')
/** Native packages, large ones that only the commands of a workshop need, and those of traces. */
const external = [
  ...['better-sqlite3', 'better-sqlite3-napi', 'pg-native'],
  ...['@redocly/*', 'openapi-typescript', 'prettier', 'typescript'],
  // loaded when requests are traced; a chunk of CommonJS would not have its names
  '@opentelemetry/*',
]

await build({
  entryPoints: ['scripts/animal-store', 'src/main'].map((name) => ({ in: join(folder, `${name}.js`), out: name })),
  outdir: folder,
  // the chunks name their modules in comments
  absWorkingDir: folder,
  allowOverwrite: true,
  // beside src/, so that a path that a module has for a file beside src/ holds in a chunk, too
  chunkNames: 'bundle/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  // CommonJS packages call `require`, which a module does not have
  banner: {
    js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
  },
  logLevel: 'warning',
})
cpSync(join(folder, 'src/http/pages/assets'), join(folder, 'bundle/assets'), { recursive: true })
