import { keyAlternatives } from './contract-parts.js'

/** Stands for a value that each request makes anew. */
export const unique = Symbol('unique')
/** Stands for a file that the reader has. */
export const file = Symbol('file')

/**
 * The smallest request that the contract allows for an operation, with an example as the body. `operation` has no
 * references, `server` is where its paths are, and `fn` are Swagger UI's functions.
 */
export function requestOf({ contract, operation, path, method, server, fn }) {
  const parameters = operation.parameters ?? []
  const { url, headers } = fn.buildRequest({
    spec: { openapi: '3.0.3', servers: [{ url: server }], paths: { [path]: { [method]: operation } } },
    operationId: fn.opId(operation, path, method),
    parameters: Object.fromEntries(
      parameters.filter(({ required }) => required).map((one) => [`${one.in}.${one.name}`, exampleOf(one, fn)]),
    ),
  })
  const { Cookie: cookies, accept: _, ...others } = headers
  const idempotencyKey = parameters.find(isIdempotencyKey)
  const [keys] = keyAlternatives(contract, operation)
  return {
    method: method.toUpperCase(),
    address: url,
    keys,
    headers: [
      ...Object.entries(others),
      ...(cookies === undefined ? [] : [['Cookie', cookies]]),
      ...(idempotencyKey && !idempotencyKey.required ? [[idempotencyKey.name, unique]] : []),
    ],
    body: bodyOf(operation.requestBody?.content, fn),
  }
}

/** Whether a parameter makes requests safe to repeat. */
export function isIdempotencyKey(parameter) {
  return parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key'
}

function exampleOf({ example, examples, schema, content }, fn) {
  const [media] = Object.values(content ?? {})
  const value = fn.sampleValue(schema ?? media?.schema ?? {}, firstOf(example, examples))
  return media ? JSON.stringify(value) : value
}

function firstOf(example, examples) {
  return example ?? Object.values(examples ?? {})[0]?.value
}

/** A body as a text of its type, as the fields of a form, or as a file. */
function bodyOf(content, fn) {
  const [first] = Object.entries(content ?? {})
  if (!first) return undefined
  const [type, { schema = {}, example, examples }] = first
  const given = firstOf(example, examples)
  if (/^multipart\/|x-www-form-urlencoded/i.test(type)) {
    const fields = Object.entries(fn.sampleValue(schema, given) ?? {}).flatMap(([name, value]) => {
      if (isFile(schema.properties?.[name])) return [[name, file]]
      return [value].flat().map((one) => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)])
    })
    return { type, fields }
  }
  if (schema.format === 'binary' || !/^text\/|json|xml/i.test(type)) return { type, file }
  return { type, text: fn.getSampleSchema(schema, type, { includeWriteOnly: true }, given) }
}

/** Whether a part of a form is bytes, as OpenAPI 3.0 or 3.1 has them. */
function isFile({ format, contentMediaType, items } = {}) {
  return format === 'binary' || contentMediaType !== undefined || (items !== undefined && isFile(items))
}
