import { sourceOf } from '../../../src/contract/model/files/source.ts'
import { isDay } from '../../../src/contract/model/life-cycle.ts'
import { isNode } from '../../../src/contract/model/node.ts'
import type { Change } from './change.ts'

/** Consent to one change until a certain day. */
export interface Approval {
  /** The change's fingerprint. */
  change: string
  reason: string
  /** The last day on which it counts. */
  expires: string
  /** Its place, such as `.contract-approvals.yaml:1:3`. */
  place: string
}

/** Parses a file of approvals. A fault in it throws an error that begins with the place. */
export function readApprovals(text: string, name: string): Approval[] {
  const { root, place: placeOf } = sourceOf(text, name)
  if (root === null) return []
  if (!Array.isArray(root)) throw new Error(`${placeOf([])} Approvals are a list.`)
  return root.map((item: unknown, index) => {
    const place = placeOf([String(index)])
    if (!isNode(item)) throw new Error(`${place} An approval has the keys change, reason and expires.`)
    const { change, reason, expires, ...others } = item
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) {
      throw new Error(`${place} An approval has the keys change, reason and expires, but not ${unknown}.`)
    }
    if (typeof change !== 'string' || !/^[0-9a-f]{12}$/.test(change)) {
      throw new Error(`${place} "change" must be the fingerprint of a change, 12 hex digits in quotes.`)
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new Error(`${place} "reason" must say why the change is approved.`)
    }
    if (!isDay(expires)) throw new Error(`${place} "expires" must be a day such as "2027-01-31".`)
    return { change, reason, expires, place }
  })
}

/** Marks approved changes as excused. Returns a sentence for each approval that has no effect. */
export function approve(changes: readonly Change[], approvals: readonly Approval[], today: string): string[] {
  return approvals.flatMap(({ change: fingerprint, reason, expires, place }) => {
    const change = changes.find((one) => one.fingerprint === fingerprint)
    if (!change) return `${place} The approval of ${fingerprint} matches no change.`
    if (expires < today) return `${place} The approval of ${fingerprint} expired on ${expires}.`
    if (change.level !== 'compatible') change.excused = `approved until ${expires}: ${reason.trim()}`
    return []
  })
}
