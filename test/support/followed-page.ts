import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectCopy } from './project.ts'

/** The blocks of a text in Markdown that are in a language, in their order. */
export function blocks(part: string, language: string): string[] {
  return [...part.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].flatMap(([, of, text = '']) => (of === language ? text : []))
}

/** Blocks by the file that their first line names. */
export function byFile(part: string, language: string): Map<string, string> {
  return new Map(
    blocks(part, language).map((block) => {
      const [, file = '', text = ''] = /^(?:\/\/|#) (\S+)\n([^]*)$/.exec(block) ?? []
      return [file, text]
    }),
  )
}

/**
 * Writes the files that a part of a page contains to a copy of the project, and changes those of which it shows
 * differences. Returns their names, in the order of the page.
 */
export function follow(project: ProjectCopy, part: string, isWanted: (file: string) => boolean = () => true): string[] {
  const touched: string[] = []
  for (const [file, text] of byFile(part, 'diff')) {
    if (!isWanted(file)) continue
    touched.push(file)
    for (const hunk of text.split(/^@@\n/m)) {
      const lines = hunk.replace(/\n$/, '').split('\n')
      const side = (gone: string): string =>
        lines.flatMap((line) => (line.startsWith(gone) ? [] : line.slice(1))).join('\n')
      project.edit(file, side('+'), side('-'))
    }
  }
  for (const [file, text] of byFile(part, 'ts')) {
    if (!isWanted(file)) continue
    touched.push(existsSync(join(project.folder, file)) ? file : `${file} (new)`)
    project.write(file, text)
  }
  return touched
}
