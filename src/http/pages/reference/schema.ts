import { stringify } from 'lossless-json'
import { entriesOf, listOf, nodeOf, textOf, type Described, type Node } from './described.ts'
import { html, type Html } from './html.ts'
import { markdown } from './markdown.ts'

/** How deep the fields of a schema without a name are shown in each other. */
const deepest = 8

type Resolve = Described['resolve']

/** The type of a schema in a few words, in which a schema of the components is a link. */
export function typeOf(resolve: Resolve, schema: unknown, depth = 0): Html {
  const name = componentOf(schema)
  if (name !== undefined) return html`<a href="#schema-${encodeURIComponent(name)}">${name}</a>`
  const node = resolve(schema)
  const inside = (value: unknown): Html => (depth > deepest ? html`…` : typeOf(resolve, value, depth + 1))
  const types = [node.type].flat().filter((type) => typeof type === 'string')
  const nullable = node.nullable === true && !types.includes('null') ? ' or null' : ''
  const alternatives = [...listOf(node.oneOf), ...listOf(node.anyOf)]
  if (alternatives.length > 0) return html`${joined(alternatives.map(inside), ' or ')}${nullable}`
  const parts = listOf(node.allOf)
  if (parts.length > 0) return html`${joined(parts.map(inside), ' and ')}${nullable}`
  if (types.includes('array') || node.items !== undefined) {
    return html`array of ${node.items === undefined ? 'anything' : inside(node.items)}${nullable}`
  }
  const values = node.additionalProperties
  if (node.properties === undefined && Object.keys(nodeOf(values)).length > 0) {
    return html`object of ${inside(values)}${nullable}`
  }
  const format = textOf(node.format) && ` (${textOf(node.format)})`
  const shown = types.join(' or ') || (node.properties === undefined ? 'anything' : 'object')
  return html`${shown}${format}${nullable}`
}

function componentOf(schema: unknown): string | undefined {
  const [, name] = /^#\/components\/schemas\/([^/]+)$/.exec(textOf(nodeOf(schema).$ref)) ?? []
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
export function limitsOf(node: Node): Html | false {
  const values = listOf(node.enum)
  const [example = listOf(node.examples)[0]] = [node.example]
  const shown = Object.entries(limits).flatMap(([keyword, label]) => {
    const value = limitOf(node, keyword)
    return value === undefined ? [] : [html`<li>${label}: <code>${shortOf(value)}</code></li>`]
  })
  if (values.length > 0) {
    const codes = values.map((value, index) => html`${index > 0 && ', '}<code>${shortOf(value)}</code>`)
    shown.push(html`<li>One of: ${codes}</li>`)
  }
  if (node.uniqueItems === true) shown.push(html`<li>No item twice</li>`)
  if (node.readOnly === true) shown.push(html`<li>Only in answers</li>`)
  if (node.writeOnly === true) shown.push(html`<li>Only in requests</li>`)
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
function limitOf(node: Node, keyword: string): unknown {
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
export function fieldsOf(resolve: Resolve, schema: unknown, depth = 0): Html | false {
  const node = resolve(schema)
  if (depth > deepest) return false
  const required = listOf(node.required)
  const own = entriesOf(node.properties).map(([name, value]) => field(name, value, required.includes(name)))
  const { items, additionalProperties: values } = node
  const nested = [
    ...[node.allOf, node.oneOf, node.anyOf].flatMap(listOf),
    ...(items === undefined ? [] : [items]),
    ...(typeof values === 'object' ? [values] : []),
  ]
  const inside = nested.map((value) => componentOf(value) === undefined && fieldsOf(resolve, value, depth + 1))
  const shown = inside.filter((one) => one !== false)
  if (own.length === 0 && shown.length === 0) return false
  return html`${
    own.length > 0 &&
    html`<ul class="fields">
      ${own}
    </ul>`
  }${shown}`

  function field(name: string, value: unknown, isRequired: boolean): Html {
    const part = resolve(value)
    const isNamed = componentOf(value) !== undefined
    return html`<li>
      <code class="name">${name}</code>
      <span class="type">${typeOf(resolve, value)}</span
      >${isRequired && html` <span class="required">required</span>`}${part.deprecated === true && html` <span class="badge">deprecated</span>`}
      ${markdown(textOf(part.description), 6)}${!isNamed && limitsOf(part)}${!isNamed && fieldsOf(resolve, value, depth + 1)}
    </li>`
  }
}
