import { Agent } from 'node:http'
import { list, shown } from '../faults/audit.ts'
import type { Sent } from '../faults/client.ts'
import { ask } from './ask.ts'
import type { Fleet } from './fleet.ts'
import { textOf, type Reader } from './load.ts'

const atOnce = 16

type Row = Sent & { id: bigint }

/** A sentence for each animal that is lost, and for each that is there when it should not be, or other than it was sent. */
export interface Findings {
  lost: string[]
  wrong: string[]
}

/** Compares the database with all that was sent, with what the readers saw, and with the list of each process. */
export async function audit(
  { postgres, backing, services, key }: Fleet,
  sent: readonly Sent[],
  readers: readonly Reader[],
  from: { page: string },
): Promise<Findings> {
  const lost: string[] = []
  const wrong: string[] = []
  const stored = await postgres.sql(
    backing.DATABASE_URL,
    'SELECT id::text, name, category_id::text AS "categoryId", status FROM pets ORDER BY pets.id',
  )
  const rows = (stored as unknown as Record<keyof Sent, string>[]).map(
    ({ id, name, categoryId, status }) =>
      ({ id: BigInt(id), name, categoryId: BigInt(categoryId), status: status as Sent['status'] }) satisfies Row,
  )
  const byName = new Map(rows.map((row) => [row.name, row]))
  if (byName.size !== rows.length) wrong.push(`${rows.length - byName.size} animals are stored twice.`)
  const ids = new Set<bigint>()
  for (const one of sent) {
    const row = byName.get(one.name)
    byName.delete(one.name)
    // without an answer it may be stored or not
    if (one.id === undefined) continue
    if (ids.has(one.id)) wrong.push(`The id ${one.id} was given twice.`)
    ids.add(one.id)
    if (row === undefined) lost.push(`${one.name}, acknowledged as ${one.id}, is lost.`)
    else if (shown(row) !== shown(one)) wrong.push(`${shown(one)} is stored as ${shown(row)}.`)
  }
  for (const name of byName.keys()) wrong.push(`${name} is stored and was never sent.`)

  const all = rows.map(textOf)
  for (const { seen } of readers) {
    const place = all.findIndex((text, index) => seen[index] !== text)
    if (place >= 0) wrong.push(`A reader of the list missed ${all[place] ?? ''}, or saw another there.`)
    else if (seen.length > all.length) wrong.push(`A reader of the list saw ${seen.length - all.length} too many.`)
  }

  let last = from.page
  for (const { address } of services) {
    const { pets, page } = await list(address, key, from.page)
    const expected = rows.slice(rows.length - pets.length).map(shown)
    const missing = expected.filter((text, index) => pets[index] !== text)
    if (missing.length > 0) lost.push(`${missing[0] ?? ''} is not where a process lists it.`)
    const first = rows.findIndex((row) => shown(row) === pets[0])
    if (first !== rows.length - pets.length) lost.push('A process lists another number of animals than are stored.')
    last = page
  }
  from.page = last
  return { lost, wrong }
}

/** Asks both processes for each animal that was acknowledged. */
export async function findEach({ services, key }: Fleet, sent: readonly Sent[]): Promise<string[]> {
  const agent = new Agent({ keepAlive: true })
  const lost: string[] = []
  const asked = services.flatMap(({ address }) =>
    sent.filter(({ id }) => id !== undefined).map((one) => ({ address, one })),
  )
  const client = async (): Promise<void> => {
    for (let next = asked.pop(); next; next = asked.pop()) {
      const { address, one } = next
      const answer = await ask(address, `/v1/pets/${one.id ?? 0n}`, { key, agent })
      if (answer.status !== 200 || answer.body !== textOf(one)) {
        lost.push(`${one.name}, acknowledged as ${one.id ?? 0n}, is answered ${answer.status}: ${answer.body}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  agent.destroy()
  return lost
}
