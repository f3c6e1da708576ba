/*
 * npm run NAME    runs scripts/NAME.ts
 *
 * TypeScript needs packages that a production install leaves out, so this is JavaScript, and says when they are missing. A
 * command that people run at each save runs as it was built, if no source has changed since: it loads in half the time.
 */
import { fileURLToPath } from 'node:url'
import { digestOfSources, digestsIn } from './build/digests.js'
import { missingPackages } from './build/missing-packages.js'

const built = ['contract-lint', 'contract-diff', 'mock']

const [, , name] = process.argv
const isBuilt = built.includes(name) && isFresh()
const missing = isBuilt ? undefined : missingPackages('tsx')
if (missing === undefined) {
  // hooks into what is imported from now on
  if (!isBuilt) await import('tsx')
  const file = isBuilt ? `../dist/scripts/${name}.js` : `./${name}.ts`
  process.argv.splice(1, 2, fileURLToPath(new URL(file, import.meta.url)))
  await import(file)
} else {
  console.error(missing)
  process.exitCode = 1
}

/** Whether dist/ was built from the sources as they are. */
function isFresh() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  try {
    return digestsIn(`${root}dist`).startsWith(`${digestOfSources(root)} `)
  } catch {
    return false
  }
}
