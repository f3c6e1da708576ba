import { isDay, isStability, stabilities } from '../../../src/contract/model/life-cycle.ts'
import { everyResponse } from '../../../src/contract/model/files/every-response.ts'
import { isNode, type Node, type Path } from '../../../src/contract/model/node.ts'
import type { ContractModel } from '../../../src/contract/model/model.ts'
import type { Part } from '../../../src/contract/model/visit.ts'
import { Value } from '../../../src/contract/model/value.ts'
import { rule, type Rule } from '../../../src/contract/rules/rule.ts'
import { messageOf } from '../../../src/failure.ts'
import { readPlans, type Plans } from '../../../src/quota/plans.ts'
import { anchors } from './anchors.ts'

/** What all house rules have in common: this project asks more of its contract than OpenAPI. */
const ofHouse = { level: 'wrong' } as const

/** The contract must declare whatever the road can answer: a client does not handle what it does not expect. */
const declaredStatuses = rule({
  ...ofHouse,
  id: 'declared-statuses',
  on: 'document',
  check: ({ operations }, report) => {
    for (const { name, path, method, node, at } of operations) {
      const declared = Object.keys(isNode(node.responses) ? node.responses : {})
      const miss = (status: string, why: string): void => {
        if (declared.includes(status)) return
        const fix = 'Add it, with a $ref to a response of the components.'
        report([...at, 'responses'], `${name} does not declare ${status}, ${why}.`, { fix })
      }
      if (!declared.some((status) => status.startsWith('2'))) {
        const fix = 'Add a response with a status from 200 to 299.'
        report([...at, 'responses'], `${name} does not declare how it succeeds.`, { fix })
      }
      miss('400', 'which a wrong or unknown parameter is answered with')
      miss('401', 'which a request without a valid key is answered with')
      if (path.includes('{')) miss('404', 'which an identifier of nothing is answered with')
      if (node.requestBody !== undefined && !['get', 'head'].includes(method)) {
        miss('413', 'which a body that is too large is answered with')
        miss('415', 'which a body of another media type is answered with')
      }
      miss('429', 'which a request over the limit is answered with')
      miss('default', 'which covers every other failure')
    }
  },
})

const quotaHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const rateLimitHeaders = rule({
  ...ofHouse,
  id: 'rate-limit-headers',
  on: 'document',
  check: ({ operations }, report) => {
    const seen = new Map<Node, { status: string; at: Path; missing: string }>()
    for (const [status, { node, at, headers }] of operations.flatMap(({ responses }) => [...responses])) {
      if (seen.has(node)) continue
      const declared = Array.from(headers.keys(), (name) => name.toLowerCase())
      const missing = quotaHeaders.filter((name) => !declared.includes(name.toLowerCase())).join(', ')
      seen.set(node, { status, at: [...at, 'headers'], missing })
    }
    const fix = `Every answer carries it; add a $ref to the header under ${everyResponse}.`
    const responses = [...seen.values()]
    const [{ missing: common } = { missing: '' }] = responses
    if (common !== '' && responses.every(({ missing }) => missing === common)) {
      report([everyResponse, 'headers'], `The responses do not declare ${common}.`, { fix })
      return
    }
    for (const { status, at, missing } of responses) {
      if (missing !== '') report(at, `The response ${status} does not declare ${missing}.`, { fix })
    }
  },
})

const lifeCycle = rule({
  ...ofHouse,
  id: 'life-cycle',
  on: 'operation',
  check: ({ name, node, at }, report, { today }) => {
    const { deprecated, 'x-sunset': sunset } = node
    for (const key of ['x-deprecated-since', 'x-sunset'] as const) {
      const value = node[key]
      if (value !== undefined && !isDay(value)) {
        const fix = `Write a day of the calendar in quotes, such as '2030-12-05'.`
        report([...at, key], `${key} of ${name} is not a day.`, { fix })
      }
      if (deprecated === true && value === undefined) {
        const fix = `Add ${key}: clients plan by it.`
        report([...at, 'deprecated'], `${name} is deprecated without ${key}.`, { fix })
      }
      if (deprecated !== true && value !== undefined) {
        const fix = `Add "deprecated: true", or take ${key} away.`
        report([...at, key], `${name} has ${key} but is not deprecated.`, { fix })
      }
    }
    if (isDay(sunset) && sunset < today) {
      const fix = 'Remove the operation, or move its sunset to a later day.'
      report([...at, 'x-sunset'], `The sunset of ${name} has passed.`, { fix })
    }
  },
})

const stability = rule({
  ...ofHouse,
  id: 'stability',
  on: 'operation',
  check: ({ name, node, at }, report) => {
    const word = node['x-stability']
    if (word === undefined || isStability(word)) return
    const fix = `Write one of ${stabilities.join(', ')}.`
    report([...at, 'x-stability'], `x-stability of ${name} is not a known word.`, { fix })
  },
})

/** The guide, or the description, repeats the limits of `x-plans` in a table for readers. */
const planTable = rule({
  ...ofHouse,
  id: 'plan-table',
  on: 'document',
  check: ({ root }, report) => {
    if (!('x-plans' in root)) return
    let plans: Plans
    try {
      plans = readPlans(root)
    } catch (error) {
      report(['x-plans'], messageOf(error), { fix: 'Correct it: requests are counted by the plans.' })
      return
    }
    const meant = Array.from(plans, ([name, limits]) => {
      const { perMinute, perDay } = limits === 'custom' ? { perMinute: 'set per key', perDay: 'set per key' } : limits
      return [name, perMinute, perDay].join(' | ')
    })
    const { 'x-guide': guide } = root
    const at = typeof guide === 'string' ? ['x-guide'] : ['info', 'description']
    const text = typeof guide === 'string' ? guide : Value.of(root).field('info', 'description').text
    const [, rows] = /^\| *Plan *\|.*\n\|[-|: ]+\n((?:\|.*(?:\n|$))+)/m.exec(text) ?? []
    if (rows === undefined) return
    const written = rows.trim().split('\n').map(cellsOf)
    if (written.join('\n') === meant.join('\n')) return
    const fix = `Give it these rows: ${meant.map((row) => `| ${row} |`).join(', ')}.`
    report(at, 'The table of plans differs from x-plans.', { fix })
  },
})

/** A row of a table in lower case, without the spaces around its cells. */
function cellsOf(row: string): string {
  const cells = row.trim().slice(1, -1).split('|')
  return cells.map((cell) => cell.trim().toLowerCase()).join(' | ')
}

const camelCase = rule({
  ...ofHouse,
  id: 'operation-id-camel-case',
  on: 'document',
  check: ({ operations }, report) => {
    for (const { name, declaredId, at } of operations) {
      if (declaredId === undefined || /^[a-z][a-zA-Z0-9]*$/.test(declaredId)) continue
      const fix = 'Write it such as listPets: it names the handler, its file and the function in clients.'
      report([...at, 'operationId'], `The operationId ${declaredId} of ${name} is not in lower camel case.`, { fix })
    }
  },
})

/** Clients are told the rule of a pattern, which few can read from the pattern itself. */
const patternMessages = rule({
  ...ofHouse,
  id: 'pattern-message',
  on: 'schema',
  check: ({ node: { pattern, 'x-pattern-message': message }, at }, report) => {
    if (typeof pattern !== 'string') return
    const fix = 'Write what follows the name of a wrong value, without a full stop, such as "must begin with a letter".'
    if (message === undefined) report([...at, 'pattern'], 'The pattern has no x-pattern-message beside it.', { fix })
    else if (typeof message !== 'string' || !/^must .*[^.\s]$/.test(message))
      report([...at, 'x-pattern-message'], 'The x-pattern-message is not a rule that begins with "must".', { fix })
  },
})

const readOnlyInRequest = rule({
  ...ofHouse,
  id: 'read-only-in-request',
  on: 'document',
  check: (model, report) => {
    const seen = new Set<Node>()
    for (const { name, body, declaredParameters } of model.operations) {
      const starts = [
        ...(body ? [{ kind: 'requestBody' as const, node: body.node, at: body.at }] : []),
        ...declaredParameters.map(({ node, at }) => ({ kind: 'parameter' as const, node, at })),
      ]
      eachMarked(model, starts, 'readOnly', seen, (at) => {
        const fix = 'Give requests a schema of their own without it, with additionalProperties: false.'
        report(at, `A part of the request of ${name} is readOnly, which is not checked.`, { fix })
      })
    }
  },
})

const writeOnlyInResponse = rule({
  ...ofHouse,
  id: 'write-only-in-response',
  on: 'document',
  check: (model, report) => {
    const seen = new Set<Node>()
    for (const { name, responses } of model.operations) {
      const starts = Array.from(responses.values(), ({ node, at }) => ({ kind: 'response' as const, node, at }))
      eachMarked(model, starts, 'writeOnly', seen, (at) => {
        const fix = 'Give answers a schema of their own without it.'
        report(at, `A part of an answer of ${name} is writeOnly, which is not left out.`, { fix })
      })
    }
  },
})

/** Calls `enter` for the place of each mark of a schema in some parts, and behind their references. */
function eachMarked(
  model: ContractModel,
  starts: readonly Part[],
  mark: 'readOnly' | 'writeOnly',
  seen: Set<Node>,
  enter: (at: Part['at']) => void,
): void {
  for (const start of starts) {
    model.visitReached(start, seen, ({ kind, node, at }) => {
      if (kind === 'schema' && node[mark] === true) enter([...at, mark])
    })
  }
}

const callbacks = rule({
  ...ofHouse,
  id: 'callbacks',
  on: 'document',
  check: ({ operations }, report) => {
    for (const { name, node, at } of operations) {
      if (node.callbacks === undefined) continue
      report([...at, 'callbacks'], `${name} declares callbacks, which are never made.`, { fix: 'Take them away.' })
    }
  },
})

/** The house rules: what this project asks of its contract beyond OpenAPI. */
export const houseRules: readonly Rule[] = [
  ...[declaredStatuses, rateLimitHeaders, lifeCycle, stability, planTable, camelCase, patternMessages],
  ...[readOnlyInRequest, writeOnlyInResponse, callbacks, anchors],
]
