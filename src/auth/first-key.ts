import type { KeyStore } from '../store/store.ts'
import { digestOf, newKey, newRecord, startOf } from './key.ts'

export interface FirstKey {
  key: string
  plan: string
}

/** Makes a key of this plan, if there is one, when the store has no key at all; `now` is Unix time in ms. */
export async function makeFirstKey(
  keys: KeyStore,
  plan: string | undefined,
  now: number,
): Promise<FirstKey | undefined> {
  if (plan === undefined) return undefined
  const key = newKey()
  const record = newRecord({ plan, start: startOf(key), label: 'first key', createdAt: now })
  return (await keys.addFirst(record, digestOf(key))) ? { key, plan } : undefined
}
