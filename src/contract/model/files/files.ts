import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** Why a file is not read: it does not exist, is outside the folder of the contract, is no regular file, or is too large. */
export type Unread = 'missing' | 'outside' | 'special' | 'large'

/** The files beside a contract. Names are relative to its folder, with slashes. */
export interface Files {
  /** The text of a file, or why it is not read. */
  text: (name: string) => { text: string } | { why: Unread }
  /** The names in a folder. */
  list: (folder: string) => string[]
}

/** How the files of a contract are read. */
export interface ReadOptions {
  /** Whether files outside the folder of the contract are read. */
  outsideFiles?: boolean | undefined
}

/** The largest file of a contract that is read, in bytes. */
export const maxFileBytes = 64 * 1024 * 1024

/**
 * The files on disk. Only regular files are read. Those outside the folder of the contract, also by a link, are read
 * only if that is asked for: what they hold would be published with the contract.
 */
export function filesBeside(contract: string, { outsideFiles = false }: ReadOptions = {}): Files {
  const folder = dirname(contract)
  return {
    text: (name) => {
      const file = resolve(folder, name)
      try {
        const stats = statSync(file)
        if (stats.isDirectory()) return { why: 'missing' }
        if (!outsideFiles && isOutside(realpathSync(file), realpathSync(folder))) return { why: 'outside' }
        if (!stats.isFile()) return { why: 'special' }
        if (stats.size > maxFileBytes) return { why: 'large' }
        return { text: readFileSync(file, 'utf8') }
      } catch {
        return { why: !outsideFiles && isOutside(file, resolve(folder)) ? 'outside' : 'missing' }
      }
    },
    list: (name) => {
      const inner = join(folder, name)
      try {
        return isOutside(resolve(inner), resolve(folder)) && !outsideFiles ? [] : readdirSync(inner)
      } catch {
        return []
      }
    },
  }
}

/** The bytes of the file that a contract begins with. Throws a sentence when it is a folder, a device or too large. */
export function contractBytes(file: string): Buffer {
  const stats = statSync(file)
  if (stats.isDirectory()) throw new Error(`${file} is a folder. Name a file in it.`)
  if (stats.isCharacterDevice() || stats.isBlockDevice()) throw new Error(`${file} is a device, not a contract.`)
  if (stats.size > maxFileBytes)
    throw new Error(`${file} is larger than ${maxFileBytes / 1024 / 1024} MB, which no contract may be.`)
  return readFileSync(file)
}

function isOutside(file: string, folder: string): boolean {
  const path = relative(folder, file)
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
}
