/*
 * npm run NAME    runs scripts/NAME.ts
 *
 * TypeScript needs packages that a production install leaves out, so this is JavaScript, and says when they are missing.
 */
import { fileURLToPath } from 'node:url'
import { missingPackages } from './build/missing-packages.js'

const [, , name] = process.argv
const missing = missingPackages('tsx')
if (missing === undefined) {
  // hooks into what is imported from now on
  await import('tsx')
  process.argv.splice(1, 2, fileURLToPath(new URL(`${name}.ts`, import.meta.url)))
  await import(`./${name}.ts`)
} else {
  console.error(missing)
  process.exitCode = 1
}
