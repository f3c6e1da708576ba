import type { KeyStore } from '../store/store.ts'
import { digestOf, newKey, newRecord } from './key.ts'

/** The plans of the contract in its order; `custom` ones have their limits in the key. */
type Plans = ReadonlyMap<string, object | 'custom'>

export interface FirstKey {
  key: string
  plan: string
}

/** Makes a key of the first plan when the store has no key at all; `now` is Unix time in ms. */
export async function makeFirstKey(keys: KeyStore, plans: Plans, now: number): Promise<FirstKey | undefined> {
  const plan = firstPlan(plans)
  if (plan === undefined) return undefined
  const key = newKey()
  const record = newRecord({ plan, label: 'first key', createdAt: now })
  return (await keys.addFirst(record, digestOf(key))) ? { key, plan } : undefined
}

/** The first plan that has limits of its own, so that a key of it needs none. */
export function firstPlan(plans: Plans): string | undefined {
  return [...plans].find(([, limits]) => limits !== 'custom')?.[0]
}

/** A plan's name as people read it, such as Free. */
export function planTitle(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}
