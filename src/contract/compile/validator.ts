import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { OpenAPIValidator, ValidationContext, type Operation } from 'openapi-backend'
import type { ContractModel } from '../model/model.ts'
import type { Body, Operation as ContractOperation } from '../model/operation.ts'
import type { Schema } from '../model/schema.ts'
import { exactText } from '../../integers.ts'
import { relevantFaults, type FaultsBy } from '../exchange/error-selection.ts'
import { numericDefinition } from './schemas/numbers.ts'
import { boundChecks } from './schemas/bounds.ts'
import { faultsBy } from './schemas/found-faults.ts'
import { CheckMemory } from './schemas/memory.ts'
import { onceDefinition } from './schemas/once.ts'
import { unevaluatedDefinition } from './schemas/unevaluated.ts'
import { uniqueItemsDefinition } from './schemas/unique-items.ts'
import { matcherOf } from '../model/pattern/matcher.ts'
import { stringFormats } from '../model/formats.ts'
import { Value } from '../model/value.ts'
import { alternativeNames, patternMessage } from '../exchange/keywords.ts'
import { schemaTranslator, type SchemaUse, type Translated } from './schemas/translator.ts'

/** The faults of a value, of which there are none if it is valid. */
export type Check = (value: unknown) => readonly ErrorObject[]

/** A validator with the translator of its schemas. */
interface Kind {
  ajv: Ajv | Ajv2020
  memory: CheckMemory
  translate: (schema: Schema | undefined) => Translated
}

interface ValidatorOptions extends Pick<SchemaUse, 'fills'> {
  /** Whether an object without `additionalProperties` in an answer allows none. */
  closed: boolean
  /** Whether it is enough to know that there is a fault. */
  quick?: boolean | undefined
  /** Whether an integer without a format may have any size. */
  wide?: boolean | undefined
}

type Kinds = Record<'texts' | 'values' | 'answers', Kind>

/**
 * openapi-backend's builder of validators, with one Ajv for each kind of value instead of one for each schema.
 * Operations with equal requests share their validators.
 */
export class ContractValidator extends OpenAPIValidator {
  readonly #kinds: Kinds
  readonly #isQuick: boolean
  readonly #shared = new Map<string, Check>()

  constructor(model: ContractModel, { closed, quick, wide, ...filling }: ValidatorOptions) {
    // each operation is handed over when its validators are built
    super({
      definition: { openapi: '3.0.3', info: { title: '', version: '' }, paths: {} },
      lazyCompileValidators: true,
    })
    this.#isQuick = quick ?? false
    const all = { quick, wide, ownProperties: hasInheritedNames(model) }
    this.#kinds = {
      texts: kind(model, { direction: 'request', bytes: true, ...filling }, { fromText: true, convert: true, ...all }),
      values: kind(model, { direction: 'request', ...filling }, { convert: true, ...all }),
      answers: kind(model, { direction: 'response', closed }, all),
    }
  }

  override getAjv(context: ValidationContext): Ajv | Ajv2020 {
    if (context === ValidationContext.Params) return this.#kinds.texts.ajv
    return context === ValidationContext.RequestBody ? this.#kinds.values.ajv : this.#kinds.answers.ajv
  }

  /** Checks and converts parameters by their place and name; their numbers are texts. */
  forParameters({ operationId, parameters }: ContractOperation): Check {
    const translated = parameters.map(({ name, in: place, required, schema, content }) => {
      const own = this.#kinds.texts.translate(schema ?? content[0]?.schema)
      return { name, in: place, required, schema: 'additionalProperties' in own ? apart(own) : own }
    })
    return this.#checkOf('texts', translated, () => this.#build({ operationId, parameters: translated }).at(-1))
  }

  /** Checks and converts the JSON value of a body. */
  forBody(
    { operationId }: Pick<ContractOperation, 'operationId'>,
    { required }: Pick<Body, 'required'>,
    schema: Schema | undefined,
  ): Check {
    const translated = this.#kinds.values.translate(schema)
    const requestBody = { required, content: { 'application/json': { schema: translated } } }
    return this.#checkOf('values', requestBody, () => this.#build({ operationId, parameters: [], requestBody })[0])
  }

  /** Checks and converts a body that is made of texts and bytes. */
  forForm({ required }: Body, schema: Schema | undefined): Check {
    const { ajv, translate } = this.#kinds.texts
    const whole = { type: 'object', properties: { requestBody: translate(schema) } }
    const needed = required ? { ...whole, required: ['requestBody'] } : whole
    return this.#checkOf('texts', needed, () => ajv.compile(needed))
  }

  /** Checks the body of an answer. */
  forAnswer(schema: Schema): Check {
    const translated = this.#kinds.answers.translate(schema)
    const responses = { 200: { description: '', content: { 'application/json': { schema: translated } } } }
    return this.#checkOf('answers', responses, () => {
      const operation = { operationId: 'any', path: '', method: 'get', responses } as unknown as Operation
      return this.buildStatusBasedResponseValidatorForOperation(operation)?.['200']
    })
  }

  #build(parts: object): ValidateFunction[] {
    return this.buildRequestValidatorsForOperation({ path: '', method: 'get', responses: {}, ...parts }) ?? []
  }

  #checkOf(kind: keyof Kinds, of: unknown, build: () => ValidateFunction | undefined): Check {
    const name = `${kind} ${exactText(of)}`
    const known = this.#shared.get(name)
    if (known) return known
    const validate = build()
    if (!validate) throw new Error('openapi-backend built no validator.')
    const { ajv, memory } = this.#kinds[kind]
    const ofPart = faultsOfPart(ajv, memory)
    const check: Check = (value) => {
      memory.begin()
      if (validate(value)) return noFaults
      return this.#isQuick ? (validate.errors ?? []) : relevantFaults(validate.errors ?? [], ofPart)
    }
    this.#shared.set(name, check)
    return check
  }
}

const noFaults: readonly ErrorObject[] = []

/** Checks a part of a schema for itself. Ajv keeps what it has compiled. */
function faultsOfPart(ajv: Ajv | Ajv2020, memory: CheckMemory): FaultsBy {
  return (schema, value, instancePath) => {
    const validate = ajv.compile(schema as Translated)
    const place = { instancePath, parentData: { value }, parentDataProperty: 'value', rootData: value as object }
    return memory.faults(schema, value, () => faultsBy(validate, value, { ...place, dynamicAnchors: {} }))
  }
}

interface Checking extends Pick<ValidatorOptions, 'quick' | 'wide'> {
  fromText?: boolean
  convert?: boolean
  ownProperties: boolean
}

function kind(
  model: ContractModel,
  use: SchemaUse,
  { quick = false, convert = false, ownProperties, ...ofNumbers }: Checking,
): Kind {
  const all = { ...options(convert), ...(quick ? hasty : {}), ownProperties }
  const memory = new CheckMemory()
  const ajv = model.isJsonSchema ? new Ajv2020(all) : new Ajv(all)
  boundChecks(ajv)
  formats.default(ajv, { formats: [...stringFormats] })
  ajv.addKeyword(numericDefinition({ convert, ...ofNumbers }))
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItemsDefinition(memory))
  ajv.addKeyword(onceDefinition(ajv, memory))
  if (model.isJsonSchema) {
    for (const keyword of ['unevaluatedItems', 'unevaluatedProperties'] as const)
      ajv.removeKeyword(keyword).addKeyword(unevaluatedDefinition(ajv, keyword, memory))
  }
  ajv.addVocabulary([patternMessage, alternativeNames])
  const translate = schemaTranslator(model, use, (key, schema) => {
    ajv.addSchema(schema, key)
  })
  return { ajv, memory, translate }
}

/** Whether a schema names a property that every object inherits. Only then the validators ask for own properties. */
function hasInheritedNames(model: ContractModel): boolean {
  let found = false
  model.eachSchema((schema) => {
    const { properties, required } = schema
    const dependent = Value.of(schema.get('dependentRequired')).entries.flatMap(([name, names]) => [
      name,
      ...names.list,
    ])
    const names = [...properties.keys(), ...required, ...schema.named('dependentSchemas').keys(), ...dependent]
    found ||= names.some((name) => String(name) in Object.prototype)
  })
  return found
}

/** openapi-backend would apply the `additionalProperties` of a parameter to all parameters of its place. */
function apart({ default: value, ...schema }: Translated): Translated {
  return { ...(value === undefined ? {} : { default: value }), allOf: [schema] }
}

/** A validator that is compiled faster, and says of a fault only that there is one. */
const hasty: Options = {
  allErrors: false,
  verbose: false,
  code: { regExp: matcherOf, optimize: false },
}

function options(useDefaults: boolean): Options {
  return {
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    // a property may have a schema of its own and match a pattern
    allowMatchingProperties: true,
    // the whole contract has been checked before
    meta: false,
    validateSchema: false,
    useDefaults,
    // as `true`, with which the time to look for references doubles with each list in another
    inlineRefs: Number.MAX_SAFE_INTEGER,
    // an error has its schema, with the message for a pattern
    verbose: true,
    code: { regExp: matcherOf },
  }
}
