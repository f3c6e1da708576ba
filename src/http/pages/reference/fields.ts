import { stringify } from 'lossless-json'
import { listOf, nodeOf, textOf, type Described, type DescribedOperation, type Node } from './described.ts'
import { html, type Html } from './html.ts'
import { markdown } from './markdown.ts'
import { exampleOf, jsonOf } from './sample.ts'
import { limitsOf, typeOf } from './schema.ts'

type Resolve = Described['resolve']

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

export function requestForm(resolve: Resolve, operation: DescribedOperation): RequestForm {
  const { method, path, server, keys, parameters, body } = operation
  const [media] = body?.content ?? []
  return {
    method: method.toUpperCase(),
    path,
    server,
    keys: keys[0] ?? [],
    needsKey: keys.every((places) => places.length > 0),
    parameters: parameters.map((parameter) => parameterOf(resolve, parameter)),
    ...(media === undefined ? {} : { body: bodyOf(resolve, ...media) }),
  }
}

function parameterOf(resolve: Resolve, node: Node): FormParameter {
  const [name, place] = [textOf(node.name), textOf(node.in)]
  const style = textOf(node.style) || (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const [media] = Object.values(nodeOf(node.content))
  const schema = resolve(node.schema)
  const types = [schema.type].flat()
  const isObject = types.includes('object') || schema.properties !== undefined
  const kind = media !== undefined ? 'text' : types.includes('array') ? 'list' : isObject ? 'object' : 'text'
  const required = node.required === true || place === 'path'
  const unique = place === 'header' && name.toLowerCase() === 'idempotency-key'
  const example = required ? exampleOf(resolve, media === undefined ? node : nodeOf(media), true) : undefined
  return {
    name,
    in: place,
    style,
    explode: typeof node.explode === 'boolean' ? node.explode : style === 'form',
    reserved: node.allowReserved === true,
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

function bodyOf(resolve: Resolve, type: string, media: Node): FormBody {
  const schema = resolve(media.schema)
  if (/^multipart\/|x-www-form-urlencoded/i.test(type)) {
    const sample = nodeOf(exampleOf(resolve, media, true))
    const names = Object.keys({ ...nodeOf(schema.properties), ...sample })
    const fields = names.flatMap((name) => {
      const isFile = isBytes(resolve, nodeOf(schema.properties)[name])
      const value = sample[name]
      if (!isFile && value === undefined) return []
      return [{ name, isFile, value: isFile ? '' : [value].flat().map(plainText).join('\n') }]
    })
    return { type, kind: 'fields', value: '', fields }
  }
  const isFile = schema.format === 'binary' || !/^text\/|json|xml/i.test(type)
  if (isFile) return { type, kind: 'file', value: '', fields: [] }
  const example = exampleOf(resolve, media, true)
  const isJson = /json/i.test(type)
  return { type, kind: 'text', value: isJson ? jsonOf(example) : plainText(example), fields: [] }
}

/** Whether a part of a form is bytes, as OpenAPI 3.0 or 3.1 has them. */
function isBytes(resolve: Resolve, schema: unknown): boolean {
  const { format, contentMediaType, items } = resolve(schema)
  return format === 'binary' || contentMediaType !== undefined || (items !== undefined && isBytes(resolve, items))
}

/** The parameters of an operation, each with its field. */
export function parametersHtml(resolve: Resolve, operation: DescribedOperation, form: RequestForm): Html {
  const rows = operation.parameters.map((node, index) => {
    const parameter = form.parameters[index]
    return parameter && parameterHtml(resolve, node, parameter, `${operation.id}.${index}`)
  })
  return html`${
    rows.length > 0 &&
    html`<h4>Parameters</h4>
      <div class="parameters">${rows}</div>`
  }`
}

function parameterHtml(resolve: Resolve, node: Node, parameter: FormParameter, id: string): Html {
  const schema = resolve(node.schema ?? nodeOf(Object.values(nodeOf(node.content))[0]).schema)
  const texts = [textOf(node.description)]
  if (parameter.unique) texts.push('If it is empty, this page sends a new one with each Execute.')
  return html`<div class="parameter" data-parameter="${parameter.name}">
    <label for="${id}"><code class="name">${parameter.name}</code></label>
    <span class="type">${typeOf(resolve, node.schema ?? schema)}</span>
    <span class="place">in ${parameter.in}</span
    >${parameter.required && html` <span class="required">required</span>`}${node.deprecated === true && html` <span class="badge">deprecated</span>`}
    ${markdown(texts.filter(Boolean).join('\n\n'), 4)}${limitsOf(schema)} ${control(schema, parameter, id)}
  </div>`
}

function control(schema: Node, { kind, required, value, bare, in: place, name }: FormParameter, id: string): Html {
  const field = `${place}.${name}`
  const [type] = [schema.type].flat()
  const values = type === 'boolean' ? [true, false] : listOf(schema.enum)
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
export function bodyHtml(
  resolve: Resolve,
  { body, id }: DescribedOperation,
  { body: form }: RequestForm,
): Html | false {
  if (body === undefined) return false
  const [media] = body.content
  return html`<h4>Body</h4>
    ${markdown(body.description, 4)}
    <p>
      <code>${media?.[0] ?? ''}</code>
      <span class="type">${typeOf(resolve, media?.[1].schema)}</span
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
