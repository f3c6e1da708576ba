import stringWidth from 'string-width'
import { escaped } from '../../src/log/escaped.ts'
import { isActive } from '../../src/auth/key.ts'
import type { Plans } from '../../src/quota/plans.ts'
import type { Key } from '../../src/store/store.ts'
import { dayText, timeText } from './times.ts'

/** Labels are cut where fewer columns than this are left for them; below that the list has several lines for a key. */
const minLabel = 4

/** What the state of a key is now, in Unix time in ms. A revoked key is that, whether it has expired or not. */
export function stateOf(key: Key, now: number): string {
  if (key.revokedAt !== undefined) return 'revoked'
  if (!isActive(key, now)) return 'expired'
  if (key.ban && key.ban.until > now) return 'banned'
  // a key that expires at midnight is valid on the day before
  return key.expiresAt === undefined ? 'active' : `until ${dayText(key.expiresAt - 1)}`
}

/** A key for programs. */
export function record(key: Key, plans: Plans, now: number): Record<string, unknown> {
  const { id, plan, custom, label, createdAt, revokedAt, expiresAt, lastUsedAt, ban, start, account } = key
  const limits = custom ?? plans.get(plan)
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? ms : new Date(ms).toISOString())
  return {
    id,
    start,
    plan,
    ...(typeof limits === 'object' ? limits : {}),
    label,
    state: stateOf(key, now).replace(/^until .*/, 'active'),
    created: time(createdAt),
    lastUsed: lastUsedAt === undefined ? undefined : dayText(lastUsedAt),
    expires: time(expiresAt),
    revoked: time(revokedAt),
    bannedUntil: ban && ban.until > now ? time(ban.until) : undefined,
    account: account === id ? undefined : account,
  }
}

/** All that is known of a key, a line for each. */
export function details(key: Key, plans: Plans, now: number): string {
  const limits = key.custom ?? plans.get(key.plan)
  const told = typeof limits === 'object' ? ` (${limits.perMinute} requests per minute, ${limits.perDay} per day)` : ''
  const lines = [
    ['id', key.id],
    ['key', key.start === undefined ? undefined : `${key.start}…`],
    ['state', stateOf(key, now)],
    ['plan', key.plan + told],
    ['label', key.label],
    ['created', timeText(key.createdAt)],
    ['last used', key.lastUsedAt === undefined ? undefined : dayText(key.lastUsedAt)],
    ['expires', key.expiresAt === undefined ? undefined : timeText(key.expiresAt)],
    ['revoked', key.revokedAt === undefined ? undefined : timeText(key.revokedAt)],
    ['banned', key.ban && key.ban.until > now ? `until ${timeText(key.ban.until)}` : undefined],
    ...(key.account === key.id ? [] : [['counted with', key.account]]),
  ]
  return lines.map(([name = '', value = '-']) => `${name.padEnd(12)}  ${escaped(value)}`).join('\n')
}

/** The list of keys for a terminal with so many columns: a table or, where it does not fit, some short lines for a key. */
export function table(keys: readonly Key[], now: number, columns: number): string {
  const headings = ['ID', 'KEY', 'PLAN', 'STATE', 'LAST USE', 'LABEL']
  const rows = [headings, ...keys.map((key) => cellsOf(key, now))]
  const widths = headings.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const fixed = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  if (fixed + minLabel > columns) return keys.map((key) => lines(key, now, columns)).join('\n')
  const last = headings.length - 1
  return rows
    .map((row) => row.map((cell, index) => (index < last ? cell.padEnd(widths[index] ?? 0) : cell)).join('  '))
    .map((line) => cut(line, columns))
    .join('\n')
}

function cellsOf(key: Key, now: number): string[] {
  const lastUse = key.lastUsedAt === undefined ? '-' : dayText(key.lastUsedAt)
  return [key.id, key.start ?? '-', key.plan, stateOf(key, now), lastUse, key.label ?? '-'].map(escaped)
}

function lines(key: Key, now: number, columns: number): string {
  const [id = '', start, plan, state, lastUse, label = ''] = cellsOf(key, now)
  return [
    id,
    `  ${[start, plan, state].join('  ')}`,
    `  ${lastUse === '-' ? 'never used' : `used ${lastUse}`}  ${label}`,
  ]
    .map((line) => cut(line, columns))
    .join('\n')
}

/** A text that is not wider than so many columns; a letter may be two columns wide. */
function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  const letters = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment)
  while (letters.length > 0 && stringWidth(letters.join('')) > columns - 1) letters.pop()
  return `${letters.join('').trimEnd()}…`
}
