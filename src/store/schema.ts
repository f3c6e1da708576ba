import type { Key, NewPet, Once, Pet, PetStatus, Tables } from './store.ts'

/** Marks what is this service's: an SQLite file (`PRAGMA application_id`), advisory locks of PostgreSQL. Spells "ANIM". */
export const applicationId = 0x414e494d

/** What a column holds: an integer of 64 bits, text in Unicode, or bytes. */
export type ColumnType = 'int64' | 'text' | 'bytes'

/** A table as both engines have it. */
export interface Table {
  name: string
  /** In the order in which rows are read and written. */
  columns: Readonly<Record<string, ColumnType>>
  /** The primary key. It orders rows alike on both engines. */
  key: readonly string[]
  /** The column whose values the engine gives: one after another, and never twice. */
  generated?: string
}

/** A table whose rows are added by clients, at most once for each Idempotency-Key. */
export interface AddedTable extends Table {
  generated: string
  /** Remembers the requests that added rows: the name of that table, and its column for the id of the row. */
  requests: { name: string; row: string }
  /** The number of the advisory lock of PostgreSQL by which processes take turns to add rows. */
  lock: number
}

/** Each table of the interface, with what people call its rows. */
type Declared = { readonly [Name in keyof Tables]: (Table | AddedTable) & { name: Name; called: string } }

/** Every table. Whatever reads or writes whole stores goes by this. */
export const tables = {
  pets: {
    name: 'pets',
    called: 'animals',
    columns: { id: 'int64', name: 'text', category_id: 'int64', status: 'text' },
    key: ['id'],
    generated: 'id',
    requests: { name: 'idempotency_keys', row: 'pet_id' },
    lock: 2,
  },
  keys: {
    name: 'keys',
    called: 'keys',
    columns: {
      ...{ id: 'text', digest: 'bytes', plan: 'text', per_minute: 'int64', per_day: 'int64', label: 'text' },
      ...{ created_at: 'int64', revoked_at: 'int64', banned_until: 'int64', ban_level: 'int64' },
      ...{ start: 'text', expires_at: 'int64', last_used_at: 'int64', account: 'text' },
    },
    key: ['id'],
  },
} as const satisfies Declared

/** The tables with those that remember requests. */
export const allTables: readonly Table[] = Object.values(tables).flatMap((table) =>
  'requests' in table ? [table, requestsOf(table)] : [table],
)

/**
 * The table that remembers by which requests rows were added, with what was asked for and what was answered. Its rows go
 * after a time, and not with the row that was added.
 */
function requestsOf({ requests }: AddedTable): Table {
  return {
    name: requests.name,
    columns: {
      ...{ caller: 'text', key: 'text', [requests.row]: 'int64', created_at: 'int64' },
      ...{ digest: 'bytes', answer: 'text' },
    },
    key: ['caller', 'key'],
  }
}

/** A statement that fails on both engines unless every table can be read. */
export const probe = `SELECT ${allTables.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`).join(', ')}`

/** The names of a table's columns, as a statement has them. */
export function columnsOf({ columns }: Table): string {
  return Object.keys(columns).join(', ')
}

/** The columns of a table without the generated one, with their types. */
export function givenColumns({ columns, generated }: AddedTable): (readonly [name: string, type: ColumnType])[] {
  return Object.entries(columns).filter(([name]) => name !== generated)
}

/** A row as both engines give it: for 20 rows a third cheaper than objects made by the SQLite binding. */
export type AddedRow<Values extends unknown[]> = [id: bigint, ...values: Values]

/** Adds rows to a table. The values are those of its columns without the generated one, in their order. */
export interface Additions<Values extends unknown[]> {
  /** Resolves once the row is on disk. */
  add: (values: Values) => Promise<AddedRow<Values>>
  /**
   * Gives the row that the same request added under this name before, as it was then, if that is remembered. Adds one if
   * the name is new, and gives undefined if it stands for another request.
   */
  addOnce: (values: Values, once: Once) => Promise<{ row: AddedRow<Values>; replayed: boolean } | undefined>
}

/** The columns of an animal, in the order of its row. */
export const petColumns = columnsOf(tables.pets)

export type PetValues = [name: string, categoryId: bigint, status: PetStatus]

export function petOf([id, name, categoryId, status]: AddedRow<PetValues>): Pet {
  return { id, name, categoryId, status }
}

export function petValues({ name, categoryId, status }: NewPet): PetValues {
  return [name, categoryId, status]
}

/** The columns of a key without its digest, in the order of `KeyRow`. */
export const keyColumns = Object.keys(tables.keys.columns)
  .filter((name) => name !== 'digest')
  .join(', ')

export type KeyRow = [
  id: string,
  plan: string,
  perMinute: bigint | null,
  perDay: bigint | null,
  label: string | null,
  createdAt: bigint,
  revokedAt: bigint | null,
  bannedUntil: bigint | null,
  banLevel: bigint | null,
  start: string | null,
  expiresAt: bigint | null,
  lastUsedAt: bigint | null,
  account: string | null,
]

/** Marks for the values of a new key, of which the digest is the first; `mark` makes that of a place, counted from 1. */
export function keyMarks(mark: (place: number) => string): string {
  return Object.keys(tables.keys.columns)
    .map((_, index) => mark(index + 1))
    .join(', ')
}

export function apiKeyOf([
  id,
  plan,
  perMinute,
  perDay,
  label,
  createdAt,
  revokedAt,
  bannedUntil,
  banLevel,
  start,
  expiresAt,
  lastUsedAt,
  account,
]: KeyRow): Key {
  const number = (value: bigint | null): number | undefined => (value === null ? undefined : Number(value))
  return {
    id,
    plan,
    custom:
      perMinute === null || perDay === null ? undefined : { perMinute: Number(perMinute), perDay: Number(perDay) },
    label: label ?? undefined,
    createdAt: Number(createdAt),
    revokedAt: number(revokedAt),
    ban:
      bannedUntil === null || banLevel === null ? undefined : { until: Number(bannedUntil), level: Number(banLevel) },
    start: start ?? undefined,
    expiresAt: number(expiresAt),
    lastUsedAt: number(lastUsedAt),
    account: account ?? id,
  }
}

/** What `keyColumns` hold of a key. */
export function apiKeyValues(key: Key): (string | number | null)[] {
  const { id, plan, custom, label, createdAt, revokedAt, ban, start, expiresAt, lastUsedAt, account } = key
  return [
    ...[id, plan, custom?.perMinute ?? null, custom?.perDay ?? null, label ?? null],
    ...[createdAt, revokedAt ?? null, ban?.until ?? null, ban?.level ?? null],
    ...[start ?? null, expiresAt ?? null, lastUsedAt ?? null, account === id ? null : account],
  ]
}

/**
 * How SQLite gets the tables, a step for each version. A step that has been released never changes; a change is a new
 * step. Timestamps are Unix time in ms.
 */
export const sqliteSteps: readonly string[] = [
  `CREATE TABLE pets (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status TEXT NOT NULL
   ) STRICT;
   CREATE INDEX pets_by_status ON pets (status);
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     digest BLOB NOT NULL UNIQUE,
     plan TEXT NOT NULL,
     per_minute INTEGER,
     per_day INTEGER,
     label TEXT,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE keys ADD COLUMN banned_until INTEGER;
   ALTER TABLE keys ADD COLUMN ban_level INTEGER;`,
  `CREATE TABLE idempotency_keys (
     caller TEXT NOT NULL,
     key TEXT NOT NULL,
     pet_id INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     PRIMARY KEY (caller, key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);`,
  `CREATE TABLE animal_store_installation (id TEXT NOT NULL) STRICT;
   INSERT INTO animal_store_installation VALUES (lower(hex(randomblob(8))));`,
  `ALTER TABLE keys ADD COLUMN start TEXT;
   ALTER TABLE keys ADD COLUMN expires_at INTEGER;
   ALTER TABLE keys ADD COLUMN last_used_at INTEGER;
   ALTER TABLE keys ADD COLUMN account TEXT;`,
  `ALTER TABLE idempotency_keys ADD COLUMN digest BLOB;
   ALTER TABLE idempotency_keys ADD COLUMN answer TEXT;
   DELETE FROM idempotency_keys WHERE pet_id NOT IN (SELECT id FROM pets);
   UPDATE OR IGNORE idempotency_keys SET key = ${bareKey('char')} WHERE ${isQuotedKey('char')};`,
]

/** The same for PostgreSQL. Text that is compared or ordered has the collation C, which orders it as SQLite does. */
export const postgresSteps: readonly string[] = [
  `CREATE TABLE pets (
     id bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME pets_id_seq) PRIMARY KEY,
     name text NOT NULL,
     category_id bigint NOT NULL,
     status text COLLATE "C" NOT NULL
   );
   CREATE INDEX pets_by_status ON pets (status, id);
   CREATE TABLE keys (
     id text COLLATE "C" PRIMARY KEY,
     digest bytea NOT NULL UNIQUE,
     plan text NOT NULL,
     per_minute bigint,
     per_day bigint,
     label text,
     created_at bigint NOT NULL,
     revoked_at bigint,
     banned_until bigint,
     ban_level bigint
   );
   CREATE TABLE idempotency_keys (
     caller text COLLATE "C" NOT NULL,
     key text COLLATE "C" NOT NULL,
     pet_id bigint NOT NULL REFERENCES pets ON DELETE CASCADE,
     created_at bigint NOT NULL,
     PRIMARY KEY (caller, key)
   );
   CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);`,
  `CREATE TABLE animal_store_installation (id text NOT NULL);
   INSERT INTO animal_store_installation VALUES (replace(gen_random_uuid()::text, '-', ''));`,
  `ALTER TABLE keys ADD COLUMN start text;
   ALTER TABLE keys ADD COLUMN expires_at bigint;
   ALTER TABLE keys ADD COLUMN last_used_at bigint;
   ALTER TABLE keys ADD COLUMN account text;`,
  `ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pet_id_fkey,
     ADD COLUMN digest bytea, ADD COLUMN answer text;
   UPDATE idempotency_keys AS quoted SET key = ${bareKey('chr')} WHERE ${isQuotedKey('chr')} AND NOT EXISTS (
     SELECT FROM idempotency_keys AS bare WHERE bare.caller = quoted.caller AND bare.key = ${bareKey('chr', 'quoted.key')});`,
]

/** Whether a key of a step is a string in quotes, by the engine's function that makes a character of its number. */
function isQuotedKey(char: string): string {
  const inside = insideOf('key', char)
  return `key LIKE '"_%"' AND replace(replace(${inside}, ${char}(34), ''), ${char}(92), '') = ${inside}`
}

/** The key that stands between the quotes. */
function bareKey(char: string, column = 'key'): string {
  return `replace(replace(${insideOf(column, char)}, ${char}(1), ${char}(92)), ${char}(2), ${char}(34))`
}

/** What stands between quotes, with U+0001 and U+0002 for an escaped backslash and an escaped quote. */
function insideOf(column: string, char: string): string {
  const [backslash, quote] = [`${char}(92)`, `${char}(34)`]
  const inside = `substr(${column}, 2, length(${column}) - 2)`
  return `replace(replace(${inside}, ${backslash} || ${backslash}, ${char}(1)), ${backslash} || ${quote}, ${char}(2))`
}

/** Selects the id of the installation: a random one, made with the store. It is no data, and is not copied. */
export const selectInstallation = 'SELECT id FROM animal_store_installation'

/** What opening did to the schema: its version before, 0 for a new store, and now. */
export interface Migration {
  from: number
  to: number
}

/** Why a schema of a later version is refused. */
export function tooNew(version: number, known: number): string {
  return `its schema has version ${version} and this program knows ${known}; use a newer program`
}
