import { spawnSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'

const maxOutputBytes = 256 * 1024 * 1024

/** What a git command prints in the folder of a file; undefined if it fails. */
export function git(file: string, ...args: string[]): string | undefined {
  const { status, stdout } = runGit(file, args)
  return status === 0 ? stdout.toString('utf8') : undefined
}

/** The same with each byte as it is. */
export function gitBytes(file: string, ...args: string[]): Buffer | undefined {
  const { status, stdout } = runGit(file, args)
  return status === 0 ? stdout : undefined
}

/** Runs git in the folder of a file. Throws a sentence when it is not installed. */
export function runGit(
  file: string,
  args: readonly string[],
): { status: number | null; stdout: Buffer; stderr: string } {
  const env = { ...process.env, ...ofHook(), LC_ALL: 'C' }
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    cwd: dirname(file),
    maxBuffer: maxOutputBytes,
    env,
  })
  if (error && 'code' in error && error.code === 'ENOENT') throw new Error('git is not installed.', { cause: error })
  return { status, stdout, stderr: stderr.toString('utf8') }
}

/** What git tells a hook by names that are relative to the folder of the hook, as absolute names. */
function ofHook(): NodeJS.ProcessEnv {
  const names = ['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_WORK_TREE'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, resolve(value)]]
    }),
  )
}
