import type { FuncKeywordDefinition } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import type { CheckMemory } from './memory.ts'

/**
 * The check of `uniqueItems` in time that grows with the list. Ajv compares each item with all others, which takes
 * seconds for a body of 100 kB.
 */
export function uniqueItemsDefinition(memory: CheckMemory): FuncKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: true,
    compile(isUnique: boolean) {
      const check: DataValidateFunction = (items: unknown[]) => {
        if (!isUnique) return true
        const indexes = new Map<number, number>()
        for (const [j, item] of items.entries()) {
          const id = memory.identity(item)
          const i = indexes.get(id)
          indexes.set(id, j)
          if (i === undefined) continue
          check.errors = [{ keyword: 'uniqueItems', params: { i, j } }]
          return false
        }
        return true
      }
      return check
    },
  }
}
