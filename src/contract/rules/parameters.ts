import { isToken } from '../model/formats.ts'
import { isExploded, isObject } from '../compile/request/parameters.ts'
import type { ResolvedParameter } from '../compile/resolve.ts'
import { partsOf, propertiesOf, typesOf } from '../compile/schemas/parts.ts'

const styles: Readonly<Record<ResolvedParameter['in'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

function nameFault({ in: place, name }: ResolvedParameter): string | undefined {
  if (name === '') return 'has no name'
  if (name === '__proto__') return 'must have another name, which no object can have safely'
  const isSendable = (place !== 'header' && place !== 'cookie') || isToken(name)
  return isSendable ? undefined : `has a name that no ${place} can have`
}

const scalars = ['string', 'integer', 'number', 'boolean']

/** What keeps a parameter from being read, after its name; undefined for nothing. */
export function parameterFault(root: unknown, parameter: ResolvedParameter): string | undefined {
  const { in: place, schema, content, style, required } = parameter
  const ofName = nameFault(parameter)
  if (ofName !== undefined) return ofName
  if (content !== undefined) {
    if (schema) return 'has a schema and content; use one of the two'
    const types = Object.keys(content)
    return types.join() === 'application/json' ? undefined : `has the content ${types.join(', ')}; use application/json`
  }
  if (!schema) return 'needs a schema'
  if (place === 'path' && required !== true) return 'must have "required: true"'
  const allowed = styles[place]
  if (style !== undefined && !allowed.includes(style)) return `has the style ${style}; use ${allowed.join(' or ')}`
  const parts = partsOf(root, schema)
  const types = typesOf(parts)
  if (style === 'deepObject')
    return isScalar(types) && types.size > 0 ? 'has the style deepObject, which is for objects' : undefined
  if (types.size > 1 && types.has('object')) {
    return `must not be an object beside other types${place === 'query' ? '; use the style deepObject' : ''}`
  }
  if (types.size > 1 && types.has('array') && place !== 'query') return 'must not be a list beside other types'
  if ((style === 'spaceDelimited' || style === 'pipeDelimited') && isObject(root, parameter))
    return `has the style ${style}, which is for lists`
  if (place === 'cookie' && !isScalar(types) && isExploded(parameter))
    return 'must have "explode: false", as cookies are'
  const inside = [...parts.flatMap(({ items }) => items ?? []), ...propertiesOf(parts).values()].flat()
  if (inside.some((one) => !isScalar(typesOf(partsOf(root, one)))))
    return 'must not have lists or objects in it; use the style deepObject'
  return undefined
}

function isScalar(types: ReadonlySet<string>): boolean {
  return [...types].every((type) => scalars.includes(type))
}
