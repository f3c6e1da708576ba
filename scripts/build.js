/*
 * npm run build                    compiles the service and its commands into dist/
 * npm run build -- --if-changed    does so only when a source or a file of dist/ has changed since the last build
 *
 * It is JavaScript because `npm start` runs it before anything is compiled. A build that fails leaves dist/ as it was.
 * Exit codes: 0 dist/ is up to date, 1 or 2 it is not, and what went wrong is shown.
 */
import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const sourceFolders = ['src', 'generated', 'scripts']
const sourceFiles = ['openapi.yaml', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
/** A file of dist/: the digests of the sources that it was built from, and of its other files. */
const digestsFile = 'build.digests'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const [flag, ...rest] = process.argv.slice(2)
if (rest.length > 0 || !['--if-changed', undefined].includes(flag)) {
  console.error('Usage: npm run build [-- --if-changed]')
  process.exitCode = 2
} else if (flag === undefined || !isUpToDate()) {
  process.exitCode = build(flag !== undefined)
}

/** Builds beside dist/ and replaces it at the end, so that no service is started from half of a build. */
function build(ifChanged) {
  console.error('Building dist/ …')
  // before the compiler reads them, so that an edit meanwhile leads to another build
  const sources = digestOfSources()
  const next = `dist-${randomUUID()}`
  const last = `${next}-last`
  try {
    const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
    const code =
      run(tsc, '--project', 'tsconfig.build.json', '--outDir', next) || run(`${next}/scripts/build/copy-files.js`)
    if (code !== 0) return code
    writeFileSync(join(next, digestsFile), `${sources} ${digestOfBuilt(next)}`)
    // another start may have built the same meanwhile
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
    return readFileSync(join('dist', digestsFile), 'utf8') === `${digestOfSources()} ${digestOfBuilt('dist')}`
  } catch {
    return false
  }
}

function digestOfSources() {
  return digestOf('.', [...sourceFolders.flatMap(filesIn), ...sourceFiles])
}

function digestOfBuilt(folder) {
  return digestOf(
    folder,
    filesIn(folder).filter((file) => file !== join(folder, digestsFile)),
  )
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Of the names, as seen from the folder, and of what is in the files. */
function digestOf(folder, files) {
  const hash = createHash('sha256')
  for (const file of files.sort()) {
    const content = readFileSync(file)
    hash.update(`${relative(folder, file)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}
