import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, posix, relative, resolve, sep } from 'node:path'
import { contractBytes, filesBeside, type Files, type ReadOptions } from '../../src/contract/model/files/files.ts'
import { git, gitBytes } from './git-command.ts'

/** Where the files of a contract are read from. */
export interface Input {
  /** The file that the contract begins with. Throws a sentence when it cannot be read. */
  bytes: () => Buffer
  /** The files beside it. */
  files: Files
  /** The text of a file about it, such as its redocly.yaml; undefined if there is none. */
  text: (file: string) => string | undefined
}

/** The files of a contract as a command reads them: what is staged in git, or what is in the folder. */
export function inputOf(contract: string, isStaged: boolean, options?: ReadOptions): Input {
  return (isStaged ? staged : onDisk)(contract, options)
}

/** The files as they are in their folder. */
export function onDisk(contract: string, options: ReadOptions = {}): Input {
  return {
    bytes: () => contractBytes(contract),
    files: filesBeside(contract, options),
    text: (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
  }
}

/** The files as they are in the index of git: what the next commit will have. */
function staged(contract: string, options: ReadOptions = {}): Input {
  const bytes = (file: string): Buffer | undefined => {
    const name = relative(resolve(dirname(contract)), resolve(file))
      .split(sep)
      .join('/')
    return gitBytes(contract, 'cat-file', 'blob', `:./${name}`)
  }
  return {
    bytes: () => {
      const found = bytes(contract)
      if (found) return found
      const isRepository = git(contract, 'rev-parse', '--git-dir') !== undefined
      throw new Error(
        isRepository
          ? `${contract} is not in the index of git. Add it: git add ${contract}`
          : `${contract} is in no git repository, so nothing is staged.`,
      )
    },
    files: filesOfTree('', contract, options),
    text: (file) => bytes(file)?.toString('utf8'),
  }
}

/**
 * The files beside a contract in a commit, or in the index where `tree` is empty. `path` is that of the contract from the
 * root of the repository, if it is not there under its own name.
 */
export function filesOfTree(
  tree: string,
  contract: string,
  { outsideFiles = false }: ReadOptions,
  path?: string,
): Files {
  const own = (): string => `${git(contract, 'rev-parse', '--show-prefix')?.trim() ?? ''}${basename(contract)}`
  let folder: string | undefined
  const inTree = (name: string): string => posix.join((folder ??= posix.dirname(path ?? own())), name)
  return {
    text: (name) => {
      if (!outsideFiles && /^(\.\.|\/)/.test(name)) return { why: 'outside' }
      const text = git(contract, 'cat-file', 'blob', `${tree}:${inTree(name)}`)
      return text === undefined ? { why: 'missing' } : { text }
    },
    list: (name) => namesIn(tree, contract, inTree(name)),
  }
}

/** The names in a folder of a commit, or of the index. The folder is given from the root of the repository. */
export function namesIn(tree: string, contract: string, folder: string): string[] {
  const inside = folder === '.' ? '' : `${folder}/`
  const listed =
    tree === ''
      ? git(contract, 'ls-files', '-z', '--full-name', '--', `:/${inside}`)
      : git(contract, 'ls-tree', '--name-only', '-z', folder === '.' ? tree : `${tree}:${folder}`)
  const names = listed?.split('\0').filter(Boolean) ?? []
  return tree === '' ? [...new Set(names.map((name) => name.slice(inside.length).split('/')[0] ?? ''))] : names
}
