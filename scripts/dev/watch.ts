import type { Stats } from 'node:fs'
import { resolve, sep } from 'node:path'
import { watch as watchPaths, type FSWatcher } from 'chokidar'

/** For so long, in ms, nothing may have changed before it is told; so nothing is read half written. */
const settleMs = 50
/** How often files are looked at where the system has no watchers left, in ms. */
const pollMs = 500

export interface WatchParts {
  /** Where the names below, and those that are told, begin. */
  root: string
  file: string
  /** Its TypeScript files are watched, at any depth. */
  folder: string
  /** Gets the names of what was changed, added or removed. */
  onChange: (names: string[]) => void
}

/** Tells of changes once they have settled. Gives the function that ends it. */
export function watch({ root, file, folder, onChange }: WatchParts): () => void {
  const top = resolve(root)
  const [only, tree] = [resolve(root, file), resolve(root, folder)]
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let watcher = start({ usePolling: false })
  return () => {
    clearTimeout(timer)
    void watcher.close()
  }

  function start({ usePolling }: { usePolling: boolean }): FSWatcher {
    const ignored = (path: string, stats?: Stats): boolean => !isWatched(path, stats?.isFile() === true)
    // `atomic` would tell of what is gone 100 ms later
    const options = { cwd: top, ignored, ignoreInitial: true, atomic: false, usePolling, interval: pollMs }
    // all from the top, since the file and the folder may go and come again
    return watchPaths(top, options)
      .on('all', (event, name) => {
        if (!event.endsWith('Dir')) hear(name)
      })
      .on('error', () => {
        if (usePolling) return
        void watcher.close()
        watcher = start({ usePolling: true })
      })
  }

  function isWatched(path: string, isFile: boolean): boolean {
    if (path.startsWith(tree + sep)) return !isFile || path.endsWith('.ts')
    return [top, only, tree].includes(path)
  }

  function hear(name: string): void {
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(() => {
      onChange([...changed])
      changed.clear()
    }, settleMs)
  }
}
