import type { Ajv, CodeKeywordDefinition, ValidateFunction } from 'ajv'
import { onceKeyword } from '../../exchange/keywords.ts'
import { checkBy, faultsBy } from './found-faults.ts'
import type { CheckMemory } from './memory.ts'

/**
 * A reference to a schema that contains itself. What the schema says of a value is remembered within one check: several
 * alternatives may lead to the same parts of a value, and without a memory each level of a value would cost as many
 * times more as there are alternatives.
 */
export function onceDefinition(ajv: Pick<Ajv, 'getSchema'>, memory: CheckMemory): CodeKeywordDefinition {
  return {
    keyword: onceKeyword,
    schemaType: 'string',
    code(cxt) {
      const key = cxt.schema as string
      let validate: ValidateFunction | undefined
      checkBy(cxt, (value, context) =>
        memory.faults(key, value, () =>
          faultsBy((validate ??= ajv.getSchema(key) as ValidateFunction), value, context),
        ),
      )
    },
  }
}
