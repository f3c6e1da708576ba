import { watch as watchFolder, readdirSync, statSync, type FSWatcher } from 'node:fs'
import { join } from 'node:path'

/** For so long, in ms, nothing may have changed before it is told; so nothing is read half written. */
const settleMs = 50
/** How often files are looked at though nothing has been heard of them, in ms. */
const idleMs = 1000

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
 * Tells of changes once they have settled. Events of the file system are only a reason to look: some editors replace
 * files, and some file systems send none. Gives the function that ends it.
 */
export function watch({ root, file, folder, onChange }: WatchParts): () => void {
  const watched = new Map<string, FSWatcher>()
  let told = states()
  let last = told
  let isSettling = false
  let timer = setTimeout(look, idleMs)
  return () => {
    clearTimeout(timer)
    for (const one of watched.values()) one.close()
  }

  function wake(): void {
    if (isSettling) return
    clearTimeout(timer)
    look()
  }

  function look(): void {
    const now = states()
    isSettling = changesOf(last, now).length > 0
    last = now
    timer = setTimeout(look, isSettling ? settleMs : idleMs)
    const changes = isSettling ? [] : changesOf(told, now)
    if (changes.length === 0) return
    told = now
    onChange(changes)
  }

  function states(): Map<string, string> {
    const folders = [folder]
    const names = [file]
    for (const inside of folders) {
      for (const entry of entriesOf(join(root, inside))) {
        if (entry.isDirectory()) folders.push(join(inside, entry.name))
        else if (entry.name.endsWith('.ts')) names.push(join(inside, entry.name))
      }
    }
    hear([root, ...folders.map((one) => join(root, one))])
    return new Map(names.map((name) => [name, stateOf(join(root, name))]))
  }

  /** Hears of events in these folders, and of no other. */
  function hear(folders: readonly string[]): void {
    for (const [path, one] of watched) {
      if (folders.includes(path)) continue
      one.close()
      watched.delete(path)
    }
    for (const path of folders) {
      if (watched.has(path)) continue
      try {
        // a folder that vanishes is noticed when it is looked at
        watched.set(
          path,
          watchFolder(path, wake).on('error', () => undefined),
        )
      } catch {
        // there may be no more watchers; then looking must do
      }
    }
  }
}

/** What is in a folder; nothing when it has just vanished. */
function entriesOf(path: string): { name: string; isDirectory: () => boolean }[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

function stateOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0, ino: 0 }
  return `${mtimeMs} ${size} ${ino}`
}

function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))
}
