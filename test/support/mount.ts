import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from '@jest/globals'

/** `describe` where this user may mount file systems, as root may outside of most containers. */
export const describeMount = mayMount()
  ? describe
  : (name: string, body: () => void): void => {
      describe.skip(`${name} (skipped: needs the right to mount a tmpfs)`, body)
    }

function mayMount(): boolean {
  try {
    smallDisk(1).remove()
    return true
  } catch {
    return false
  }
}

/** A disk of its own, in memory. */
export interface SmallDisk {
  folder: string
  makeReadOnly: (readOnly: boolean) => void
  remove: () => void
}

export function smallDisk(kib: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-disk-'))
  const mount = (...options: string[]): void => void execFileSync('mount', options, { stdio: 'ignore' })
  try {
    mount('-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', folder)
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  return {
    folder,
    makeReadOnly: (readOnly) => {
      mount('-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder)
    },
    remove: () => {
      // lazily, since a test that failed may have left files open
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}
