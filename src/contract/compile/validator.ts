import { Ajv, type Options, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { OpenAPIValidator, ValidationContext, type Operation } from 'openapi-backend'
import { exactText } from '../integers.ts'
import { numericDefinition } from './numbers.ts'

/** The formats of strings that are checked. Any other format in the contract stops the start. */
const knownFormats = [
  'binary',
  'byte',
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'password',
  'time',
  'uri',
  'uri-reference',
  'uuid',
] as const

/**
 * openapi-backend's builder of validators, with one Ajv for each kind of validator instead of one for each schema.
 * Operations with equal requests share their validators.
 */
export class ContractValidator extends OpenAPIValidator {
  readonly #ajv = new Map<ValidationContext, Ajv>()
  readonly #shared = new Map<string, ValidateFunction[] | null>()

  override getAjv(context: ValidationContext): Ajv {
    const known = this.#ajv.get(context)
    if (known) return known
    const ajv = new Ajv(optionsFor(context))
    formats.default(ajv, { formats: [...knownFormats] })
    ajv.addKeyword(numericDefinition({ fromText: context === ValidationContext.Params, convert: isRequest(context) }))
    this.#ajv.set(context, ajv)
    return ajv
  }

  override buildRequestValidatorsForOperation(operation: Operation): ValidateFunction[] | null {
    const taken = textOf([operation.parameters, operation.requestBody])
    const known = taken === undefined ? undefined : this.#shared.get(taken)
    if (known !== undefined) return known
    const validators = super.buildRequestValidatorsForOperation(operation)
    if (taken !== undefined) this.#shared.set(taken, validators)
    return validators
  }
}

/** The value as text; undefined when the value contains itself. */
function textOf(value: unknown): string | undefined {
  try {
    return exactText(value)
  } catch {
    return undefined
  }
}

function optionsFor(context: ValidationContext): Options {
  return {
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    // the whole contract has been checked before
    meta: false,
    validateSchema: false,
    useDefaults: isRequest(context),
    // parameters arrive as text; in a body a string stays a string
    coerceTypes: context === ValidationContext.Params,
  }
}

function isRequest(context: ValidationContext): boolean {
  return context === ValidationContext.Params || context === ValidationContext.RequestBody
}
