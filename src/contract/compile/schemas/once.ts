import type { Ajv, CodeKeywordDefinition, ErrorObject, ValidateFunction } from 'ajv'
import { nil } from 'ajv/dist/compile/codegen/code.js'
import { callValidateCode } from 'ajv/dist/vocabularies/code.js'
import { onceKeyword } from '../../exchange/keywords.ts'
import type { CheckMemory } from './memory.ts'
import { addFaultsOf } from './bounds.ts'

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
      const check = cxt.gen.scopeValue('func', { ref: remembering(ajv, cxt.schema as string, memory) })
      cxt.result(callValidateCode(cxt, check, nil), undefined, () => {
        addFaultsOf(cxt, check)
      })
    },
  }
}

function remembering(ajv: Pick<Ajv, 'getSchema'>, key: string, memory: CheckMemory): ValidateFunction {
  let validate: ValidateFunction | undefined
  const faultsOf = (value: unknown, context: Parameters<ValidateFunction>[1]): readonly ErrorObject[] => {
    validate ??= ajv.getSchema(key) as ValidateFunction
    return validate(value, context) ? [] : (validate.errors ?? [])
  }
  const check = (value: unknown, context?: Parameters<ValidateFunction>[1]): boolean => {
    const faults = memory.faults(key, value, () => faultsOf(value, context))
    ;(check as { errors?: readonly ErrorObject[] | null }).errors = faults.length > 0 ? faults : null
    return faults.length === 0
  }
  return check as ValidateFunction
}
