import { isDay, isStability, stabilities } from '../model/life-cycle.ts'
import type { ContractModel } from '../model/model.ts'
import { rule } from './rule.ts'

const days = ['x-deprecated-since', 'x-sunset'] as const

/** The days of a life cycle are days, and its words are known. */
export const lifecycle = rule({
  id: 'engine',
  on: 'operation',
  level: 'refused',
  check: ({ node, at }, report, { model }) => {
    for (const key of days) {
      // a day that is not used is not read
      if (node[key] === undefined || (key === 'x-deprecated-since' && node.deprecated !== true)) continue
      if (!isDay(node[key])) report(at, `${key} must be a date such as "2030-12-05".`)
    }
    const { 'x-successor': successor, 'x-stability': stability } = node
    if (successor !== undefined && !names(model).has(successor)) {
      const name = typeof successor === 'string' ? successor : 'something'
      report(at, `x-successor names ${name}, which is no operation.`)
    }
    if (stability !== undefined && !isStability(stability)) {
      report(at, `x-stability must be ${stabilities.join(', ')}.`)
    }
  },
})

/** An operation is deprecated before its sunset. */
export const orderOfDays = rule({
  id: 'life-cycle',
  on: 'operation',
  level: 'wrong',
  check: ({ node: { 'x-deprecated-since': since, 'x-sunset': sunset }, name, at }, report) => {
    if (!isDay(since) || !isDay(sunset) || sunset >= since) return
    const message = `The sunset of ${name} is before its deprecation.`
    report([...at, 'x-sunset'], message, { fix: 'Swap the two days, or correct the wrong one.' })
  },
})

/** What `x-successor` can name. */
function names({ operations }: ContractModel): ReadonlySet<unknown> {
  return new Set(operations.flatMap(({ operationId, declaredId }) => [operationId, declaredId ?? operationId]))
}
