/** Marks what is this service's: an SQLite file (`PRAGMA application_id`), advisory locks of PostgreSQL. Spells "ANIM". */
export const applicationId = 0x414e494d

/**
 * The schema, a step for each version. A step that has been released never changes; a change is a new step. Timestamps
 * are Unix time in ms.
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
]

/** What opening did to the schema: its version before, 0 for a new store, and now. */
export interface Migration {
  from: number
  to: number
}

/** Why a schema of a later version is refused. */
export function tooNew(version: number, known: number): string {
  return `its schema has version ${version} and this program knows ${known}; use a newer program`
}
