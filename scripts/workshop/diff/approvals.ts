import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { isDay } from '../../../src/contract/model/life-cycle.ts'
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
  const lines = new LineCounter()
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  const fault = yaml.errors[0]
  if (fault) throw new Error(`${at(fault.pos[0])} ${fault.message}.`)
  const { contents } = yaml
  if (contents === null) return []
  if (!('items' in contents) || isMap(contents)) throw new Error(`${at(0)} Approvals are a list.`)
  return contents.items.map((item) => {
    const place = at(item.range[0])
    if (!isMap(item)) throw new Error(`${place} An approval has the keys change, reason and expires.`)
    const values = new Map(item.items.map(({ key, value }) => [String(key), isScalar(value) ? value.value : undefined]))
    const { change = '', reason = '', expires = '' } = Object.fromEntries(values) as Record<string, unknown>
    const unknown = [...values.keys()].find((key) => !['change', 'reason', 'expires'].includes(key))
    if (unknown !== undefined) {
      throw new Error(`${place} An approval has the keys change, reason and expires, but not ${unknown}.`)
    }
    if (typeof change !== 'string' || !/^[0-9a-f]{12}$/.test(change)) {
      throw new Error(`${place} "change" must be the fingerprint of a change, 12 hex digits in quotes.`)
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new Error(`${place} "reason" must say why the change is approved.`)
    }
    if (typeof expires !== 'string' || !isDay(expires)) {
      throw new Error(`${place} "expires" must be a day such as "2027-01-31".`)
    }
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
