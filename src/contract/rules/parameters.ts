import { isToken } from '../model/formats.ts'
import { parameterPlaces, type Parameter, type ParameterPlace } from '../model/operation.ts'

const styles: Readonly<Record<ParameterPlace, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

function nameFault({ in: place, name }: Parameter): string | undefined {
  if (name === '') return 'has no name'
  if (name === '__proto__') return 'must have another name, which no object can have safely'
  const isSendable = (place !== 'header' && place !== 'cookie') || isToken(name)
  return isSendable ? undefined : `has a name that no ${place} can have`
}

const scalars = ['string', 'integer', 'number', 'boolean']

/** What keeps a parameter from being read, after its name; undefined for nothing. */
export function parameterFault(parameter: Parameter): string | undefined {
  const { in: place, schema, content, isJson, required, structure, explode } = parameter
  const { style } = parameter.node as { style?: string }
  if (!parameter.isPlaced) return `stands in ${String(parameter.node.in)}; use ${parameterPlaces.join(', ')}`
  const ofName = nameFault(parameter)
  if (ofName !== undefined) return ofName
  if (isJson) {
    if (schema) return 'has a schema and content; use one of the two'
    const types = content.map(({ name }) => name)
    return types.join() === 'application/json' ? undefined : `has the content ${types.join(', ')}; use application/json`
  }
  if (!schema) return 'needs a schema'
  if (place === 'path' && !required) return 'must have "required: true"'
  const allowed = styles[place]
  if (style !== undefined && !allowed.includes(style)) return `has the style ${style}; use ${allowed.join(' or ')}`
  const { types, items, properties } = schema.shape
  if (style === 'deepObject')
    return isScalar(types) && types.size > 0 ? 'has the style deepObject, which is for objects' : undefined
  if (types.size > 1 && types.has('object')) {
    return `must not be an object beside other types${place === 'query' ? '; use the style deepObject' : ''}`
  }
  if (types.size > 1 && types.has('array') && place !== 'query') return 'must not be a list beside other types'
  if ((style === 'spaceDelimited' || style === 'pipeDelimited') && structure === 'object')
    return `has the style ${style}, which is for lists`
  if (place === 'cookie' && !isScalar(types) && explode) return 'must have "explode: false", as cookies are'
  if ([...(items ? [items] : []), ...properties.values()].some((inner) => !isScalar(inner.types)))
    return 'must not have lists or objects in it; use the style deepObject'
  return undefined
}

function isScalar(types: ReadonlySet<string>): boolean {
  return [...types].every((type) => scalars.includes(type))
}
