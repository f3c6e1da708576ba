import { createHash } from 'node:crypto'
import { schema } from './schema.ts'
import type { RememberingTable, Table, Value } from './table.ts'

export type Row = readonly Value[]

/** How many rows an erasure removed, and how many remembered requests with what they asked for and got. */
export interface Erased {
  rows: number
  requests: number
}

/** A store as rows, for copying and for erasing. */
export interface Archive {
  count: (table: Table) => Promise<number>
  /** At most `limit` rows in the order of their key, after that of `after`. */
  read: (table: Table, after: Row | undefined, limit: number) => Promise<Row[]>
  /** Adds rows in one transaction. */
  write: (table: Table, rows: readonly Row[]) => Promise<void>
  /** The highest id that a row of the table has ever had, 0 when there was none. For tables with generated ids. */
  lastId: (table: Table) => Promise<bigint>
  setLastId: (table: Table, id: bigint) => Promise<void>
  /**
   * Removes the row with this key and all that is remembered of requests that wrote it, in one transaction, and lets the
   * engine give up what it keeps of removed rows in its files. Throws `Referenced` when another row points to the row.
   */
  erase: (table: RememberingTable, key: Value) => Promise<Erased>
  close: () => Promise<void>
}

/** A row is not erased, since another one points to it. */
export class Referenced extends Error {}

export interface Copied {
  table: string
  rows: number
  /** How many of them were not there before. */
  added: number
  /** SHA-256 of all rows, the same on both sides. */
  checksum: string
}

const batch = 1000

/**
 * Copies what the target does not have. Throws a sentence, before anything is written, when the target has what the source
 * has not; and one when both differ in the end. `onProgress` hears of rows that are read, three times each.
 */
export async function copyStore(
  source: Archive,
  target: Archive,
  onProgress: (done: number, total: number) => void,
): Promise<Copied[]> {
  let total = 0
  for (const table of schema.all) total += 3 * (await source.count(table))
  let done = 0
  const advance = (): void => {
    done += 1
    if (done % batch === 0) onProgress(done, total)
  }

  for (const table of schema.all) {
    for await (const _ of missing(table, source, target, advance));
  }
  const generated = schema.all.filter((table) => table.generated !== undefined)
  for (const table of generated) {
    if ((await target.lastId(table)) > (await source.lastId(table))) {
      throw foreign(`ids of ${table.name} beyond the last one of FROM`)
    }
  }

  const added = new Map<string, number>()
  for (const table of schema.all) {
    let rows: Row[] = []
    const flush = async (): Promise<void> => {
      await target.write(table, rows)
      added.set(table.name, (added.get(table.name) ?? 0) + rows.length)
      rows = []
    }
    for await (const row of missing(table, source, target, advance)) {
      if (rows.push(row) >= batch) await flush()
    }
    await flush()
  }
  for (const table of generated) await target.setLastId(table, await source.lastId(table))

  const copied: Copied[] = []
  for (const table of schema.all) {
    const [ours, theirs] = [await digest(table, source, advance), await digest(table, target)]
    if (ours.checksum !== theirs.checksum) {
      throw new Error(
        `After copying, ${table.name} differ: FROM has ${ours.rows} rows and TO ${theirs.rows}. Is FROM in use?`,
      )
    }
    copied.push({ table: table.name, ...ours, added: added.get(table.name) ?? 0 })
  }
  return copied
}

/** The rows that the target lacks. Throws when it has others. */
async function* missing(table: Table, source: Archive, target: Archive, onRow: () => void): AsyncGenerator<Row> {
  const theirs = rowsOf(table, target)
  let there = await theirs.next()
  for await (const row of rowsOf(table, source)) {
    onRow()
    if (there.done || keyText(table, there.value) !== keyText(table, row)) yield row
    else {
      if (text(there.value) !== text(row)) throw foreign(`${table.name} that differ, ${keyText(table, row)} for one`)
      there = await theirs.next()
    }
  }
  if (!there.done) throw foreign(`${table.name} that FROM has not, ${keyText(table, there.value)} for one`)
}

function foreign(what: string): Error {
  return new Error(`TO is left as it is, since it has ${what}. Copy to a new store.`)
}

async function* rowsOf(table: Table, archive: Archive): AsyncGenerator<Row, undefined> {
  for (let after: Row | undefined; ;) {
    const rows = await archive.read(table, after, batch)
    yield* rows
    after = rows.at(-1)
    if (rows.length < batch) return undefined
  }
}

async function digest(
  table: Table,
  archive: Archive,
  onRow: () => void = () => undefined,
): Promise<{ rows: number; checksum: string }> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const row of rowsOf(table, archive)) {
    hash.update(text(row))
    rows += 1
    onRow()
  }
  return { rows, checksum: hash.digest('hex') }
}

/** A row as a line that no other row has. */
function text(row: Row): string {
  const parts = row.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value))
  return `${JSON.stringify(parts.map((value) => (typeof value === 'bigint' ? [String(value)] : value)))}\n`
}

/** The values of a row's key, in the order of the key. */
export function primaryKeyOf({ columns, key }: Table, row: Row): Value[] {
  const names = Object.keys(columns)
  return key.map((name) => row[names.indexOf(name)] ?? null)
}

function keyText(table: Table, row: Row): string {
  return primaryKeyOf(table, row).join(' ')
}
