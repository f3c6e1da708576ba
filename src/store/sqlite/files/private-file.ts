import { closeSync, fchmodSync, openSync } from 'node:fs'

/**
 * Makes an empty file that only this user may use, whatever the umask; SQLite gives the files beside it the same mode.
 * Tells whether it did: a file that is there is left as it is.
 */
export function makePrivate(file: string): boolean {
  try {
    const fd = openSync(file, 'wx', 0o600)
    fchmodSync(fd, 0o600)
    closeSync(fd)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
