import type { Code, ErrorObject, KeywordCxt, ValidateFunction } from 'ajv'
import { _ } from 'ajv'
import { nil } from 'ajv/dist/compile/codegen/code.js'
import names from 'ajv/dist/compile/names.js'
import { callValidateCode } from 'ajv/dist/vocabularies/code.js'

/** Where Ajv is in the value that it checks. */
export type CheckContext = NonNullable<Parameters<ValidateFunction>[1]>

type Faults = readonly ErrorObject[]

/** The faults of a value by a compiled schema. */
export function faultsBy(validate: ValidateFunction, value: unknown, context?: CheckContext): Faults {
  return validate(value, context) ? [] : (validate.errors ?? [])
}

/** Makes the code of a keyword whose faults a function finds; they are added as Ajv adds those behind a reference. */
export function checkBy(cxt: KeywordCxt, find: (value: unknown, context: CheckContext) => Faults): void {
  const check = (value: unknown, context: CheckContext): boolean => {
    const faults = find(value, context)
    ;(check as { errors?: Faults | null }).errors = faults.length > 0 ? faults : null
    return faults.length === 0
  }
  const { gen } = cxt
  const { vErrors, errors } = names.default
  const source = gen.scopeValue('func', { ref: check })
  const found: Code = _`${source}.errors`
  cxt.result(callValidateCode(cxt, source, nil), undefined, () => {
    gen.assign(vErrors, _`${vErrors} === null ? ${found} : ${vErrors}.concat(${found})`)
    gen.assign(errors, _`${vErrors}.length`)
  })
}
