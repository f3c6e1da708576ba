import { deepSchemas, maxSchemas } from '../model/recursion.ts'
import { rule } from './rule.ts'

/** Schemas do not stand in each other so deep that what follows them has no room left. */
export const nesting = rule({
  id: 'schemas',
  on: 'document',
  stage: 'references',
  level: 'refused',
  check: (model, report) => {
    for (const { outer, inner } of deepSchemas(model)) {
      const message = `More than ${maxSchemas} schemas stand in each other here, those behind references among them.`
      report(outer.at, message, { fix: 'Put fewer of them into each other.', alsoAt: inner.map(({ at }) => at) })
    }
  },
})
