import type { BodyForm, BodyTypes, FormPart, ParseJson } from '../../compiled.ts'
import { nodeOf, type Node } from '../../model/tree.ts'
import { inside } from '../../exchange/error-messages.ts'
import { InvalidRequest } from '../../exchange/invalid-request.ts'
import { isJson, isWithin, kindOf, plainType, type BodyKind } from '../../exchange/media-types.ts'
import { partsOf, propertiesOf, together, typesOf } from '../schemas/parts.ts'
import { readQuery, type QueryShape } from '../../exchange/query.ts'
import type { ResolvedBody, ResolvedMedia, ResolvedOperation } from '../resolve.ts'
import { fromTexts } from '../../exchange/coercion.ts'
import type { Check, ContractValidator } from '../validator.ts'

/** The bodies of an operation, by media type. */
export interface BodyReader {
  types: BodyTypes
  /** The check of a body of this media type; of one without a type, the check for a missing body. */
  checkOf: (type: string | undefined) => Check | undefined
}

/** Compiles how bodies of the media types of an operation are read and checked. */
export function bodyReader(
  root: unknown,
  operation: ResolvedOperation,
  validator: ContractValidator,
): BodyReader | undefined {
  const { requestBody } = operation
  if (!requestBody) return undefined
  const forms = Object.entries(requestBody.content).map(([name, media]) => {
    const kind = kindOf(root, name, media) ?? 'bytes'
    const check = checkFor(operation, requestBody, kind, media, validator)
    return { type: plainType(name), form: formOf(root, kind, media), check }
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
  operation: ResolvedOperation,
  requestBody: ResolvedBody,
  kind: BodyKind,
  { schema }: ResolvedMedia,
  validator: ContractValidator,
): Check {
  if (kind === 'json') return validator.forBody(operation, requestBody, schema ?? {})
  return validator.forForm(requestBody, kind === 'bytes' ? {} : (schema ?? {}))
}

function formOf(root: unknown, kind: BodyKind, media: ResolvedMedia): BodyForm {
  if (kind === 'json' || kind === 'bytes') return { kind }
  const convert = fromTexts(root, media.schema) ?? ((value: unknown) => value)
  if (kind === 'text') return { kind, read: convert }
  const fields = fieldsOf(root, media)
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
        if (typeof form[name] === 'string') form[name] = parseJson(Buffer.from(form[name]))
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
  encoding: Node
}

function fieldsOf(root: unknown, { schema, encoding }: ResolvedMedia): Map<string, Field> {
  return new Map(
    Array.from(propertiesOf(partsOf(root, schema)), ([name, schemas]): [string, Field] => {
      const parts = partsOf(root, together(schemas))
      const types = typesOf(parts)
      const list = types.has('array')
      const item = list ? partsOf(root, together(parts.flatMap(({ items }) => items ?? []))) : parts
      const itemTypes = typesOf(item)
      return [
        name,
        {
          list,
          json: itemTypes.has('object'),
          bytes: item.some(({ format }) => format === 'binary'),
          encoding: nodeOf(nodeOf(encoding)[name]),
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
    const value: unknown = isJsonPart ? parseJson(bytes) : isText ? bytes.toString('utf8') : bytes
    const known = values.get(name)
    if (field?.list) values.set(name, [...((known ?? []) as unknown[]), value])
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
