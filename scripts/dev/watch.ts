import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** How often files are looked at, in ms. */
const intervalMs = 50

export interface WatchParts {
  /** Where the names below, and those that are told, begin. */
  root: string
  file: string
  /** Its TypeScript files are watched, at any depth. */
  folder: string
  /** Gets the names of what was changed, added or removed. */
  onChange: (names: string[]) => void
}

/**
 * Tells of changes once they have stopped for a moment, so that nothing is read half written. Looks instead of being
 * told: editors that replace a file, and file systems of virtual machines, lose the events of `fs.watch`. Gives the
 * function that ends it.
 */
export function watch({ root, file, folder, onChange }: WatchParts): () => void {
  let told = states()
  let last = told
  const timer = setInterval(() => {
    const now = statesIfThere()
    const isQuiet = changesOf(last, now).length === 0
    last = now
    if (!isQuiet) return
    const changes = changesOf(told, now)
    told = now
    if (changes.length > 0) onChange(changes)
  }, intervalMs)
  return () => {
    clearInterval(timer)
  }

  /** A folder may vanish while it is read. */
  function statesIfThere(): Map<string, string> {
    try {
      return states()
    } catch {
      return last
    }
  }

  function states(): Map<string, string> {
    const found = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    const names = [file, ...found.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))]
    return new Map(names.map((name) => [name, stateOf(join(root, name))]))
  }
}

function stateOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0, ino: 0 }
  return `${mtimeMs} ${size} ${ino}`
}

function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))
}
