import { pointerOf, type Path } from '../../../src/contract/model/node.ts'
import { isReference, pathOfReference } from '../../../src/contract/model/reference.ts'
import type { ContractModel } from '../../../src/contract/model/model.ts'
import { sections } from '../../../src/contract/model/grammar.ts'
import type { Schema } from '../../../src/contract/model/schema.ts'
import { shapeOf } from '../../../src/contract/model/shape.ts'
import { rule, type Rule } from '../../../src/contract/rules/rule.ts'

const fix = 'Take it away, or refer to it.'

const unusedComponents = rule({
  id: 'no-unused-components',
  on: 'document',
  level: 'warned',
  check: (model, report, { isRefused }) => {
    // a reference that is corrected may use it
    if (isRefused) return
    const used = usedBy(model)
    for (const section of Object.values(sections)) {
      if (section === 'securitySchemes') continue
      for (const name of Object.keys(model.components(section))) {
        const at = ['components', section, name]
        if (!used.has(pointerOf(at))) report(at, `Nothing uses the component ${name}.`, { fix })
      }
    }
  },
})

/** The places of components to which something refers that is not a part of them. */
function usedBy(model: ContractModel): Set<string> {
  const used = new Set<string>()
  const add = (at: Path, from: Path): void => {
    const component = pointerOf(at.slice(0, 3))
    if (component !== pointerOf(from.slice(0, 3))) used.add(component)
  }
  model.visit(({ kind, node, at }) => {
    if (isReference(node)) add(pathOfReference(node.$ref), at)
    else if (kind === 'schema') {
      for (const target of model.schema(node, at).discriminator?.mapping.values() ?? []) {
        add(target.includes('#') ? pathOfReference(target) : ['components', 'schemas', target], at)
      }
    }
  })
  return used
}

const ambiguousPaths = rule({
  id: 'no-ambiguous-paths',
  on: 'document',
  level: 'warned',
  check: ({ pathItems }, report) => {
    const known: string[] = []
    for (const { path } of pathItems) {
      const other = known.find((one) => areAmbiguous(one, path))
      known.push(path)
      if (other === undefined) continue
      const message = `The path ${path} and the path ${other} match the same address.`
      report(['paths', path], message, { fix: 'Change one of the two.' })
    }
  },
})

/** Whether an address matches two paths, of which neither is the more exact one. */
function areAmbiguous(one: string, other: string): boolean {
  const [own, theirs] = [one.split('/'), other.split('/')]
  if (own.length !== theirs.length) return false
  const isVariable = (segment = ''): boolean => segment.includes('{')
  let [isMoreExact, isLessExact] = [false, false]
  for (const [index, segment] of own.entries()) {
    const isSame = isVariable(segment) === isVariable(theirs[index])
    if (isSame && !isVariable(segment) && segment !== theirs[index]) return false
    if (isSame) continue
    if (isVariable(segment)) isLessExact = true
    else isMoreExact = true
  }
  return isMoreExact && isLessExact
}

const describedProperties = rule({
  id: 'no-required-schema-properties-undefined',
  on: 'schema',
  level: 'warned',
  check: (schema, report) => {
    // the properties stand beside the condition
    if (schema.at.some((key) => conditions.includes(key))) return
    if (schema.properties.size === 0 && !schema.has('allOf')) return
    // that a closed object does not have a property is a fault
    if (schema.others('additionalProperties') === false) return
    const known = namesIn(schema)
    for (const [index, name] of schema.required.entries()) {
      if (known.has(name)) continue
      const message = `The property ${name} is required, and not described.`
      report([...schema.at, 'required', String(index)], message, { fix: 'Add it to the properties, or take it away.' })
    }
  },
})

const conditions = ['if', 'then', 'else', 'not', 'dependentSchemas', 'allOf', 'anyOf', 'oneOf']

function namesIn(schema: Schema): ReadonlySet<string> {
  return new Set(shapeOf(schema).properties.keys())
}

/** Rules for a contract without a configuration of its own, on what is no fault. */
export const tasteRules: readonly Rule[] = [unusedComponents, ambiguousPaths, describedProperties]
