/** Marks a SQLite file as this service's (`PRAGMA application_id`). Spells "ANIM". */
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
