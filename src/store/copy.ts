import { createHash } from 'node:crypto'

/** A value of a row: integers are bigint on both engines. */
export type Value = bigint | string | Buffer | null
export type Row = readonly Value[]

/** The tables to copy, in an order in which what a row points to comes before it. Keys order rows alike on both engines. */
export const tables = {
  pets: { key: ['id'], columns: { id: 'bigint', name: 'text', category_id: 'bigint', status: 'text' } },
  keys: {
    key: ['id'],
    columns: {
      ...{ id: 'text', digest: 'bytea', plan: 'text', per_minute: 'bigint', per_day: 'bigint', label: 'text' },
      ...{ created_at: 'bigint', revoked_at: 'bigint', banned_until: 'bigint', ban_level: 'bigint' },
    },
  },
  idempotency_keys: {
    key: ['caller', 'key'],
    columns: { caller: 'text', key: 'text', pet_id: 'bigint', created_at: 'bigint' },
  },
} as const

export type Table = keyof typeof tables

/** A store as rows, for copying. */
export interface Archive {
  count: (table: Table) => Promise<number>
  /** At most `limit` rows in the order of their key, after that of `after`. Names of animals that are gone are left out. */
  read: (table: Table, after: Row | undefined, limit: number) => Promise<Row[]>
  /** Adds rows in one transaction. */
  write: (table: Table, rows: readonly Row[]) => Promise<void>
  /** The highest id that an animal has ever had, 0 when there was none. */
  lastId: () => Promise<bigint>
  setLastId: (id: bigint) => Promise<void>
  close: () => Promise<void>
}

export interface Copied {
  table: Table
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
  const names = Object.keys(tables) as Table[]
  let total = 0
  for (const table of names) total += 3 * (await source.count(table))
  let done = 0
  const advance = (): void => {
    done += 1
    if (done % batch === 0) onProgress(done, total)
  }

  for (const table of names) {
    for await (const _ of missing(table, source, target, advance));
  }
  if ((await target.lastId()) > (await source.lastId())) throw foreign('ids beyond the last one of FROM')

  const added = new Map<Table, number>()
  for (const table of names) {
    let rows: Row[] = []
    const flush = async (): Promise<void> => {
      await target.write(table, rows)
      added.set(table, (added.get(table) ?? 0) + rows.length)
      rows = []
    }
    for await (const row of missing(table, source, target, advance)) {
      if (rows.push(row) >= batch) await flush()
    }
    await flush()
  }
  await target.setLastId(await source.lastId())

  const copied: Copied[] = []
  for (const table of names) {
    const [ours, theirs] = [await digest(table, source, advance), await digest(table, target)]
    if (ours.checksum !== theirs.checksum) {
      throw new Error(
        `After copying, ${table} differ: FROM has ${ours.rows} rows and TO ${theirs.rows}. Is FROM in use?`,
      )
    }
    copied.push({ table, ...ours, added: added.get(table) ?? 0 })
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
      if (text(there.value) !== text(row)) throw foreign(`${table} that differ, ${keyText(table, row)} for one`)
      there = await theirs.next()
    }
  }
  if (!there.done) throw foreign(`${table} that FROM has not, ${keyText(table, there.value)} for one`)
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
export function primaryKeyOf(table: Table, row: Row): Value[] {
  const columns: string[] = Object.keys(tables[table].columns)
  return tables[table].key.map((name) => row[columns.indexOf(name)] ?? null)
}

function keyText(table: Table, row: Row): string {
  return primaryKeyOf(table, row).join(' ')
}
