import type { KeyStore } from '../store/store.ts'
import { digestOf, newKey, newKeyId } from './key.ts'

/** Makes a Free key when the store has no key at all, and gives its text; `now` is Unix time in ms. */
export async function makeFirstKey(keys: KeyStore, now: number): Promise<string | undefined> {
  const key = newKey()
  const record = { plan: 'free', custom: undefined, label: 'first key', createdAt: now, revokedAt: undefined }
  return (await keys.addFirst({ id: newKeyId(), ...record }, digestOf(key))) ? key : undefined
}
