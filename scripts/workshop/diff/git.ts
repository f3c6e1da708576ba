import { existsSync } from 'node:fs'
import { basename, isAbsolute, posix } from 'node:path'
import type { ReadOptions } from '../../../src/contract/model/files/files.ts'
import { nearest } from '../../../src/contract/model/nearest.ts'
import { notAFile } from '../../command-line/contract-file.ts'
import { git, runGit } from '../git-command.ts'
import { filesOfTree, namesIn } from '../input.ts'
import { missingFile, nearestFile } from './file.ts'
import type { ContractText } from './diff.ts'

/**
 * The commit where the branch of HEAD left the default branch. If git does not know it, throws an error that says how to
 * get it. `call` is how a user calls the command.
 */
export function mergeBase(file: string, call: string): string {
  const isShallow = git(file, 'rev-parse', '--is-shallow-repository')?.trim() === 'true'
  // the only branch of a shallow clone counts as its default branch
  const named = isShallow ? undefined : git(file, 'symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')
  const branches = ['main', 'origin/main', ...(named === undefined ? ['master', 'origin/master'] : [named.trim()])]
  for (const branch of branches) {
    const revision = git(file, 'merge-base', 'HEAD', branch)
    if (revision !== undefined) return revision.trim()
  }
  const refusal = requireRepository(file)
  if (refusal !== undefined) throw new Error(refusal)
  const known = branches.find((branch) => isCommit(file, branch)) ?? (isShallow ? 'main' : undefined)
  const name = `Name the one to compare with: ${call} BRANCH`
  if (known !== undefined) {
    throw new Error(`HEAD and ${known} have no common commit here. ${isShallow ? unshallow : name}`)
  }
  throw new Error(
    `There is no branch main or master here. ${name}; or let git find it: git remote set-head origin --auto`,
  )
}

/**
 * The contract at a revision: that of the same name, or of another one if the revision is written with it, such as
 * `main:old.yaml`.
 */
export function contractAt(revision: string, file: string, options: ReadOptions = {}): ContractText {
  const [name = '', ...path] = isCommit(file, revision) ? [revision] : revision.split(':')
  const commit = commitOf(file, name)
  if (commit === undefined || name === '') throw new Error(unknownRevision(revision, name, file))
  const folder = git(file, 'rev-parse', '--show-prefix')?.trim() ?? ''
  const there = path.length === 0 ? `${folder}${basename(file)}` : pathFrom(folder, path.join(':'))
  const text = git(file, 'cat-file', 'blob', `${commit}:${there}`)
  if (text === undefined) throw new Error(missingAt(file, commit, { name, there }))
  const shown = /^[0-9a-f]{40}$/.test(name) ? name.slice(0, 12) : name
  return {
    text,
    name: `${shown}:${path.length === 0 ? basename(file) : path.join(':')}`,
    files: filesOfTree(commit, file, options, there),
  }
}

/** A path as git takes it after a colon: from the root, or from this folder if it begins with a dot. */
function pathFrom(folder: string, path: string): string {
  return path.startsWith('.') ? posix.join(folder, path) : path
}

function missingAt(file: string, commit: string, { name, there }: { name: string; there: string }): string {
  const near = nearestFile(there, namesIn(commit, file, posix.dirname(there)))
  const hint = near === undefined ? `If it has another name there, write ${name}:NAME` : `Did you mean ${name}:${near}?`
  return `${name} has no file ${there}. ${hint}`
}

/** Whether the last commit does not have a file. */
export function isNew(file: string): boolean {
  return git(file, 'cat-file', '-e', `HEAD:./${basename(file)}`) === undefined
}

/** Whether a name is a revision in the repository of a file. */
export function isCommit(file: string, revision: string): boolean {
  return commitOf(file, revision) !== undefined
}

function commitOf(file: string, revision: string): string | undefined {
  return git(file, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)?.trim()
}

const unshallow = 'The repository is a shallow clone; run: git fetch --unshallow origin'

/** Why something is no revision to compare with, and what to do. `name` is it without the path after a colon. */
function unknownRevision(revision: string, name: string, file: string): string {
  if (name === '') return 'The name is empty. Name a git revision or a file to compare with.'
  const fault = notAFile(revision)
  if (fault !== undefined) return fault
  if (existsSync(revision)) return `${revision} is a folder. Name the contract in it, or a git revision.`
  if (isAbsolute(revision) || /^\.\.?\/|\.(ya?ml|json)$|[\s\\*?[]/i.test(name)) return missingFile(revision)
  const refusal = requireRepository(file)
  if (refusal !== undefined) return refusal
  const isShallow = git(file, 'rev-parse', '--is-shallow-repository')?.trim() === 'true'
  if (/[~^]|@\{|\.\./.test(name)) {
    return `There is no git revision ${name} here. ${isShallow ? unshallow : 'git log --oneline lists the commits.'}`
  }
  const unknown = `There is no file and no git revision ${name} here.`
  const refs = git(file, 'for-each-ref', '--format=%(refname:short)')?.split('\n').filter(Boolean) ?? []
  const same = refs.find((ref) => ref.endsWith(`/${name}`))
  const near = same ?? nearest(name, refs)
  const remotes = git(file, 'remote')?.split('\n').filter(Boolean) ?? []
  const remote = remotes.includes('origin') ? 'origin' : remotes[0]
  const hints = [
    ...(near === undefined ? [] : [`Did you mean ${near}?`]),
    ...(same !== undefined || remote === undefined ? [] : [`To get it: ${fetchOf(remote, name)}`]),
  ]
  return [unknown, ...hints].join(' ')
}

/** The command that gets a branch, a tag or a commit. git fetches no commit by a part of its name. */
function fetchOf(remote: string, name: string): string {
  if (/^[0-9a-f]{7,39}$/.test(name)) return `git fetch --all`
  const there = name.startsWith(`${remote}/`) ? name.slice(remote.length + 1) : name
  return `git fetch ${remote} ${there}, and compare with FETCH_HEAD`
}

/** Why git gives no answers about a file at all; undefined if it does. */
function requireRepository(file: string): string | undefined {
  const result = runGit(file, ['rev-parse', '--git-dir'])
  if (result.status === 0) return undefined
  const refusal = /detected dubious ownership/.test(result.stderr)
  if (!refusal) return `${file} is in no git repository; name another file to compare with.`
  const command = /^\s*(git config .*)$/m.exec(result.stderr)?.[1] ?? ''
  return `git does not read the repository of ${file}, because it belongs to another user. If you trust it, run: ${command}`
}
