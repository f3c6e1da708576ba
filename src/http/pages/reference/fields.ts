import { stringify } from 'lossless-json'
import type { Value } from '../../../contract/model/value.ts'
import { deref, type DescribedOperation } from './described.ts'
import { html, type Html } from './html.ts'
import { markdown } from './markdown.ts'
import { exampleOf, jsonOf } from './sample.ts'
import { limitsOf, typeOf, typesIn } from './schema.ts'

/** What the script of the page needs to know of an operation to make its requests. */
export interface RequestForm {
  method: string
  path: string
  server: string
  /** The places of the key, in the first alternative. */
  keys: DescribedOperation['keys'][number]
  /** Whether it cannot be called without a key. */
  needsKey: boolean
  parameters: FormParameter[]
  body?: FormBody
}

export interface FormParameter {
  name: string
  in: string
  style: string
  explode: boolean
  reserved: boolean
  /** How the field's text is read: as it is, as lines of items, as a JSON object, or as JSON that is sent as it is. */
  kind: 'text' | 'list' | 'object'
  /** Whether it is no text in JSON. */
  bare: boolean
  required: boolean
  /** Whether it makes the request safe to repeat; an empty field then has a new value in each request. */
  unique: boolean
  /** The value at first. */
  value: string
}

export interface FormBody {
  type: string
  kind: 'text' | 'fields' | 'file'
  /** The text at first, of a body that is a text. */
  value: string
  /** The fields of a form. */
  fields: { name: string; isFile: boolean; value: string }[]
}

export function requestForm(operation: DescribedOperation): RequestForm {
  const { method, path, server, keys, parameters, body } = operation
  const [media] = body?.content ?? []
  return {
    method: method.toUpperCase(),
    path,
    server,
    keys: keys[0] ?? [],
    needsKey: keys.every((places) => places.length > 0),
    parameters: parameters.map(parameterOf),
    ...(media === undefined ? {} : { body: bodyOf(...media) }),
  }
}

function parameterOf(parameter: Value): FormParameter {
  const [name, place] = [parameter.field('name').text, parameter.field('in').text]
  const style = parameter.field('style').text || (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const [[, media] = []] = parameter.field('content').entries
  const schema = deref(parameter.field('schema'))
  const types = typesIn(schema)
  const isObject = types.includes('object') || schema.field('properties').isThere
  const kind = media !== undefined ? 'text' : types.includes('array') ? 'list' : isObject ? 'object' : 'text'
  const required = parameter.get('required') === true || place === 'path'
  const explode = parameter.get('explode')
  const unique = place === 'header' && name.toLowerCase() === 'idempotency-key'
  const example = required ? exampleOf(media ?? parameter, true) : undefined
  return {
    name,
    in: place,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    reserved: parameter.get('allowReserved') === true,
    kind,
    bare: ['integer', 'number', 'boolean'].some((type) => types.includes(type)),
    required,
    unique,
    value: media === undefined ? fieldText(example, kind) : (stringify(example) ?? ''),
  }
}

/** An example as the text of its field. */
function fieldText(value: unknown, kind: FormParameter['kind']): string {
  if (value === undefined) return ''
  if (kind === 'list') return [value].flat().map(plainText).join('\n')
  return plainText(value)
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (stringify(value) ?? '')
}

function bodyOf(type: string, media: Value): FormBody {
  const schema = deref(media.field('schema'))
  if (/^multipart\/|x-www-form-urlencoded/i.test(type)) {
    const sample = schema.with(exampleOf(media, true))
    const properties = schema.field('properties')
    const fields = [...new Set([...properties.keys, ...sample.keys])].flatMap((name) => {
      const isFile = isBytes(properties.field(name))
      const value = sample.get(name)
      if (!isFile && value === undefined) return []
      return [{ name, isFile, value: isFile ? '' : [value].flat().map(plainText).join('\n') }]
    })
    return { type, kind: 'fields', value: '', fields }
  }
  const isFile = schema.get('format') === 'binary' || !/^text\/|json|xml/i.test(type)
  if (isFile) return { type, kind: 'file', value: '', fields: [] }
  const example = exampleOf(media, true)
  const isJson = /json/i.test(type)
  return { type, kind: 'text', value: isJson ? jsonOf(example) : plainText(example), fields: [] }
}

/** Whether a part of a form is bytes, as OpenAPI 3.0 or 3.1 has them. */
function isBytes(schema: Value): boolean {
  const target = deref(schema)
  const items = target.field('items')
  const isFile = target.get('format') === 'binary' || target.get('contentMediaType') !== undefined
  return isFile || (items.isThere && isBytes(items))
}

/** The parameters of an operation, each with its field. */
export function parametersHtml(operation: DescribedOperation, form: RequestForm): Html {
  const rows = operation.parameters.map((declared, index) => {
    const parameter = form.parameters[index]
    return parameter && parameterHtml(declared, parameter, `${operation.id}.${index}`)
  })
  return html`${
    rows.length > 0 &&
    html`<h4>Parameters</h4>
      <div class="parameters">${rows}</div>`
  }`
}

function parameterHtml(declared: Value, parameter: FormParameter, id: string): Html {
  const own = declared.field('schema')
  const [[, media] = []] = declared.field('content').entries
  const schema = deref(own.isThere ? own : (media?.field('schema') ?? own))
  const texts = [declared.field('description').text]
  if (parameter.unique) texts.push('If it is empty, this page sends a new one with each Execute.')
  return html`<div class="parameter" data-parameter="${parameter.name}">
    <label for="${id}"><code class="name">${parameter.name}</code></label>
    <span class="type">${typeOf(own.isThere ? own : schema)}</span>
    <span class="place">in ${parameter.in}</span
    >${parameter.required && html` <span class="required">required</span>`}${declared.get('deprecated') === true && html` <span class="badge">deprecated</span>`}
    ${markdown(texts.filter(Boolean).join('\n\n'), 4)}${limitsOf(schema)} ${control(schema, parameter, id)}
  </div>`
}

function control(schema: Value, { kind, required, value, bare, in: place, name }: FormParameter, id: string): Html {
  const field = `${place}.${name}`
  const [type] = typesIn(schema)
  const values = type === 'boolean' ? [true, false] : schema.field('enum').list
  if (kind === 'text' && values.length > 0) {
    const options = values.map((one) => {
      const text = plainText(one)
      return html`<option${text === value && html` selected`}>${text}</option>`
    })
    return html`<select class="scripted" id="${id}" name="${field}">
      ${!required && html`<option value=""></option>`}${options}
    </select>`
  }
  if (kind !== 'text') {
    const hint = kind === 'list' ? 'One item a line' : 'A JSON object'
    return html`<textarea class="scripted" id="${id}" name="${field}" rows="2" placeholder="${hint}" spellcheck="false">
${value}</textarea>`
  }
  const mode = bare && html` inputmode="numeric"`
  return html`<input
    class="scripted"
    id="${id}"
    name="${field}"
    value="${value}"
    autocomplete="off"
    spellcheck="false"
    ${mode}
  />`
}

/** The body of an operation with its field, or the fields of a form. */
export function bodyHtml({ body, id }: DescribedOperation, { body: form }: RequestForm): Html | false {
  if (body === undefined) return false
  const [media] = body.content
  return html`<h4>Body</h4>
    ${markdown(body.description, 4)}
    <p>
      <code>${media?.[0] ?? ''}</code>
      <span class="type">${media && typeOf(media[1].field('schema'))}</span
      >${body.required && html` <span class="required">required</span>`}
    </p>
    ${body.content.length > 1 && html`<p>Also ${body.content.slice(1).map(([type], index) => html`${index > 0 && ', '}<code>${type}</code>`)}.</p>`}
    ${form && bodyControl(form, id)}`
}

function bodyControl({ kind, value, fields }: FormBody, id: string): Html {
  if (kind === 'text') {
    const rows = Math.min(Math.max(value.split('\n').length, 3), 16)
    return html`<textarea class="scripted body" name="body" rows="${rows}" aria-label="Request body" spellcheck="false">
${value}</textarea>`
  }
  if (kind === 'file') return html`<input class="scripted" type="file" name="body" aria-label="Request body" />`
  return html`${fields.map(
    ({ name, isFile, value: text }, index) =>
      html`<div class="parameter">
        <label for="${id}.body.${index}"><code class="name">${name}</code></label>
        ${
          isFile
            ? html`<input class="scripted" type="file" id="${id}.body.${index}" name="body.${name}" />`
            : html`<textarea class="scripted" id="${id}.body.${index}" name="body.${name}" rows="1" spellcheck="false">
${text}</textarea>`
        }
      </div>`,
  )}`
}
