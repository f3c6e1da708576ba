import { stringify } from 'lossless-json'
import type { Value } from '../../../contract/model/value.ts'
import { deref } from './described.ts'
import { html, type Html } from './html.ts'
import { markdown } from './markdown.ts'

/** How deep the fields of a schema without a name are shown in each other. */
const deepest = 8

/** The type of a schema in a few words, in which a schema of the components is a link. */
export function typeOf(schema: Value, depth = 0): Html {
  const name = componentOf(schema)
  if (name !== undefined) return html`<a href="#schema-${encodeURIComponent(name)}">${name}</a>`
  const target = deref(schema)
  const inside = (value: Value): Html => (depth > deepest ? html`…` : typeOf(value, depth + 1))
  const types = typesIn(target)
  const nullable = target.get('nullable') === true && !types.includes('null') ? ' or null' : ''
  const alternatives = [...target.field('oneOf').items, ...target.field('anyOf').items]
  if (alternatives.length > 0) return html`${joined(alternatives.map(inside), ' or ')}${nullable}`
  const parts = target.field('allOf').items
  if (parts.length > 0) return html`${joined(parts.map(inside), ' and ')}${nullable}`
  const [items, values, properties] = ['items', 'additionalProperties', 'properties'].map((key) => target.field(key))
  if (types.includes('array') || items?.isThere) {
    return html`array of ${items?.isThere ? inside(items) : 'anything'}${nullable}`
  }
  if (!properties?.isThere && values && values.keys.length > 0) return html`object of ${inside(values)}${nullable}`
  const format = target.field('format').text
  const shown = types.join(' or ') || (properties?.isThere ? 'object' : 'anything')
  return html`${shown}${format && ` (${format})`}${nullable}`
}

/** The types that a schema names, null among them. */
export function typesIn(schema: Value): string[] {
  return [schema.get('type')].flat().filter((type) => typeof type === 'string')
}

function componentOf(schema: Value): string | undefined {
  const [, name] = /^#\/components\/schemas\/([^/]+)$/.exec(schema.field('$ref').text) ?? []
  return name === undefined ? undefined : name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, index) => html`${index > 0 && between}${part}`)}`
}

/** What of a schema is shown beside its type. */
const limits: Record<string, string> = {
  const: 'Always',
  default: 'Default',
  minimum: 'At least',
  exclusiveMinimum: 'More than',
  maximum: 'At most',
  exclusiveMaximum: 'Less than',
  multipleOf: 'A multiple of',
  minLength: 'Characters, at least',
  maxLength: 'Characters, at most',
  pattern: 'Pattern',
  minItems: 'Items, at least',
  maxItems: 'Items, at most',
  minProperties: 'Fields, at least',
  maxProperties: 'Fields, at most',
}

/** The limits of a schema, such as `At most: 100`; nothing when there is none. */
export function limitsOf(schema: Value): Html | false {
  const values = schema.field('enum').list
  const { example = schema.get('examples', '0'), uniqueItems, readOnly, writeOnly } = schema.node
  const shown = Object.entries(limits).flatMap(([keyword, label]) => {
    const value = limitOf(schema, keyword)
    return value === undefined ? [] : [html`<li>${label}: <code>${shortOf(value)}</code></li>`]
  })
  if (values.length > 0) {
    const codes = values.map((value, index) => html`${index > 0 && ', '}<code>${shortOf(value)}</code>`)
    shown.push(html`<li>One of: ${codes}</li>`)
  }
  if (uniqueItems === true) shown.push(html`<li>No item twice</li>`)
  if (readOnly === true) shown.push(html`<li>Only in answers</li>`)
  if (writeOnly === true) shown.push(html`<li>Only in requests</li>`)
  if (example !== undefined && typeof example !== 'object')
    shown.push(html`<li>Example: <code>${shortOf(example)}</code></li>`)
  return (
    shown.length > 0 &&
    html`<ul class="limits">
      ${shown}
    </ul>`
  )
}

/** OpenAPI 3.0 makes a limit an exclusive one by a keyword beside it. */
function limitOf({ node }: Value, keyword: string): unknown {
  const value = node[keyword]
  if (typeof value === 'boolean' && keyword.startsWith('exclusive')) {
    return value ? node[keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum'] : undefined
  }
  if (keyword === 'minimum' && node.exclusiveMinimum === true) return undefined
  if (keyword === 'maximum' && node.exclusiveMaximum === true) return undefined
  return value
}

function shortOf(value: unknown): string {
  return typeof value === 'string' ? value : (stringify(value) ?? '')
}

/** The fields of a schema, also of the schemas without a name in it. A schema with a name is shown once, by itself. */
export function fieldsOf(schema: Value, depth = 0): Html | false {
  const target = deref(schema)
  if (depth > deepest) return false
  const required = target.field('required').list
  const own = target.field('properties').entries.map(([name, value]) => field(name, value, required.includes(name)))
  const nested = [
    ...['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => target.field(keyword).items),
    ...['items', 'additionalProperties'].map((keyword) => target.field(keyword)).filter(({ keys }) => keys.length > 0),
  ]
  const inside = nested.map((value) => componentOf(value) === undefined && fieldsOf(value, depth + 1))
  const shown = inside.filter((one) => one !== false)
  if (own.length === 0 && shown.length === 0) return false
  return html`${
    own.length > 0 &&
    html`<ul class="fields">
      ${own}
    </ul>`
  }${shown}`

  function field(name: string, value: Value, isRequired: boolean): Html {
    const part = deref(value)
    const isNamed = componentOf(value) !== undefined
    return html`<li>
      <code class="name">${name}</code>
      <span class="type">${typeOf(value)}</span
      >${isRequired && html` <span class="required">required</span>`}${part.get('deprecated') === true && html` <span class="badge">deprecated</span>`}
      ${markdown(part.field('description').text, 6)}${!isNamed && limitsOf(part)}${!isNamed && fieldsOf(value, depth + 1)}
    </li>`
  }
}
