import type { ErrorObject } from 'ajv'
import { ContractValidator, type Check } from '../compile/validator.ts'
import { describeFaults } from '../exchange/error-messages.ts'
import type { EitherParams } from '../exchange/error-selection.ts'
import { exactText } from '../../integers.ts'
import { kept } from '../../kept.ts'
import { Media, type Described } from '../model/media.ts'
import type { ContractModel } from '../model/model.ts'
import { Header } from '../model/operation.ts'
import type { Schema } from '../model/schema.ts'
import { type Report, type Rule, rule } from './rule.ts'

/** A default is valid: the service fills it into requests, and would refuse them. */
const validDefaults = rule({
  id: 'defaults',
  on: 'schema',
  stage: 'values',
  level: 'wrong',
  check: (schema, report, { model }) => {
    // a number that JSON does not have is a fault of its own
    const value = schema.get('default')
    if (typeof value === 'number' && !Number.isFinite(value)) return
    const faults = faultsOfDefault(model, schema)
    if (faults.length === 0) return
    report([...schema.at, 'default'], said('default', faults), { fix: 'Correct the default or the schema.' })
  },
})

/** What the service says of the default of a schema in a request; nothing without one. */
export function faultsOfDefault(model: ContractModel, schema: Schema): Faults {
  return schema.has('default') ? valuesOf(model).inRequest(schema, schema.get('default')) : []
}

/** The values of an enum are valid by the keywords beside it. */
const validEnums = rule({
  id: 'schemas',
  on: 'schema',
  stage: 'values',
  level: 'wrong',
  check: (schema, report, { model }) => {
    const { at, enum: values = [], node } = schema
    const { enum: _, default: __, ...others } = node
    if (values.length === 0 || Object.keys(others).length === 0) return
    const rest = model.schema(others, at)
    const isConst = model.written(at).field('const').isThere
    for (const [index, value] of values.entries()) {
      const faults = valuesOf(model).anywhere(rest, value)
      if (faults.length === 0) continue
      const where = isConst ? 'const' : `value ${exactText([value]).slice(1, -1)}`
      const effect = isConst ? 'so no value is valid' : 'so it is never valid'
      const message = said(where, faults).replace(/\.$/, `, ${effect}.`)
      report([...at, ...(isConst ? ['const'] : ['enum', String(index)])], message, { fix: 'Correct one of the two.' })
    }
  },
})

const exampleFix = { fix: 'Correct the example or the schema.' }

/** The examples of a schema are valid. */
const validSchemaExamples = rule({
  id: 'no-invalid-schema-examples',
  on: 'schema',
  stage: 'values',
  level: 'wrong',
  check: (schema, report, { model }) => {
    for (const { at, value } of schema.examples) {
      const faults = valuesOf(model).anywhere(schema, value)
      if (faults.length > 0) report(at, said('example', faults), exampleFix)
    }
  },
})

/** The examples of bodies are valid. */
const validMediaExamples = rule({
  id: 'no-invalid-media-type-examples',
  on: 'media',
  stage: 'values',
  level: 'wrong',
  check: ({ node, at }, report, { model }) => {
    const media = new Media(model, at.at(-1) ?? '', node, at)
    const isOfRequest = at.includes('requestBody') || at.includes('requestBodies') || at.includes('parameters')
    if (media.kind === 'json') checkExamples(media, isOfRequest, report, model)
  },
})

/** The examples of parameters are valid. */
const validParameterExamples = rule({
  id: 'no-invalid-parameter-examples',
  on: 'parameter',
  stage: 'values',
  level: 'wrong',
  check: ({ node, at }, report, { model }) => {
    checkExamples(model.parameter(node, at), true, report, model)
  },
})

/** The examples of headers are valid. */
const validHeaderExamples = rule({
  id: 'no-invalid-header-examples',
  on: 'header',
  stage: 'values',
  level: 'wrong',
  check: ({ node, at }, report, { model }) => {
    checkExamples(new Header(model, node, at), false, report, model)
  },
})

/** The rules on values that stand in a contract. */
export const valueRules: readonly Rule[] = [
  ...[validDefaults, validEnums, validSchemaExamples],
  ...[validMediaExamples, validParameterExamples, validHeaderExamples],
]

function checkExamples(
  { schema, examples }: Described,
  isOfRequest: boolean,
  report: Report,
  model: ContractModel,
): void {
  if (!schema) return
  const values = valuesOf(model)
  for (const { at, value } of examples) {
    const faults = isOfRequest ? values.inRequest(schema, value) : values.inAnswer(schema, value)
    if (faults.length > 0) report(at, said('example', faults), exampleFix)
  }
}

type Faults = readonly ErrorObject[]

/** What the service says of a value as the body of a request, or of an answer; `anywhere` if neither takes it. */
interface Values {
  inRequest: (schema: Schema, value: unknown) => Faults
  inAnswer: (schema: Schema, value: unknown) => Faults
  anywhere: (schema: Schema, value: unknown) => Faults
}

const known = new WeakMap<ContractModel, Values>()

function valuesOf(model: ContractModel): Values {
  return kept(known, model, () => made(model))
}

function made(model: ContractModel): Values {
  // most values are valid, and whether they are is faster to find out than why not
  const quick = checksOf(model, { quick: true })
  let full: ReturnType<typeof checksOf> | undefined
  const faultsBy =
    (way: keyof ReturnType<typeof checksOf>) =>
    (schema: Schema, value: unknown): Faults => {
      if (quick[way](schema)(value).length === 0) return []
      full ??= checksOf(model, { quick: false })
      return full[way](schema)(value)
    }
  const [inRequest, inAnswer] = [faultsBy('inRequest'), faultsBy('inAnswer')]
  return {
    inRequest,
    inAnswer,
    anywhere: (schema, value) => {
      const faults = inAnswer(schema, value)
      return faults.length > 0 && inRequest(schema, value).length > 0 ? faults : []
    },
  }
}

/** The checks of schemas by the validators of the service, each made once. */
function checksOf(
  model: ContractModel,
  { quick }: { quick: boolean },
): Record<'inRequest' | 'inAnswer', (schema: Schema) => Check> {
  const validator = new ContractValidator(model, { closed: false, quick })
  return {
    inRequest: once((schema) => {
      const check = validator.forBody({ operationId: 'any' }, { required: true }, schema)
      // a validator converts what it checks
      return (value) => check({ requestBody: structuredClone(value) }).map((fault) => within(fault, '/requestBody'))
    }),
    inAnswer: once((schema) => validator.forAnswer(schema)),
  }
}

function once(make: (schema: Schema) => Check): (schema: Schema) => Check {
  const made = new WeakMap<Schema, Check>()
  return ({ target }) => kept(made, target, () => make(target))
}

/** A fault with its place in a part of the value. */
function within(fault: ErrorObject, place: string): ErrorObject {
  const { either } = fault.params as Partial<EitherParams>
  const params = either
    ? { ...fault.params, either: either.map((one) => within(one, place)) }
    : (fault.params as object)
  return { ...fault, params, instancePath: fault.instancePath.replace(place, '') }
}

/** The faults of a value as a sentence: `The default must be <= 9.`, or `default.a is required.` of a part of it. */
function said(name: string, faults: Faults): string {
  const text = describeFaults(faults, name)
  return text.startsWith(`${name} `) ? `The ${text}` : text
}
