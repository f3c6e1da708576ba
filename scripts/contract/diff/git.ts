import { execFileSync } from 'node:child_process'
import { basename, dirname } from 'node:path'
import type { ContractText } from './diff.ts'

const maxOutputBytes = 256 * 1024 * 1024

/** The commit where the branch of HEAD left main. If git does not know it, throws an error that says how to get it. */
export function mergeBase(file: string): string {
  for (const main of ['main', 'origin/main']) {
    const revision = git(file, 'merge-base', 'HEAD', main)
    if (revision !== undefined) return revision.trim()
  }
  throw new Error(advice(file, 'HEAD and main have no common commit here.', 'main'))
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
  return { text, name: `${shown}:${basename(file)}` }
}

function advice(file: string, fault: string, revision: string): string {
  const shallow = git(file, 'rev-parse', '--is-shallow-repository')?.trim()
  if (shallow === undefined) return `${file} is in no git repository; name another file to compare with.`
  if (shallow === 'true') return `${fault} The repository is a shallow clone; run: git fetch --unshallow origin`
  return `${fault} Get it by: git fetch origin ${revision.replace(/^origin\//, '')}`
}

function git(file: string, ...args: string[]): string | undefined {
  try {
    const options = { cwd: dirname(file), encoding: 'utf8', maxBuffer: maxOutputBytes, stdio: 'pipe' } as const
    return execFileSync('git', args, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error('git is not installed.', { cause: error })
    return undefined
  }
}
