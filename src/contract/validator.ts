import { Ajv, type Options } from 'ajv'
import formats from 'ajv-formats'
import { OpenAPIValidator, ValidationContext } from 'openapi-backend'
import { numericDefinition } from './int64.ts'

/** Formats that are checked; any other one in the contract stops the start. Numbers have their own keyword. */
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

/** openapi-backend's builder of validators, over one Ajv for each kind instead of one for each schema. */
export class ContractValidator extends OpenAPIValidator {
  readonly #ajv = new Map<ValidationContext, Ajv>()

  override getAjv(context: ValidationContext): Ajv {
    const known = this.#ajv.get(context)
    if (known) return known
    const ajv = new Ajv(optionsFor(context))
    formats.default(ajv, { formats: [...knownFormats] })
    ajv.addKeyword(numericDefinition({ fromText: context === ValidationContext.Params, convert: isRequest(context) }))
    this.#ajv.set(context, ajv)
    return ajv
  }
}

function optionsFor(context: ValidationContext): Options {
  return {
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    useDefaults: isRequest(context),
    // parameters are text; in a body a string stays a string
    coerceTypes: context === ValidationContext.Params,
  }
}

function isRequest(context: ValidationContext): boolean {
  return context === ValidationContext.Params || context === ValidationContext.RequestBody
}
