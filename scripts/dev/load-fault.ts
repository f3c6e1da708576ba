import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The reason why the sources do not load, with the place in the project if it is known. */
export function loadFault(error: unknown, root: string): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message.replaceAll(root, '')
  // esbuild prints one line for each error, with columns from 0
  const faults = Array.from(
    message.matchAll(/^(\S+:\d+):(\d+): ERROR: (.+)$/gm),
    ([, line = '', column = '', what = '']) => `${line}:${Number(column) + 1} ${what}`,
  )
  if (faults.length > 0) return faults.join('\n')
  if (/^\S+:\d+:\d+ /.test(message)) return message
  const importer = / imported from (\S+)$/.exec(message)?.[1]
  const place = importer ?? firstPlace(error.stack ?? '', root)
  return `${place === undefined ? '' : `${place} `}${error.name}: ${message}`
}

/** The place in src/ where an error was thrown. */
function firstPlace(stack: string, root: string): string | undefined {
  const places = Array.from(stack.matchAll(/(file:\/\/[^\s)?]+|\/[^\s()?]+?\.ts)(?:\?[^\s:]*)?((?::\d+){1,2})/g))
  return places
    .map(([, file = '', at = '']) => relative(root, file.startsWith('file:') ? fileURLToPath(file) : file) + at)
    .find((place) => place.startsWith('src/'))
}
