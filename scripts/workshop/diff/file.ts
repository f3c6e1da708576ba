import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, parse } from 'node:path'
import { contractBytes } from '../../../src/contract/model/files/files.ts'
import { textOf } from '../../../src/contract/model/files/text.ts'
import { nearest } from '../../../src/contract/model/nearest.ts'

/** Whether there is something to read with this name. */
export function isThere(file: string): boolean {
  return existsSync(file) && !statSync(file).isDirectory()
}

/** The text of a file. If it cannot be read, throws an error that says what to do. */
export function readFile(file: string): string {
  if (!existsSync(file)) throw new Error(missingFile(file))
  return textOf(contractBytes(file), file)
}

/** Says that there is no such file, with the most similar name in its folder. */
export function missingFile(file: string): string {
  const folder = dirname(file)
  const names = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []
  const near = nearestFile(file, names)
  return `There is no file ${file}.${near === undefined ? '' : ` Did you mean ${near}?`}`
}

/** The file in the same folder with the most similar name, of which the extension may be another one. */
export function nearestFile(file: string, names: readonly string[]): string | undefined {
  const others = names.filter((name) => name !== basename(file))
  const stem = nearest(
    parse(file).name,
    others.map((name) => parse(name).name),
  )
  const near = others.find((name) => parse(name).name === stem)
  return near === undefined ? undefined : join(dirname(file), near)
}
