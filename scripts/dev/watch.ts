import type { Stats } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { watch as watchPaths, type FSWatcher } from 'chokidar'

/** Changes are reported after this time without another change, in ms, so that no file is read half written. */
const settleMs = 50
/** The polling interval if the system has no watchers left, in ms. */
const pollMs = 500

export interface WatchParts {
  /** The folder that all names are relative to. */
  root: string
  files: readonly string[]
  /** All TypeScript files below it are watched. */
  folder: string
  /** Receives the names of files that were changed, added or removed. */
  onChange: (names: string[]) => void
}

export interface Watch {
  /** Watches these files instead of those that were given before. */
  follow: (files: readonly string[]) => void
  end: () => void
}

/** Watches some files and one folder. */
export function watch({ root, files, folder, onChange }: WatchParts): Watch {
  const top = resolve(root)
  const tree = resolve(root, folder)
  let followed = new Set<string>()
  let onTheWay = new Set<string>()
  note(files)
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let watcher = start({ usePolling: false })
  return {
    follow: (names) => {
      const known = onTheWay
      note(names)
      // a file is watched by its folder, so that another one may take its place
      for (const one of onTheWay) if (!known.has(one)) watcher.add(one)
    },
    end: () => {
      clearTimeout(timer)
      void watcher.close()
    },
  }

  function note(names: readonly string[]): void {
    followed = new Set(names.map((name) => resolve(root, name)))
    onTheWay = new Set([...followed].flatMap(foldersAbove))
  }

  /** The folders from the root, or of a file elsewhere its own folder. */
  function foldersAbove(path: string): string[] {
    const folder = dirname(path)
    return folder.startsWith(top + sep) ? [...foldersAbove(folder), folder] : [folder]
  }

  function start({ usePolling }: { usePolling: boolean }): FSWatcher {
    const ignored = (path: string, stats?: Stats): boolean => !isWatched(path, stats?.isFile() === true)
    // `atomic` would report removed files 100 ms later
    const options = { cwd: top, ignored, ignoreInitial: true, atomic: false, usePolling, interval: pollMs }
    // watches the root, since the file and the folder may be removed and created again
    return watchPaths([top, ...[...onTheWay].filter((path) => !path.startsWith(top))], options)
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
    return path === top || path === tree || followed.has(path) || (!isFile && onTheWay.has(path))
  }

  function hear(name: string): void {
    if (!isWatched(resolve(top, name), true)) return
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(() => {
      onChange([...changed])
      changed.clear()
    }, settleMs)
  }
}
