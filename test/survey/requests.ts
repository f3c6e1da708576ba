import { stringify } from 'lossless-json'
import type { Operation, Parameter } from '../../src/contract/model/operation.ts'
import type { Schema } from '../../src/contract/model/schema.ts'
import { samplers } from '../../src/mock/sample.ts'
import { addKey, type Mock } from '../faults/mocks.ts'
import type { Judged } from './judge.ts'

/** A request as the contract says, with the texts that must be valid for that. */
export interface Request {
  target: string
  init: { method: string; headers: Record<string, string>; body?: string }
  parts: Judged[]
}

/**
 * A request for an operation, its number-th one: with all parameters that are written as one text or as a list, or with
 * those alone that it needs. Undefined where it needs more, such as a body that is no JSON, or where none can be sent.
 */
export function requestOf(operation: Operation, mock: Mock, number: number): Request | undefined {
  const { method, path, serverPath = '', parameters, body, security } = operation
  const parts: Judged[] = []
  const headers: Record<string, string> = {}
  const query: string[] = []
  addKey({ headers, query }, security, mock.key)
  const made = (schema: Schema | undefined): unknown => {
    if (!schema) return 'a'
    const value = sampleOf(schema, number)
    parts.push({ at: schema.at, way: 'request', text: stringify(value) ?? 'null' })
    return value
  }
  let filled = path
  for (const parameter of parameters) {
    if (!parameter.required && number % 2 === 1) continue
    // the key stands there
    if (parameter.in === 'header' && Object.keys(headers).some((name) => name.toLowerCase() === parameter.key)) continue
    const isPlain = !parameter.isJson && parameter.structure !== 'object' && /^(form|simple)$/.test(parameter.style)
    if (!isPlain && !parameter.required) continue
    const value = isPlain ? made(parameter.schema) : undefined
    const texts = textsOf(value)
    if (texts === undefined) {
      if (!parameter.required) continue
      return undefined
    }
    if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, texts.map(encodeURIComponent).join(','))
    else if (!write(parameter, texts, { headers, query }) && parameter.required) return undefined
  }
  const init: Request['init'] = { method: method.toUpperCase(), headers }
  const json = body?.content.find(({ kind }) => kind === 'json')
  const takesBody = !['get', 'head'].includes(method)
  if (body?.required === true && !(json && takesBody)) return undefined
  if (json && takesBody && (body?.required === true || number % 2 === 0)) {
    headers['Content-Type'] = json.name.replaceAll('*', 'json')
    init.body = stringify(made(json.schema)) ?? 'null'
  }
  const search = query.length > 0 ? `?${query.join('&')}` : ''
  // what stands behind # is not sent, and behind ? it is no path
  return /[{#?]/.test(filled) ? undefined : { target: `${mock.address}${serverPath}${filled}${search}`, init, parts }
}

/** Writes a parameter; false if its texts cannot stand there. */
function write(
  { in: place, name, explode }: Parameter,
  texts: readonly string[],
  { headers, query }: { headers: Record<string, string>; query: string[] },
): boolean {
  const encoded = texts.map(encodeURIComponent)
  if (place === 'query') {
    const key = encodeURIComponent(name)
    query.push(...(explode ? encoded.map((text) => `${key}=${text}`) : [`${key}=${encoded.join(',')}`]))
    return true
  }
  if (place === 'cookie') headers.Cookie = [headers.Cookie, `${name}=${encoded.join(',')}`].filter(Boolean).join('; ')
  else headers[name] = texts.join(',')
  return texts.every((text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text))
}

/** The texts of a value that is single, or a list of such; undefined for any other, and for an empty one. */
function textsOf(value: unknown): string[] | undefined {
  const all = Array.isArray(value) ? value.map(String) : [String(value)]
  const isSingle = [value].flat().every((one) => one !== null && one !== undefined && typeof one !== 'object')
  return isSingle && all.length > 0 && all.every((text) => text !== '' && text !== '.' && text !== '..')
    ? all
    : undefined
}

function sampleOf(schema: Schema, number: number): unknown {
  const all = samplers(schema)
  try {
    return all[number % all.length]?.()
  } catch {
    return null
  }
}
