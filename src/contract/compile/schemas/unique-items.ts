import type { FuncKeywordDefinition } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { stringify } from 'lossless-json'
import { isNode } from '../../model/tree.ts'

/**
 * The check of `uniqueItems` in time that grows with the list. Ajv compares each item with all others, which takes
 * seconds for a body of 100 kB.
 */
export const uniqueItemsDefinition: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  compile(isUnique: boolean) {
    const check: DataValidateFunction = (items: unknown[]) => {
      if (!isUnique) return true
      const indexes = new Map<string, number>()
      for (const [j, item] of items.entries()) {
        const text = textOf(item)
        const i = indexes.get(text)
        indexes.set(text, j)
        if (i === undefined) continue
        check.errors = [{ keyword: 'uniqueItems', params: { i, j } }]
        return false
      }
      return true
    }
    return check
  },
}

/** A text that only equal values of JSON share, also where one has its properties in another order. */
function textOf(value: unknown): string {
  const sorted = (_: string, part: unknown): unknown =>
    isNode(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
  return stringify(value, sorted) ?? ''
}
