import { parse } from 'lossless-json'
import type { RawRequest } from '../../compiled.ts'
import { exactNumber } from '../../../integers.ts'
import { inside } from '../../exchange/error-messages.ts'
import { readCookies } from '../../exchange/cookies.ts'
import { InvalidRequest, nestedTooDeeply } from '../../exchange/invalid-request.ts'
import { isNestedTooDeeply } from '../../model/nesting.ts'
import { decodeSegment, readQuery, type QueryShape } from '../../exchange/query.ts'
import type { Operation, Parameter } from '../../model/operation.ts'
import { shapeOf } from '../../model/shape.ts'
import { segmentReader } from '../../exchange/path-styles.ts'
import { fromTexts } from '../../exchange/coercion.ts'

/** The parameters of a request by their place, as the validators take them. Header names are in lower case. */
export interface ParameterValues {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header: Record<string, unknown>
  cookie: Record<string, unknown>
}

type Step = (values: ParameterValues) => void

type ReadParameters = (
  request: Pick<RawRequest, 'values' | 'query' | 'headers'>,
  /** Of `unsureLists` those that are no list when they are given once. */
  single?: ReadonlySet<string>,
) => ParameterValues

/** Compiles how the parameters of an operation are read. What no style describes stays as its text. */
export function parametersReader({ templateNames: pathNames, parameters, security }: Operation): ReadParameters {
  const headerNames = parameters.filter((one) => one.in === 'header').map(({ key }) => key)
  const cookieNames = new Set(parameters.filter((one) => one.in === 'cookie').map(({ name }) => name))
  const shape = queryShape(parameters)
  const steps = parameters.flatMap((one) => [...structureSteps(one), ...conversionSteps(one)])
  const inQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  for (const place of security.flat()) {
    // the key is no parameter of the operation
    if (place.in === 'query' && !inQuery.includes(place.name))
      steps.push(({ query }) => Reflect.deleteProperty(query, place.name))
  }
  for (const one of gathered(parameters)) steps.unshift(one)
  const segments = pathNames.map((name) => {
    const declared = parameters.find((one) => one.in === 'path' && one.name === name)
    return declared ? segmentReader(declared) : (text: string) => decodeSegment(text)
  })
  return ({ values, query: queryText, headers }, single) => {
    const inPath: Record<string, unknown> = {}
    for (const [index, name] of pathNames.entries()) inPath[name] = segments[index]?.(values[index] ?? '')
    const header: Record<string, unknown> = {}
    for (const name of headerNames) if (headers[name] !== undefined) header[name] = headers[name]
    const query: Record<string, unknown> = readQuery(queryText, shape)
    if (single) for (const name of single) query[name] = onlyItem(query[name])
    const cookie = cookieNames.size > 0 ? readCookies(headers.cookie, cookieNames) : {}
    const read = { path: inPath, query, header, cookie }
    for (const step of steps) step(read)
    return read
  }
}

/** The names of the parameters of a query that are a list or another value. */
export function unsureLists(parameters: readonly Parameter[]): string[] {
  return parameters
    .filter(({ in: place, structure, schema }) => {
      if (place !== 'query' || structure !== 'list' || !schema) return false
      return [...shapeOf(schema).types].some((type) => type !== 'array')
    })
    .map(({ name }) => name)
}

function onlyItem(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

const separators: Readonly<Record<string, RegExp | string>> = {
  form: ',',
  spaceDelimited: /%20|\+| /,
  pipeDelimited: /%7C|\|/i,
}

function queryShape(parameters: readonly Parameter[]): QueryShape {
  const inQuery = parameters.filter((one) => one.in === 'query' && one.structure !== undefined)
  const once = inQuery.filter((one) => one.style !== 'deepObject' && !one.explode)
  const isList = (one: Parameter): boolean => one.structure === 'list' && one.style !== 'deepObject'
  return {
    lists: new Set(inQuery.filter((one) => one.explode && isList(one)).map(({ name }) => name)),
    separated: new Map(once.map(({ name, style }) => [name, separators[style] ?? ','])),
    deep: new Set(inQuery.filter(({ style }) => style === 'deepObject').map(({ name }) => name)),
  }
}

/** Steps that make objects of parameters whose fields stand in the query as if they were parameters. */
function gathered(parameters: readonly Parameter[]): Step[] {
  const inQuery = parameters.filter((one) => one.in === 'query')
  const names = new Set(inQuery.map(({ name }) => name))
  const objects = inQuery.filter((one) => one.structure === 'object' && one.style === 'form' && one.explode)
  return objects.flatMap(({ name, schema }): Step[] => {
    if (!schema) return []
    const { properties: fields, isOpen } = shapeOf(schema)
    const takesOthers = fields.size === 0 || isOpen
    return [
      ({ query }) => {
        const own = Object.entries(query).filter(([key]) => fields.has(key) || (takesOthers && !names.has(key)))
        if (own.length === 0) return
        for (const [key] of own) Reflect.deleteProperty(query, key)
        query[name] = Object.fromEntries(own)
      },
    ]
  })
}

/** Steps that make lists and objects of texts with commas. */
function structureSteps({ in: place, key, style, explode, structure }: Parameter): Step[] {
  if (structure === undefined) return []
  const steps: Step[] = []
  if (place === 'header' || place === 'cookie') {
    steps.push(({ [place]: values }) => {
      const text = values[key]
      if (typeof text === 'string') values[key] = text.split(',').map((part) => part.trim())
    })
  }
  const inPairs = place === 'query' ? style !== 'deepObject' && !explode : true
  if (structure === 'object' && inPairs) {
    steps.push(({ [place]: values }) => {
      const parts = values[key]
      if (Array.isArray(parts)) values[key] = fieldsFrom(parts as string[], explode && place !== 'query')
    })
  }
  return steps
}

/** The fields of an object that is written as `a,1,b,2` or, exploded, as `a=1,b=2`. */
function fieldsFrom(parts: readonly string[], exploded: boolean): Record<string, string> {
  const pairs = exploded
    ? parts.map((part): [string, string] => {
        const end = part.indexOf('=')
        return end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)]
      })
    : Array.from({ length: Math.ceil(parts.length / 2) }, (_, index): [string, string] => [
        parts[2 * index] ?? '',
        parts[2 * index + 1] ?? '',
      ])
  return Object.fromEntries(pairs)
}

/** Steps that convert texts to the types of the schema, or parse them where `content` says that they are JSON. */
function conversionSteps({ in: place, key, schema, isJson }: Parameter): Step[] {
  const convert = isJson ? jsonOf(inside(place, key)) : schema && fromTexts(shapeOf(schema))
  if (!convert) return []
  return [
    ({ [place]: values }) => {
      if (values[key] !== undefined) values[key] = convert(values[key])
    },
  ]
}

function jsonOf(place: string): (text: unknown) => unknown {
  return (text) => {
    if (isNestedTooDeeply(String(text))) throw nestedTooDeeply(place)
    try {
      return parse(String(text), null, { parseNumber: exactNumber })
    } catch {
      throw new InvalidRequest(`${place} is not JSON`)
    }
  }
}
