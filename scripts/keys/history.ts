import { escaped, escapedJson } from '../../src/log/escaped.ts'
import type { KeyChange, KeyStore } from '../../src/store/store.ts'
import { print } from '../command-line/command.ts'
import { call } from './contract.ts'
import { timeText } from './times.ts'

/** Prints what was done to all keys, or to the one with this id. */
export async function history(keys: KeyStore, id: string | undefined, json = false): Promise<void> {
  const changes = await keys.changes(id)
  if (json) await print(escapedJson(changes.map(recorded)))
  else if (changes.length === 0) await print(`There are no keys. \`${call} create --help\` tells how to make one.`)
  else await print(changes.map(line).join('\n'))
}

/** A change for programs. */
function recorded({ key, change, at, by, until }: KeyChange): Record<string, unknown> {
  const end = until === undefined ? undefined : new Date(until).toISOString()
  return { at: new Date(at).toISOString(), key, change, until: end, by }
}

function line({ key, change, at, by, until }: KeyChange): string {
  const what = until === undefined ? change : `${change} until ${timeText(until)}`
  return escaped(`${timeText(at)}  ${key}  ${what.padEnd(34)}  ${by ?? 'unknown'}`)
}
