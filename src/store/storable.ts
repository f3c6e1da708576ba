import { StoreRefusal, type Resource } from './resource.ts'
import type { AnyRow } from './rows.ts'
import type { AnyTable } from './table.ts'

type AnyResource = Resource<AnyRow, string, string, string, AnyRow>

/**
 * A resource that refuses text with U+0000, also where it is asked for, before it comes to others in a batch. PostgreSQL
 * cannot store it in a text, and both engines do the same. In a nested value it is escaped, as JSON is.
 */
export function refusingUnstorable({ columns, key }: AnyTable, resource: AnyResource): AnyResource {
  const texts = Object.keys(columns).filter(
    (property) => columns[property]?.type === 'text' && !columns[property].encode,
  )
  const isKeyText = texts.includes(key)
  const hasNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0')
  const isRefused = (row: AnyRow): boolean => texts.some((property) => hasNul(row[property]))
  const isBehindNul = (after: unknown): boolean => (Array.isArray(after) ? after.some(hasNul) : hasNul(after))
  const refused = (): Promise<never> => Promise.reject(new StoreRefusal('unstorable'))
  return {
    find: (value) => (isKeyText && hasNul(value) ? refused() : resource.find(value)),
    list: (query) => (isRefused(query) || isBehindNul(query.after) ? refused() : resource.list(query)),
    add: (row) => (isRefused(row) ? refused() : resource.add(row)),
    addOnce: (row, once) => (isRefused(row) ? refused() : resource.addOnce(row, once)),
    replace: (row, options) => (isRefused(row) ? refused() : resource.replace(row, options)),
    put: (row, options) => (isRefused(row) ? refused() : resource.put(row, options)),
    patch: (value, changes, options) =>
      (isKeyText && hasNul(value)) || isRefused(changes) ? refused() : resource.patch(value, changes, options),
    remove: (value, options) => (isKeyText && hasNul(value) ? refused() : resource.remove(value, options)),
  }
}
