import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, posix } from 'node:path'
import type { Files, ReadOptions } from '../../../src/contract/model/files/files.ts'
import { nearest } from '../../../src/contract/model/nearest.ts'
import { missingFile, nearestFile } from './file.ts'
import type { ContractText } from './diff.ts'

const maxOutputBytes = 256 * 1024 * 1024

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
    files: filesAt(commit, { file, folder: posix.dirname(there) }, options),
  }
}

/** A path as git takes it after a colon: from the root, or from this folder if it begins with a dot. */
function pathFrom(folder: string, path: string): string {
  return path.startsWith('.') ? posix.join(folder, path) : path
}

/** The files beside a contract at a commit. */
function filesAt(
  commit: string,
  { file, folder }: { file: string; folder: string },
  { outsideFiles = false }: ReadOptions,
): Files {
  return {
    text: (name) => {
      if (!outsideFiles && /^(\.\.|\/)/.test(name)) return { why: 'outside' }
      const text = git(file, 'cat-file', 'blob', `${commit}:${posix.join(folder, name)}`)
      return text === undefined ? { why: 'missing' } : { text }
    },
    list: (name) => namesAt(file, commit, posix.join(folder, name)),
  }
}

function namesAt(file: string, commit: string, folder: string): string[] {
  const at = folder === '.' ? commit : `${commit}:${folder}`
  return git(file, 'ls-tree', '--name-only', '-z', at)?.split('\0').filter(Boolean) ?? []
}

function missingAt(file: string, commit: string, { name, there }: { name: string; there: string }): string {
  const near = nearestFile(there, namesAt(file, commit, posix.dirname(there)))
  const hint = near === undefined ? `If it has another name there, write ${name}:NAME` : `Did you mean ${name}:${near}?`
  return `${name} has no file ${there}. ${hint}`
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
  if (/^[a-z]+:\/\//i.test(revision)) {
    return `${revision} is an address, and nothing is fetched. Save the contract to a file, and name that.`
  }
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
  const result = run(file, ['rev-parse', '--git-dir'])
  if (result.status === 0) return undefined
  const refusal = /detected dubious ownership/.test(result.stderr)
  if (!refusal) return `${file} is in no git repository; name another file to compare with.`
  const command = /^\s*(git config .*)$/m.exec(result.stderr)?.[1] ?? ''
  return `git does not read the repository of ${file}, because it belongs to another user. If you trust it, run: ${command}`
}

function git(file: string, ...args: string[]): string | undefined {
  const { status, stdout } = run(file, args)
  return status === 0 ? stdout : undefined
}

function run(file: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, LC_ALL: 'C' }
  const result = spawnSync('git', args, { cwd: dirname(file), encoding: 'utf8', maxBuffer: maxOutputBytes, env })
  if (result.error && 'code' in result.error && result.error.code === 'ENOENT') {
    throw new Error('git is not installed.', { cause: result.error })
  }
  return result
}
