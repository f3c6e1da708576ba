import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const sourceFolders = ['src', 'generated', 'scripts']
const sourceFiles = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
/** A file in dist/ with three digests: of the sources of the build, of the contract, and of the other files in dist/. */
export const digestsFile = 'build.digests'

/** The digests of a build. Throws if there is none. */
export function digestsIn(folder) {
  return readFileSync(join(folder, digestsFile), 'utf8')
}

/** The digest of the sources of a build but for the contract. `root` is the folder of the project. */
export function digestOfSources(root = '.') {
  const files = sourceFolders.flatMap((folder) => filesIn(join(root, folder)))
  return digestOf(root, [...files, ...sourceFiles.map((file) => join(root, file))])
}

/** The digest of the files of the contract that a build has found. */
export function digestOfContract(folder) {
  return digestOf('.', JSON.parse(readFileSync(join(folder, 'contract-files.json'), 'utf8')))
}

export function digestOfBuilt(folder) {
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

/** The digest of the names of files, relative to the folder, and of their contents. */
function digestOf(folder, files) {
  const hash = createHash('sha256')
  for (const file of files.sort()) {
    const content = readFileSync(file)
    hash.update(`${relative(folder, file)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}
