import { isToken } from '../model/formats.ts'
import { nearest } from '../model/nearest.ts'
import type { Path } from '../model/node.ts'
import type { Parameter } from '../model/operation.ts'
import { hasOddBraces } from '../model/path.ts'
import { shapeOf, type Shape } from '../model/shape.ts'
import { type Level, type Report, type Rule, rule } from './rule.ts'
import { isStyle, styles } from './styles.ts'

/** Each parameter has a name that its place can have, and a form that can be read. */
const readableParameters = rule({
  id: 'engine',
  on: 'parameterOfOperation',
  level: 'refused',
  check: ({ parameter }, report) => {
    const { at, name } = parameter
    const found = nameFault(parameter) ?? formFault(parameter)
    if (!found) return
    const { what, level = 'unserved', key } = found
    const place = String(parameter.node.in)
    const where = key === undefined ? at : [...at, key]
    report(where, ({ ids }) => `${ids}: the ${place} parameter ${name} ${what}.`, { level })
  },
})

interface Fault {
  /** What keeps the parameter from being read, after its name. */
  what: string
  level?: Level
  key?: string
}

/** The parameters of components have such names as well, also those that nothing uses. */
const namesOfParameters = rule({
  id: 'engine',
  on: 'parameter',
  level: 'refused',
  check: ({ node, at }, report, { model }) => {
    const parameter = model.parameter(node, at)
    const found = nameFault(parameter)
    if (!found || model.operations.some(({ parameters }) => parameters.some((one) => one.node === node))) return
    report([...at, 'name'], `The ${parameter.in} parameter ${parameter.name} ${found.what}.`)
  },
})

function nameFault({ in: place, name }: Parameter): Fault | undefined {
  if (name === '') return { what: 'has no name', level: 'refused' }
  if (place === 'path' && /[{}]/.test(name)) return { what: 'has a name that no path can have', level: 'refused' }
  if (name === '__proto__') return { what: 'must have another name, which no object can have safely' }
  const isSendable = (place !== 'header' && place !== 'cookie') || isToken(name)
  return isSendable ? undefined : { what: `has a name that no ${place} can have`, level: 'refused' }
}

const scalars = ['string', 'integer', 'number', 'boolean']

function formFault(parameter: Parameter): Fault | undefined {
  const { in: place, node, schema, style } = parameter
  if (node.in === 'querystring') return { what: 'is the whole query, which is not read as one' }
  if (node.content !== undefined) {
    const types = Object.keys(Object(node.content) as object)
    const what = `has the content ${types.join(', ')}; use application/json`
    return types.join() === 'application/json' ? undefined : { what, level: types.length > 1 ? 'refused' : 'unserved' }
  }
  if (!schema) return { what: 'needs a schema', level: 'refused' }
  const allowed = styles[place]
  if (!allowed.includes(style))
    return {
      what: `has the style ${style}; use ${allowed.join(' or ')}`,
      key: 'style',
      level: isStyle(style) ? 'refused' : 'unserved',
    }
  const shape = shapeOf(schema)
  const { types } = shape
  if (style === 'deepObject') {
    const isWrong = isScalar(shape) && types.size > 0
    return isWrong
      ? { what: 'has the style deepObject, which is for objects', key: 'style', level: 'refused' }
      : undefined
  }
  if (types.size > 1 && types.has('object')) {
    return { what: `must not be an object beside other types${place === 'query' ? '; use the style deepObject' : ''}` }
  }
  if (types.size > 1 && types.has('array') && place !== 'query')
    return { what: 'must not be a list beside other types' }
  if ((style === 'spaceDelimited' || style === 'pipeDelimited') && types.has('object'))
    return { what: `has the style ${style}, which is for lists`, key: 'style' }
  if (place === 'cookie' && !isScalar(shape) && parameter.explode)
    return { what: 'must have "explode: false", as cookies are' }
  const inside = [...shape.parts.flatMap(({ items }) => (items ? shapeOf(items) : [])), ...shape.properties.values()]
  if (inside.some((one) => !isScalar(one)))
    return { what: 'must not have lists or objects in it; use the style deepObject' }
  return undefined
}

function isScalar({ types }: Shape): boolean {
  return [...types].every((type) => scalars.includes(type))
}

/** Each parameter of the path is required. */
const requiredInPath = rule({
  id: 'operations',
  on: 'parameterOfOperation',
  level: 'refused',
  check: ({ parameter: { at, node, name } }, report) => {
    if (node.in !== 'path' || node.required === true) return
    const fix = 'Add "required: true".'
    report(at, ({ names }) => `The path parameter ${name} of ${names} must be required.`, { fix })
  },
})

/** Each name in a path is that of a parameter, and each parameter of the path has a place in it; once is enough. */
const parametersOfPath = rule({
  id: 'engine',
  on: 'operation',
  level: 'refused',
  check: (operation, report) => {
    const { path, at, parameters, templateNames: names } = operation
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) {
      const fix = 'Give the two different names.'
      report(at.slice(0, -1), `The path ${path} has the parameter ${twice} twice.`, { fix, level: 'wrong' })
    }
    if (/[?#]/.test(path) || hasOddBraces(path)) return
    const declared = parameters.filter(({ in: place }) => place === 'path')
    const missing = names.filter((name) => declared.every((one) => one.name !== name))
    const unused = declared.filter(({ name }) => !names.includes(name))
    const meant = new Set<string>()
    for (const one of unused) {
      const only = missing.length === 1 && unused.length === 1 ? missing[0] : undefined
      const near = nearest(one.name, missing) ?? only
      if (near !== undefined) meant.add(near)
      const fix =
        near === undefined ? `Write {${one.name}} in the path, or take the parameter away.` : `Did you mean ${near}?`
      report([...one.at, 'name'], ({ ids }) => `${ids}: the path has no {${one.name}}.`, { fix })
    }
    const fix = 'Declare it under parameters, with "in: path".'
    for (const name of missing) {
      if (!meant.has(name)) report(at, ({ ids }) => `${ids}: the path parameter ${name} is not declared.`, { fix })
    }
  },
})

/** Headers that other parts of a contract describe are no parameters (OpenAPI 3.0.3, Parameter Object). */
const ignoredParameters = rule({
  id: 'messages',
  on: 'operation',
  level: 'warned',
  check: (operation, report) => {
    for (const { isIgnored, at, name } of operation.declaredParameters) {
      const message = `The header ${name} is described by another part of the contract, and its parameter is ignored.`
      if (isIgnored) report(at, message, { fix: 'Take it away.' })
    }
  },
})

/** A parameter is declared once: for an operation, or for its path. */
const repeatedParameters = rule({
  id: 'repeated-parameter',
  on: 'operation',
  level: 'wrong',
  check: (operation, report) => {
    const { item, at, ownParameters: own, sharedParameters: shared } = operation
    checkTwice(own, [...at, 'parameters'], report)
    checkTwice(shared, [...item.at, 'parameters'], report)
    const ofPath = new Set(shared.map(textOf))
    for (const [index, parameter] of own.entries()) {
      if (!ofPath.has(textOf(parameter))) continue
      const fix = 'The one of the operation holds; some tools do not know that.'
      const message = `${operation.name} repeats the ${textOf(parameter)} of its path.`
      report([...at, 'parameters', String(index)], message, { fix, level: 'warned' })
    }
  },
})

function checkTwice(all: readonly Parameter[], at: Path, report: Report): void {
  const known = new Map<string, Parameter>()
  for (const [index, parameter] of all.entries()) {
    const key = `${parameter.in} ${parameter.key}`
    const other = known.get(key)
    known.set(key, parameter)
    if (!other) continue
    const message =
      other.name === parameter.name
        ? `The ${textOf(parameter)} is declared twice.`
        : `The header ${parameter.name} is declared as ${other.name} already.`
    report([...at, String(index)], message, { fix: 'Take one away.' })
  }
}

function textOf({ node, name }: Parameter): string {
  return `${String(node.in)} parameter ${name}`
}

/** The keys of a parameter have an effect at its place. */
const effectlessKeys = rule({
  id: 'messages',
  on: 'parameterOfOperation',
  level: 'warned',
  check: ({ parameter: { node, at, in: place } }, report, { model: { version } }) => {
    const ofReserved = version === '3.2' ? ['query', 'path', 'cookie'] : ['query']
    for (const [key, places] of Object.entries({ allowReserved: ofReserved, allowEmptyValue: ['query'] })) {
      if (node[key] === undefined || places.includes(place)) continue
      report([...at, key], `${key} has no effect in a ${place} parameter.`, { fix: 'Take it away.' })
    }
  },
})

/** The rules on parameters. */
export const parameterRules: readonly Rule[] = [
  ...[requiredInPath, parametersOfPath, readableParameters, namesOfParameters],
  ...[ignoredParameters, repeatedParameters, effectlessKeys],
]
