import type { BodyForm, BodyTypes, FormPart, ParseJson } from '../../compiled.ts'
import type { BodyKind, Media } from '../../model/media.ts'
import { isJson, isWithin, plainType } from '../../model/media-type.ts'
import type { Body, Operation } from '../../model/operation.ts'
import { shapeOf } from '../../model/shape.ts'
import { inside } from '../../exchange/error-messages.ts'
import { InvalidRequest } from '../../exchange/invalid-request.ts'
import { readQuery, type QueryShape } from '../../exchange/query.ts'
import { fromTexts } from '../../exchange/coercion.ts'
import type { Check, ContractValidator } from '../validator.ts'

/** The bodies of an operation, by media type. */
export interface BodyReader {
  types: BodyTypes
  /** The check of a body of this media type; of one without a type, the check for a missing body. */
  checkOf: (type: string | undefined) => Check | undefined
}

/** Compiles how bodies of the media types of an operation are read and checked. */
export function bodyReader(operation: Operation, validator: ContractValidator): BodyReader | undefined {
  const { body } = operation
  if (!body) return undefined
  const forms = body.content.map((media) => {
    const { type, kind = 'bytes' } = media
    return { type, form: formOf(kind, media), check: checkFor(operation, { body, kind, media }, validator) }
  })
  // exact types before ranges
  forms.sort((a, b) => Number(a.type.includes('*')) - Number(b.type.includes('*')))
  const find = (type: string): (typeof forms)[number] | undefined => forms.find((one) => isWithin(type, one.type))
  const [first] = forms
  return {
    types: { names: forms.map(({ type }) => type), find: (type) => find(type)?.form },
    checkOf: (type) => (type === undefined ? first : find(type))?.check,
  }
}

function checkFor(
  operation: Operation,
  { body, kind, media }: { body: Body; kind: BodyKind; media: Media },
  validator: ContractValidator,
): Check {
  if (kind === 'json') return validator.forBody(operation, body, media.schema)
  return validator.forForm(body, kind === 'bytes' ? undefined : media.schema)
}

function formOf(kind: BodyKind, media: Media): BodyForm {
  if (kind === 'json' || kind === 'bytes') return { kind }
  const convert = (media.schema && fromTexts(shapeOf(media.schema))) ?? ((value: unknown) => value)
  if (kind === 'text') return { kind, read: convert }
  const fields = fieldsOf(media)
  if (kind === 'multipart') return { kind, read: (parts, parseJson) => convert(objectFrom(parts, fields, parseJson)) }
  const shape: QueryShape = {
    lists: new Set(namesWhere(fields, ({ list, encoding }) => list && encoding.explode !== false)),
    separated: new Map(
      namesWhere(fields, ({ list, encoding }) => list && encoding.explode === false).map((n) => [n, ',']),
    ),
    deep: new Set(namesWhere(fields, ({ encoding }) => encoding.style === 'deepObject')),
  }
  return {
    kind,
    read: (text, parseJson) => {
      const form: Record<string, unknown> = readQuery(text, shape, 'body')
      for (const name of namesWhere(fields, ({ json, encoding }) => json && encoding.style !== 'deepObject')) {
        if (typeof form[name] === 'string') form[name] = parseJson(Buffer.from(form[name]), inside('body', name))
      }
      return convert(form)
    },
  }
}

/** What a field of a form is. */
interface Field {
  list: boolean
  /** Whether a part is JSON by default, as for objects. */
  json: boolean
  bytes: boolean
  encoding: ReturnType<Media['encoding']>
}

function fieldsOf(media: Media): Map<string, Field> {
  return new Map(
    Array.from(media.schema ? shapeOf(media.schema).properties : [], ([name, field]): [string, Field] => {
      const list = field.types.has('array')
      const item = list ? field.items : field
      return [
        name,
        {
          list,
          json: item?.types.has('object') === true,
          bytes: item?.parts.some(({ format }) => format === 'binary') === true,
          encoding: media.encoding(name),
        },
      ]
    }),
  )
}

/** The fields that the parts of a multipart body make: bytes, JSON values, and texts. */
function objectFrom(
  parts: readonly FormPart[],
  fields: ReadonlyMap<string, Field>,
  parseJson: ParseJson,
): Record<string, unknown> {
  const values = new Map<string, unknown>()
  for (const part of parts) {
    const { name, bytes } = part
    const field = fields.get(name)
    refuseOtherTypes(part, field)
    const isText = !field?.bytes && (field !== undefined || part.filename === undefined)
    const isJsonPart = field?.json === true || (isText && part.type !== undefined && isJson(part.type))
    const value: unknown = isJsonPart ? parseJson(bytes, inside('body', name)) : isText ? bytes.toString('utf8') : bytes
    const known = values.get(name)
    if (field?.list && Array.isArray(known)) known.push(value)
    else if (field?.list) values.set(name, [value])
    else if (known === undefined) values.set(name, value)
    else throw new InvalidRequest(`${inside('body', name)} must not be given more than once`)
  }
  return Object.fromEntries(values)
}

function refuseOtherTypes({ name, type }: FormPart, field: Field | undefined): void {
  const declared = field?.encoding.contentType
  if (typeof declared !== 'string' || type === undefined) return
  if (!declared.split(',').some((one) => isWithin(type, plainType(one)))) {
    throw new InvalidRequest(`${inside('body', name)} must be of the type ${declared}`)
  }
}

function namesWhere(fields: ReadonlyMap<string, Field>, is: (field: Field) => boolean): string[] {
  return [...fields].filter(([, field]) => is(field)).map(([name]) => name)
}
