import type { KeyStore } from '../store/store.ts'
import { digestOf, newKey, newRecord } from './key.ts'

/** Makes a Free key when the store has no key at all, and gives its text; `now` is Unix time in ms. */
export async function makeFirstKey(keys: KeyStore, now: number): Promise<string | undefined> {
  const key = newKey()
  const record = newRecord({ plan: 'free', label: 'first key', createdAt: now })
  return (await keys.addFirst(record, digestOf(key))) ? key : undefined
}
