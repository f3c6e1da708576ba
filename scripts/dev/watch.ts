import type { Stats } from 'node:fs'
import { resolve, sep } from 'node:path'
import { watch as watchPaths, type FSWatcher } from 'chokidar'

/** Changes are reported after this time without another change, in ms, so that no file is read half written. */
const settleMs = 50
/** The polling interval if the system has no watchers left, in ms. */
const pollMs = 500

export interface WatchParts {
  /** The folder that all names are relative to. */
  root: string
  file: string
  /** All TypeScript files below it are watched. */
  folder: string
  /** Receives the names of files that were changed, added or removed. */
  onChange: (names: string[]) => void
}

/** Watches one file and one folder. Gives a function that ends it. */
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
    // `atomic` would report removed files 100 ms later
    const options = { cwd: top, ignored, ignoreInitial: true, atomic: false, usePolling, interval: pollMs }
    // watches the root, since the file and the folder may be removed and created again
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
