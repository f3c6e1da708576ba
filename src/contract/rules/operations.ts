import { fixOfName } from '../model/nearest.ts'
import { Value } from '../model/value.ts'
import { rule } from './rule.ts'

/** A GET has no body. */
export const noBodyOfGet = rule({
  id: 'operations',
  on: 'operation',
  level: 'warned',
  check: ({ method, node, name, at }, report) => {
    if (!['get', 'head'].includes(method) || node.requestBody === undefined) return
    const message = `${name} declares a body, which a ${method.toUpperCase()} does not have.`
    report([...at, 'requestBody'], message, { fix: 'Take it away; send values in the query, or use POST.' })
  },
})

/** The tags of operations are declared, if any is. */
export const tags = rule({
  id: 'tags',
  on: 'document',
  level: 'warned',
  check: ({ tags: all, operations }, report) => {
    const declared = all.map(({ name }) => name)
    if (declared.length === 0) return
    for (const { tags: used, name, at } of operations) {
      for (const [index, tag] of used.entries()) {
        if (declared.includes(tag)) continue
        const fix = fixOfName(tag, declared, 'Declare it under tags, or correct it.')
        report([...at, 'tags', String(index)], `The tag ${tag} of ${name} is not declared.`, { fix })
      }
    }
  },
})

/** The name of a tag, and its parent, stand for one tag. */
export const tagNames = rule({
  id: 'tags',
  on: 'document',
  level: 'wrong',
  check: ({ tags: all }, report) => {
    const known = new Set<string>()
    for (const { name, at } of all) {
      if (known.has(name)) report([...at, 'name'], `The tag ${name} is declared twice.`, { fix: 'Take one away.' })
      known.add(name)
    }
    for (const { parent, name, at } of all) {
      if (parent === undefined || known.has(parent)) continue
      const others = [...known].filter((one) => one !== name)
      const fix = fixOfName(parent, others, 'Declare it, or take it away.')
      report([...at, 'parent'], `There is no tag ${parent}, which is the parent of ${name}.`, { fix })
    }
  },
})

/** A link names one operation of the contract. */
export const links = rule({
  id: 'links',
  on: 'link',
  level: 'wrong',
  check: ({ node, at }, report, { model }) => {
    const { operationId, operationRef } = node
    if (operationId !== undefined && operationRef !== undefined) {
      const message = 'The link has an operationId and an operationRef.'
      report([...at, 'operationRef'], message, { fix: 'Keep one of the two.', level: 'refused' })
    } else if (operationId === undefined && operationRef === undefined) {
      report(at, 'The link names no operation.', { fix: 'Add its operationId.' })
    } else if (typeof operationId === 'string') {
      const ids = model.operations.flatMap(({ declaredId }) => declaredId ?? [])
      if (ids.includes(operationId)) return
      const fix = fixOfName(operationId, ids, 'Correct the operationId.')
      report([...at, 'operationId'], `The link names the operation ${operationId}, which there is not.`, { fix })
    } else if (typeof operationRef === 'string' && operationRef.startsWith('#')) {
      const target = model.resolve(operationRef)
      if (!('why' in target)) return
      report([...at, 'operationRef'], `The operationRef "${operationRef}" leads to nothing.`, { fix: 'Correct it.' })
    }
  },
})

/** Callbacks and webhooks are described, and not sent. */
export const unsent = rule({
  id: 'engine',
  on: 'document',
  level: 'noted',
  check: ({ root }, report) => {
    if (Value.of(root).field('webhooks').keys.length > 0)
      report(['webhooks'], 'Webhooks are described to clients, and not sent.')
    if (root['x-plans'] === undefined) report([], 'Without x-plans, keys have one plan without limits to speak of.')
  },
})
