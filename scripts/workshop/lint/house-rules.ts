import type { ContractDocument } from '../../../src/contract/model/files/document.ts'
import { isDay, isStability, stabilities } from '../../../src/contract/compile/life-cycle.ts'
import {
  entriesOf,
  isNode,
  operationsOf,
  targetOf,
  visitParts,
  walkThrough,
  type Node,
  type Path,
} from '../../../src/contract/model/tree.ts'
import { everyResponse } from '../../../src/contract/model/files/every-response.ts'
import { anchors } from './anchors.ts'
import type { Report, Rule } from './rule.ts'
import { readPlans, type Plans } from '../../../src/quota/plans.ts'
import { messageOf } from '../../../src/failure.ts'

/** The house rules: what this project asks of its contract beyond OpenAPI, by the names in findings. */
export const houseRules: Readonly<Record<string, Rule>> = {
  'declared-statuses': declaredStatuses,
  'rate-limit-headers': rateLimitHeaders,
  'life-cycle': lifeCycle,
  stability,
  'plan-table': planTable,
  'operation-id-camel-case': camelCase,
  'pattern-message': patternMessages,
  'read-only-in-request': readOnlyInRequest,
  'write-only-in-response': writeOnlyInResponse,
  callbacks,
  anchors,
}

/** The contract must declare whatever the road can answer: a client does not handle what it does not expect. */
function declaredStatuses({ root }: ContractDocument, report: Report): void {
  for (const { name, path, method, operation, at } of operationsOf(root)) {
    const declared = Object.keys(isNode(operation.responses) ? operation.responses : {})
    const miss = (status: string, why: string): void => {
      if (!declared.includes(status))
        report(
          [...at, 'responses'],
          `${name} does not declare ${status}, ${why}.`,
          'Add it, with a $ref to a response of the components.',
        )
    }
    if (!declared.some((status) => status.startsWith('2'))) {
      report(
        [...at, 'responses'],
        `${name} does not declare how it succeeds.`,
        'Add a response with a status from 200 to 299.',
      )
    }
    miss('400', 'which a wrong or unknown parameter is answered with')
    miss('401', 'which a request without a valid key is answered with')
    if (path.includes('{')) miss('404', 'which an identifier of nothing is answered with')
    if (operation.requestBody !== undefined && !['get', 'head'].includes(method)) {
      miss('413', 'which a body that is too large is answered with')
      miss('415', 'which a body of another media type is answered with')
    }
    miss('429', 'which a request over the limit is answered with')
    miss('default', 'which covers every other failure')
  }
}

const quotaHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

function rateLimitHeaders({ root }: ContractDocument, report: Report): void {
  const seen = new Map<Node, { status: string; at: Path; missing: string }>()
  for (const { operation, at } of operationsOf(root)) {
    for (const [status, response] of entriesOf(operation.responses)) {
      const found = targetOf(root, response, [...at, 'responses', status])
      if (!found || seen.has(found.node)) continue
      const declared = entriesOf(found.node.headers).map(([name]) => name.toLowerCase())
      const missing = quotaHeaders.filter((name) => !declared.includes(name.toLowerCase())).join(', ')
      seen.set(found.node, { status, at: [...found.at, 'headers'], missing })
    }
  }
  const mend = `Every answer carries it; add a $ref to the header under ${everyResponse}.`
  const responses = [...seen.values()]
  const [{ missing: common } = { missing: '' }] = responses
  if (common !== '' && responses.every(({ missing }) => missing === common)) {
    report([everyResponse, 'headers'], `The responses do not declare ${common}.`, mend)
    return
  }
  for (const { status, at, missing } of responses) {
    if (missing !== '') report(at, `The response ${status} does not declare ${missing}.`, mend)
  }
}

function lifeCycle({ root }: ContractDocument, report: Report, today: string): void {
  for (const { name, operation, at } of operationsOf(root)) {
    const { deprecated, 'x-deprecated-since': since, 'x-sunset': sunset } = operation
    for (const [key, value] of [
      ['x-deprecated-since', since],
      ['x-sunset', sunset],
    ] as const) {
      if (value !== undefined && !isDayText(value)) {
        report(
          [...at, key],
          `${key} of ${name} is not a day.`,
          `Write a day of the calendar in quotes, such as '2030-12-05'.`,
        )
      }
      if (deprecated === true && value === undefined) {
        report([...at, 'deprecated'], `${name} is deprecated without ${key}.`, `Add ${key}: clients plan by it.`)
      }
      if (deprecated !== true && value !== undefined) {
        report(
          [...at, key],
          `${name} has ${key} but is not deprecated.`,
          `Add "deprecated: true", or take ${key} away.`,
        )
      }
    }
    if (isDayText(sunset) && sunset < today) {
      report(
        [...at, 'x-sunset'],
        `The sunset of ${name} has passed.`,
        'Remove the operation, or move its sunset to a later day.',
      )
    }
    if (isDayText(sunset) && isDayText(since) && sunset < since) {
      report(
        [...at, 'x-sunset'],
        `The sunset of ${name} is before its deprecation.`,
        'Swap the two days, or correct the wrong one.',
      )
    }
  }
}

function isDayText(value: unknown): value is string {
  return typeof value === 'string' && isDay(value)
}

function stability({ root }: ContractDocument, report: Report): void {
  for (const { name, operation, at } of operationsOf(root)) {
    const word = operation['x-stability']
    if (word === undefined || isStability(word)) continue
    report(
      [...at, 'x-stability'],
      `x-stability of ${name} is not a known word.`,
      `Write one of ${stabilities.join(', ')}.`,
    )
  }
}

/** The guide, or the description, repeats the limits of `x-plans` in a table for readers. */
function planTable({ root }: ContractDocument, report: Report): void {
  if (!('x-plans' in root)) return
  let plans: Plans
  try {
    plans = readPlans(root)
  } catch (error) {
    report(['x-plans'], messageOf(error), 'Correct it: requests are counted by the plans.')
    return
  }
  const meant = Array.from(plans, ([name, limits]) => {
    const { perMinute, perDay } = limits === 'custom' ? { perMinute: 'set per key', perDay: 'set per key' } : limits
    return [name, perMinute, perDay].join(' | ')
  })
  const { 'x-guide': guide, info } = root as { 'x-guide'?: unknown; info: { description?: string } }
  const [at, text] =
    typeof guide === 'string' ? [['x-guide'], guide] : [['info', 'description'], info.description ?? '']
  const [, rows] = /^\| *Plan *\|.*\n\|[-|: ]+\n((?:\|.*(?:\n|$))+)/m.exec(text) ?? []
  if (rows === undefined) return
  const told = rows.trim().split('\n').map(cellsOf)
  if (told.join('\n') === meant.join('\n')) return
  report(
    at,
    'The table of plans differs from x-plans.',
    `Give it these rows: ${meant.map((row) => `| ${row} |`).join(', ')}.`,
  )
}

/** A row of a table in lower case, without the spaces around its cells. */
function cellsOf(row: string): string {
  const cells = row.trim().slice(1, -1).split('|')
  return cells.map((cell) => cell.trim().toLowerCase()).join(' | ')
}

function camelCase({ root }: ContractDocument, report: Report): void {
  for (const { name, operation, at } of operationsOf(root)) {
    const { operationId } = operation
    if (typeof operationId !== 'string' || /^[a-z][a-zA-Z0-9]*$/.test(operationId)) continue
    report(
      [...at, 'operationId'],
      `The operationId ${operationId} of ${name} is not in lower camel case.`,
      'Write it such as listPets: it names the handler, its file and the function in clients.',
    )
  }
}

/** Clients are told the rule of a pattern, which few can read from the pattern itself. */
function patternMessages({ root }: ContractDocument, report: Report): void {
  visitParts(root, ({ pattern, 'x-pattern-message': message }, kind, at) => {
    if (kind !== 'schema' || typeof pattern !== 'string') return
    const mend =
      'Write what follows the name of a wrong value, without a full stop, such as "must begin with a letter".'
    if (message === undefined) report([...at, 'pattern'], 'The pattern has no x-pattern-message beside it.', mend)
    else if (typeof message !== 'string' || !/^must .*[^.\s]$/.test(message))
      report([...at, 'x-pattern-message'], 'The x-pattern-message is not a rule that begins with "must".', mend)
  })
}

function readOnlyInRequest({ root }: ContractDocument, report: Report): void {
  const seen = new Set<Node>()
  for (const { name, operation, item, at } of operationsOf(root)) {
    const visit = (node: Node, place: readonly string[]): void => {
      if (node.readOnly !== true) return
      report(
        [...place, 'readOnly'],
        `A part of the request of ${name} is readOnly, which is not checked.`,
        'Give requests a schema of their own without it, with additionalProperties: false.',
      )
    }
    walkThrough(root, { at: [...at, 'requestBody'], value: operation.requestBody }, visit, seen)
    walkThrough(root, { at: [...at, 'parameters'], value: operation.parameters }, visit, seen)
    walkThrough(root, { at: [...at.slice(0, -1), 'parameters'], value: item.parameters }, visit, seen)
  }
}

function writeOnlyInResponse({ root }: ContractDocument, report: Report): void {
  const seen = new Set<Node>()
  for (const { name, operation, at } of operationsOf(root)) {
    const visit = (node: Node, place: readonly string[]): void => {
      if (node.writeOnly !== true) return
      report(
        [...place, 'writeOnly'],
        `A part of an answer of ${name} is writeOnly, which is not left out.`,
        'Give answers a schema of their own without it.',
      )
    }
    for (const [status, value] of entriesOf(operation.responses)) {
      walkThrough(root, { at: [...at, 'responses', status], value }, visit, seen)
    }
  }
}

function callbacks({ root }: ContractDocument, report: Report): void {
  for (const { name, operation, at } of operationsOf(root)) {
    if (operation.callbacks === undefined) continue
    report([...at, 'callbacks'], `${name} declares callbacks, which are never made.`, 'Take them away.')
  }
}
