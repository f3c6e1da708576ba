import { tables as declared } from '../../generated/tables.ts'
import { keyChangesTable } from './key-changes.ts'
import { keyTable } from './key-table.ts'
import { requestsOf, storedTable, type AnyTable, type RememberingTable, type Steps, type Table } from './table.ts'

/** Marks what is this service's: an SQLite file (`PRAGMA application_id`), advisory locks of PostgreSQL. Spells "ANIM". */
export const applicationId = 0x414e494d

/** Tables as a store has them. Whatever reads or writes whole stores goes by this. */
export interface Schema {
  /** Those of clients, by their names. */
  declared: Readonly<Record<string, AnyTable>>
  /** The same as both engines have them. */
  stored: readonly RememberingTable[]
  /** All of them, with those that remember requests and those of the keys. What a row points to comes before it. */
  all: readonly Table[]
  /** How each engine gets the tables, a step for each version. */
  sqliteSteps: readonly string[]
  postgresSteps: readonly string[]
  /** The oldest versions whose programs may run on the newest one. */
  oldest: { sqlite: number; postgres: number }
  /** A statement that fails on both engines unless every table can be read. */
  probe: string
}

/**
 * The oldest versions of the schema whose programs may run on the newest one. A step that only adds leaves them as they are;
 * one that a running program would suffer from, or that a rollback could not live with, raises them to its own version.
 */
const oldestPrograms = { sqlite: 7, postgres: 5 }

/** The schema of a store with these tables, beside that of the keys. */
export function schemaOf(declared: Schema['declared']): Schema {
  const stored = Object.values(declared).map(storedTable)
  requireOwnNames(stored)
  const all = [...inOrder(stored).flatMap((table) => [table, requestsOf(table)]), keyTable, keyChangesTable]
  const steps = [...Object.values(declared), keyTable, keyChangesTable, { steps: installation }].map((one) => one.steps)
  return {
    declared,
    stored,
    all,
    sqliteSteps: stepsOf(steps.map(({ sqlite }) => sqlite)),
    postgresSteps: stepsOf(steps.map(({ postgres }) => postgres)),
    oldest: oldestPrograms,
    probe: `SELECT ${all.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`).join(', ')}`,
  }
}

/** The id of the installation: a random one, made with the store. It is no data, and is not copied. */
const installation: Steps = {
  sqlite: {
    4: `CREATE TABLE animal_store_installation (id TEXT NOT NULL) STRICT;
   INSERT INTO animal_store_installation VALUES (lower(hex(randomblob(8))));`,
  },
  postgres: {
    2: `CREATE TABLE animal_store_installation (id text NOT NULL);
   INSERT INTO animal_store_installation VALUES (replace(gen_random_uuid()::text, '-', ''));`,
  },
}
export const selectInstallation = 'SELECT id FROM animal_store_installation'

/** Refuses tables that would share a name or a lock. */
function requireOwnNames(stored: readonly RememberingTable[]): void {
  const taken = new Map<string | number, string>([
    [1, 'the migrations'],
    [keyTable.name, 'the API keys'],
    [keyChangesTable.name, 'the changes of API keys'],
  ])
  for (const { name, requests, lock } of stored) {
    for (const own of [name, requests.name, lock]) {
      const other = taken.get(own)
      if (other !== undefined) throw new Error(`The table ${name} has ${own}, as ${other} has. Give it another one.`)
      taken.set(own, name)
    }
  }
}

/** What a row points to before the row. */
function inOrder(stored: readonly RememberingTable[]): RememberingTable[] {
  const done: RememberingTable[] = []
  const add = (table: RememberingTable, from: readonly string[]): void => {
    if (done.includes(table)) return
    if (from.includes(table.name)) throw new Error(`The tables ${from.join(' and ')} point to each other.`)
    for (const to of Object.values(table.references)) {
      const target = stored.find(({ name }) => name === to)
      if (!target) throw new Error(`The table ${table.name} points to ${to}, which is none.`)
      if (target !== table) add(target, [...from, table.name])
    }
    done.push(table)
  }
  for (const table of stored) add(table, [])
  return done
}

/** The steps of all tables, by their versions: the first parts of all, then the second ones. */
function stepsOf(all: readonly Steps['sqlite'][]): string[] {
  const newest = Math.max(...all.flatMap((steps) => Object.keys(steps).map(Number)))
  return Array.from({ length: newest }, (_, index) => {
    const parts = all.map((steps) => [steps[index + 1] ?? []].flat())
    const most = Math.max(...parts.map(({ length }) => length))
    return Array.from({ length: most }, (_, part) => parts.flatMap((one) => one[part] ?? []))
      .flat()
      .join('\n   ')
  })
}

/** The schema of the service. */
export const schema = schemaOf(declared)

/** The names of a table's columns, as a statement has them. */
export function columnsOf({ columns }: Table): string {
  return Object.keys(columns).join(', ')
}

/** What opening did to the schema: its version before, 0 for a new store, and now. */
export interface Migration {
  from: number
  to: number
}

/** Says of a schema of this version that programs which know `oldest` may run on it. Both engines understand it. */
export function statementsOfOldest(version: number, oldest: number): string {
  return `CREATE TABLE IF NOT EXISTS ${oldestTable} (version integer NOT NULL, oldest integer NOT NULL);
    DELETE FROM ${oldestTable}; INSERT INTO ${oldestTable} VALUES (${version}, ${oldest});`
}

/** The table that says which oldest program may run on the schema. There is none where only its own may. */
export const oldestTable = 'animal_store_oldest'
/** What it says of the version that is its parameter. */
export const selectOldest = (parameter: '?' | '$1'): string =>
  `SELECT oldest FROM ${oldestTable} WHERE version = ${parameter}`

/** Refuses a schema of a later version, unless it says that this program may run on it. */
export function refuseTooNew(version: number, known: number, oldest: number | undefined): void {
  if (version <= known || (oldest !== undefined && oldest <= known)) return
  throw new Error(`its schema has version ${version} and this program knows ${known}; use a newer program`)
}
