/*
 * npm run build                    compiles the service and its commands into dist/
 * npm run build -- --if-changed    does so only if a source or a file of dist/ has changed since the last build
 *
 * `npm start` and `npm pack` run this before anything is compiled, so it is JavaScript. A build that fails does not
 * change dist/.
 * Exit codes: 0 dist/ is up to date, 1 or 2 it is not.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOfBuilt, digestOfContract, digestOfSources, digestsFile, digestsIn } from './build/digests.js'
import { missingPackages } from './build/missing-packages.js'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const [flag, ...rest] = process.argv.slice(2)
if (rest.length > 0 || !['--if-changed', undefined].includes(flag)) {
  console.error('Usage: npm run build [-- --if-changed]')
  process.exitCode = 2
} else if (flag === undefined || !isUpToDate()) {
  process.exitCode = build(flag !== undefined)
}

/** Builds in a new folder that replaces dist/ at the end, so that a service never starts from an incomplete build. */
function build(ifChanged) {
  const missing = missingPackages('@types/node')
  if (missing !== undefined) {
    console.error(missing)
    return 1
  }
  console.error('Building dist/ …')
  // read before the compiler reads them, so that an edit during the build leads to another build
  const sources = digestOfSources()
  const next = `dist-${randomUUID()}`
  const last = `${next}-last`
  try {
    const code =
      run(
        fileURLToPath(import.meta.resolve('typescript/bin/tsc')),
        '--project',
        'tsconfig.build.json',
        '--outDir',
        next,
      ) ||
      run(`${next}/scripts/build/copy-files.js`) ||
      run('scripts/build/bundle.js', next)
    if (code !== 0) return code
    writeFileSync(join(next, digestsFile), `${sources} ${digestOfContract(next)} ${digestOfBuilt(next)}`)
    // another start may have built the same in the meantime
    if (ifChanged && isUpToDate()) return 0
    if (existsSync('dist')) renameSync('dist', last)
    renameSync(next, 'dist')
    return 0
  } finally {
    for (const folder of [next, last]) rmSync(folder, { recursive: true, force: true })
  }
}

function run(...script) {
  return spawnSync(process.execPath, script, { stdio: 'inherit' }).status ?? 1
}

function isUpToDate() {
  try {
    const digests = `${digestOfSources()} ${digestOfContract('dist')} ${digestOfBuilt('dist')}`
    return digestsIn('dist') === digests
  } catch {
    return false
  }
}
