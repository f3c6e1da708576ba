import { discriminated } from '../model/discriminator.ts'
import { nearest } from '../model/nearest.ts'
import type { Node, Path } from '../model/node.ts'
import type { Schema } from '../model/schema.ts'
import { ofSchema, type Report, rule } from './rule.ts'

/** A discriminator names a property, and schemas. */
export const discriminators = rule({
  ...ofSchema,
  level: 'wrong',
  check: (schema, report, { model }) => {
    const { at, discriminator } = schema
    if (!discriminator) return
    const choices = [...schema.schemas('oneOf'), ...schema.schemas('anyOf')].filter((one) => !one.isNull)
    const lacks = (one: Schema): boolean => !hasProperty(one, discriminator.propertyName, new Set())
    if (choices.length > 0 ? lacks(schema) && choices.some(lacks) : lacks(schema)) {
      const owner = choices.length > 0 ? 'an alternative' : 'the schema'
      const message = `The discriminator names the property ${discriminator.propertyName}, which ${owner} does not have.`
      report([...at, 'discriminator'], message, { fix: 'Add the property, or correct the name.' })
    }
    const keyword = (['oneOf', 'anyOf'] as const).find((one) => schema.has(one))
    if (!keyword || !discriminated(schema, schema.schemas(keyword))) {
      const message = 'This discriminator chooses no schema; the value is checked against the others.'
      report([...at, 'discriminator'], message, { level: 'noted' })
    }
    checkMapping(schema, discriminator.mapping, choices, model.components('schemas'), report)
  },
})

function hasProperty({ target }: Schema, name: string, seen: Set<Schema>): boolean {
  if (seen.has(target)) return false
  seen.add(target)
  return (
    target.properties.has(name) ||
    target.schemas('allOf').some((part) => hasProperty(part, name, seen)) ||
    (['oneOf', 'anyOf'] as const).some((keyword) => {
      const choices = target.schemas(keyword)
      return choices.length > 0 && choices.every((one) => hasProperty(one, name, new Set(seen)))
    })
  )
}

/** Values of a discriminator lead to schemas that are alternatives. */
function checkMapping(
  schema: Schema,
  mapping: ReadonlyMap<string, string>,
  choices: readonly Schema[],
  schemas: Node,
  report: Report,
): void {
  const targets = new Set(choices.map(({ target }) => target))
  for (const [value, name] of mapping) {
    const isName = Object.hasOwn(schemas, name)
    const target =
      isName || name.includes('#') ? schema.refer(isName ? `#/components/schemas/${name}` : name).target : undefined
    const at: Path = [...schema.at, 'discriminator', 'mapping', value]
    if (!target || target.reference !== undefined || target.at === schema.at) {
      const near = nearest(name.replace(/^.*\//, ''), Object.keys(schemas))
      const fix = near === undefined ? 'Correct it.' : `Did you mean "#/components/schemas/${near}"?`
      report(at, 'The mapping leads to no schema.', { fix })
    } else if (choices.length > 0 && !targets.has(target)) {
      const fix = 'Add it to the alternatives, or correct the mapping.'
      report(at, 'The mapping leads to a schema that is no alternative.', { fix })
    }
  }
}
