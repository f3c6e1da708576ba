import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The files beside a contract. Names are relative to its folder, with slashes. */
export interface Files {
  /** The text of a file; undefined when there is none. */
  text: (name: string) => string | undefined
  /** The names in a folder. */
  list: (folder: string) => string[]
}

/** The files on disk. */
export function filesBeside(contract: string): Files {
  const folder = dirname(contract)
  return {
    text: (name) => orNothing(() => readFileSync(resolve(folder, name), 'utf8')),
    list: (name) => orNothing(() => readdirSync(join(folder, name))) ?? [],
  }
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
