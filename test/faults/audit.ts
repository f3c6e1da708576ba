import type { Sent } from './client.ts'
import { Database } from '../../src/store/sqlite/connection/driver.ts'

type Row = Sent & { id: bigint }

/** Where the rounds before ended. */
export interface Progress {
  /** The largest id that was given. */
  id: bigint
  /** The last page of the list. */
  page: string
}

export interface Findings {
  /** A sentence for each. */
  faults: string[]
  progress: Progress
}

/**
 * Compares the file, and what the service lists since the round before, with all that was sent, which must be
 * acknowledged by now.
 */
export async function audit(
  file: string,
  sent: readonly Sent[],
  { address, key, round, before }: { address: string; key: string; round: number; before: Progress },
): Promise<Findings> {
  const faults: string[] = []
  const db = new Database(file, { readonly: true })
  db.defaultSafeIntegers(true)
  const check = db.pragma('quick_check', { simple: true })
  if (check !== 'ok') faults.push(`quick_check says ${String(check)}.`)
  const rows = db.prepare<[], Row>('SELECT id, name, category_id AS categoryId, status FROM pets ORDER BY id').all()
  db.close()

  const byName = new Map(rows.map((row) => [row.name, row]))
  if (byName.size !== rows.length) faults.push(`${rows.length - byName.size} animals are stored twice.`)
  if (rows.length !== sent.length) faults.push(`${rows.length} animals are stored, and ${sent.length} were sent.`)
  for (const one of sent) {
    const row = byName.get(one.name)
    if (one.id === undefined) faults.push(`${one.name} was never acknowledged, though it was sent again.`)
    else if (row === undefined) faults.push(`${one.name}, acknowledged as ${one.id}, is lost.`)
    else if (shown(row) !== shown(one)) faults.push(`${shown(one)} is stored as ${shown(row)}.`)
    if (one.id !== undefined && one.id <= before.id && one.name.startsWith(`${round}-`)) {
      faults.push(`${one.name} got the id ${one.id}, which had been given before.`)
    }
  }

  const { pets, page } = await list(address, key, before.page)
  const listed = new Set(pets)
  const added = rows.filter(({ id }) => id > before.id).map(shown)
  for (const one of added) if (!listed.has(one)) faults.push(`${one} is not listed.`)
  const known = new Set(rows.map(shown))
  for (const one of pets) if (!known.has(one)) faults.push(`${one} is listed and not stored.`)
  return { faults, progress: { id: rows.at(-1)?.id ?? 0n, page } }
}

/** All animals from a page on, as `shown`, and the last page. */
export async function list(address: string, key: string, from: string): Promise<{ pets: string[]; page: string }> {
  const pets: string[] = []
  for (let page = from; ;) {
    const answer = await fetch(new URL(page, address), { headers: { Authorization: `Bearer ${key}` } })
    if (answer.status !== 200) throw new Error(`The list answers ${answer.status}.`)
    // as text, since JSON.parse rounds
    for (const [, id, name, categoryId, status] of (await answer.text()).matchAll(
      /\{"id":(\d+),"name":"([^"]+)","categoryId":(\d+),"status":"(\w+)"\}/g,
    )) {
      pets.push([id, name, categoryId, status].join(' '))
    }
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1]
    if (next === undefined) return { pets, page }
    page = next
  }
}

/** An animal in a line. */
export function shown({ id, name, categoryId, status }: Sent): string {
  return `${id} ${name} ${categoryId} ${status}`
}
