import { spawnSync } from 'node:child_process'
import { basename, dirname } from 'node:path'
import type { Files } from '../../../src/contract/document/files.ts'
import type { ContractText } from './diff.ts'

const maxOutputBytes = 256 * 1024 * 1024

/**
 * The commit where the branch of HEAD left the default branch. If git does not know it, throws an error that says how to
 * get it.
 */
export function mergeBase(file: string): string {
  const isShallow = git(file, 'rev-parse', '--is-shallow-repository')?.trim() === 'true'
  // the only branch of a shallow clone counts as its default branch
  const named = isShallow ? undefined : git(file, 'symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')
  const branches = ['main', 'origin/main', ...(named === undefined ? ['master', 'origin/master'] : [named.trim()])]
  for (const branch of branches) {
    const revision = git(file, 'merge-base', 'HEAD', branch)
    if (revision !== undefined) return revision.trim()
  }
  const known = branches.find((branch) => isCommit(file, branch)) ?? (isShallow ? 'main' : undefined)
  if (known !== undefined) throw new Error(advice(file, `HEAD and ${known} have no common commit here.`, known))
  const hint =
    'Name the one to compare with: npm run contract:diff -- BRANCH; or let git find it: git remote set-head origin --auto'
  throw new Error(requireRepository(file) ?? `There is no branch main or master here. ${hint}`)
}

/** The contract of the same name at a revision. */
export function contractAt(revision: string, file: string): ContractText {
  const commit = git(file, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)?.trim()
  if (commit === undefined) {
    throw new Error(advice(file, `There is no file and no git revision ${revision} here.`, revision))
  }
  const text = git(file, 'show', `${commit}:./${basename(file)}`)
  if (text === undefined) throw new Error(`${revision} has no ${file}, so there is nothing to compare with.`)
  const shown = /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 12) : revision
  return { text, name: `${shown}:${basename(file)}`, files: filesAt(commit, file) }
}

/** The files beside a contract at a commit. */
function filesAt(commit: string, file: string): Files {
  return {
    text: (name) => git(file, 'cat-file', 'blob', `${commit}:./${name}`),
    list: (folder) => git(file, 'ls-tree', '--name-only', '-z', `${commit}:./${folder}`)?.split('\0') ?? [],
  }
}

function isCommit(file: string, revision: string): boolean {
  return git(file, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`) !== undefined
}

function advice(file: string, fault: string, revision: string): string {
  const isShallow = git(file, 'rev-parse', '--is-shallow-repository')?.trim() === 'true'
  const mend = isShallow
    ? 'The repository is a shallow clone; run: git fetch --unshallow origin'
    : `Get it by: git fetch origin ${revision.replace(/^origin\//, '')}`
  return requireRepository(file) ?? `${fault} ${mend}`
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
