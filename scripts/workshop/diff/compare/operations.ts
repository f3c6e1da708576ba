import { pointerOf } from '../../../../src/contract/model/node.ts'
import { methods } from '../../../../src/contract/model/grammar.ts'
import { changeWording } from '../wording.ts'
import { changesOf, noDifferences, tell, type Comparison, type Differences, type Here } from './comparison.ts'
import { compareBodies, compareResponses } from './messages.ts'
import { compareParameters, compareSentParameters } from './parameters.ts'
import { compareSecurity } from './security.ts'
import { compareServers } from './servers.ts'
import type { PairedOperation, Sides } from './sides.ts'
import { deref, spotAt, type Part, type Spot } from './spot.ts'
import { compareLife, compareTexts } from './texts.ts'
import { unchanged } from './unchanged.ts'

/** The changes of all operations that both contracts have, and the number of edited texts for readers. */
export function compareOperations(sides: Sides, today: string): ReturnType<typeof changesOf> {
  const all: Comparison = { ...sides, today, known: new Map(), due: [] }
  const isUnchanged = unchanged(sides)
  const byOperation = new Map<string, Differences>()
  for (const [key, before] of sides.base.operations) {
    const after = sides.head.operations.get(key)
    if (after && !isUnchanged(before, after)) byOperation.set(key, differencesOf(all, before, after))
  }
  byOperation.set('webhooks', webhookDifferences(all))
  const changes = changesOf(all, byOperation)
  const texts = noDifferences()
  for (const path of [[], ['info']])
    compareTexts({ into: texts }, [spotAt(sides.base, path)], [spotAt(sides.head, path)])
  return { ...changes, editorial: changes.editorial + texts.editorial.length }
}

function differencesOf(all: Comparison, before: PairedOperation, after: PairedOperation): Differences {
  const here: Here = { all, into: noDifferences(), direction: 'request', isText: false }
  compareOperation(here, deref(all, spotAt(all.base, before.at), spotAt(all.head, after.at)))
  compareParameters(here, before, after)
  compareSecurity(here, before, after)
  compareServers(here, before, after)
  return here.into
}

/** Compares the requests that the service sends by itself, of which clients have no operation. */
function webhookDifferences(all: Comparison): Differences {
  const here: Here = { all, into: noDifferences(), direction: 'response', isText: false }
  compareNamed(here, ['webhooks', 'webhook'], [spotAt(all.base, []), spotAt(all.head, [])], (item, itemNow) => {
    compareSent(here, 'webhook', [item, itemNow])
  })
  return here.into
}

/** What the service sends by itself, as rules name it. */
type Sent = 'callback' | 'webhook'

/** Compares the requests of a path item that the service sends. */
function compareSent(outer: Here, rule: Sent, [item, itemNow]: readonly [Part, Part]): void {
  // a callback may have itself as a callback
  const key = JSON.stringify([rule, outer.direction, pointerOf(item.at), pointerOf(itemNow.at)])
  const known = outer.all.known.get(key)
  const into = known ?? noDifferences()
  outer.into.uses.add(into)
  if (known) return
  outer.all.known.set(key, into)
  const here = { ...outer, into }
  compareNamed(here, ['', rule], [operationsIn(item), operationsIn(itemNow)], (operation, operationNow) => {
    compareOperation(here, [operation, operationNow])
    compareSentParameters(here, [item, operation], [itemNow, operationNow])
  })
}

/** A path item without what is no operation of it. */
function operationsIn(item: Part): Part {
  const operations = Object.entries(item.node).filter(([key]) => methods.has(key) || key === 'query')
  return item.with(Object.fromEntries(operations))
}

/** Compares what two operations say of themselves. In a callback the service sends the requests. */
function compareOperation(here: Here, [old, now]: readonly [Part, Part]): void {
  const spots = { parent: now, before: old, after: now }
  compareTexts(here, [old], [now])
  compareLife(here, spots, old.node, now.node)
  const [id, idNow] = [old.node.operationId, now.node.operationId]
  if (id !== idNow) {
    const level = id === undefined ? 'compatible' : 'breaking'
    const judgement = { rule: 'operation-id-changed', level, what: changeWording('operationId', id, idNow) } as const
    tell(here, judgement, { ...spots, property: 'operationId' })
  }
  compareBodies(here, old.field('requestBody'), now.field('requestBody'))
  const opposite = here.direction === 'request' ? 'response' : 'request'
  compareResponses({ ...here, direction: opposite }, old, now)
  compareNamed(here, ['callbacks', 'callback'], [old, now], (callback, callbackNow) => {
    compareNamed(here, ['', 'callback'], [callback, callbackNow], (item, itemNow) => {
      compareSent({ ...here, direction: opposite }, 'callback', [item, itemNow])
    })
  })
}

/** Compares the values of two mappings by their names. */
function compareNamed(
  here: Here,
  [key, rule]: readonly [string, Sent],
  [old, now]: readonly [Spot, Spot],
  compare: (before: Part, after: Part) => void,
): void {
  const [before, after] = [old, now].map((part) => new Map(part.field(...(key === '' ? [] : [key])).entries))
  for (const [name, value] of before ?? []) {
    const other = after?.get(name)
    if (other) compare(...deref(here.all, value, other))
    else tell(here, { rule: `${rule}-removed`, level: 'breaking', what: 'removed' }, { parent: now, before: value })
  }
  for (const [name, value] of after ?? []) {
    if (before?.has(name)) continue
    tell(here, { rule: `${rule}-added`, level: 'compatible', what: 'added' }, { parent: now, after: value })
  }
}
