import type { KeyChange, KeyChangeKind } from './store.ts'
import type { Steps, Table } from './table.ts'

/** The table of changes. Those of a key are counted from 1, in their order. */
export const keyChangesTable = {
  name: 'key_changes',
  columns: {
    ...{ key: 'text', number: 'int64', change: 'text', at: 'int64', made_by: 'text', until: 'int64' },
  },
  key: ['key', 'number'],
  nullable: ['made_by', 'until'],
  indexes: [],
  unique: [],
  references: {},
  steps: {
    sqlite: {
      7: `CREATE TABLE key_changes (
     key TEXT NOT NULL,
     number INTEGER NOT NULL,
     change TEXT NOT NULL,
     at INTEGER NOT NULL,
     made_by TEXT,
     until INTEGER,
     PRIMARY KEY (key, number)
   ) STRICT, WITHOUT ROWID;
   ${earlierChanges()}
   CREATE TRIGGER key_changes_stay BEFORE UPDATE ON key_changes BEGIN SELECT RAISE(ABORT, '${stay()}'); END;
   CREATE TRIGGER key_changes_last BEFORE DELETE ON key_changes BEGIN SELECT RAISE(ABORT, '${stay()}'); END;`,
    },
    postgres: {
      5: `CREATE TABLE key_changes (
     key text COLLATE "C" NOT NULL,
     number bigint NOT NULL,
     change text NOT NULL,
     at bigint NOT NULL,
     made_by text,
     until bigint,
     PRIMARY KEY (key, number)
   );
   ${earlierChanges()}
   CREATE FUNCTION key_changes_stay() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION '${stay()}'; END $$;
   CREATE TRIGGER key_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON key_changes
     FOR EACH STATEMENT EXECUTE FUNCTION key_changes_stay();`,
    },
  },
} as const satisfies Table & { steps: Steps }

/** What the keys themselves tell of earlier changes, on both engines. */
function earlierChanges(): string {
  return `INSERT INTO key_changes (key, number, change, at) SELECT id, 1, 'created', created_at FROM keys;
   INSERT INTO key_changes (key, number, change, at) SELECT id, 2, 'revoked', revoked_at FROM keys WHERE revoked_at IS NOT NULL;`
}

function stay(): string {
  return 'The record of key changes is only added to.'
}

/** Who is named for what the service does by itself. */
export const byService = 'the service'

const select = 'SELECT key, change, at, made_by, until FROM key_changes'

/** The changes of all keys, oldest first. */
export const selectChanges = `${select} ORDER BY at, key, number`

/** Those of the key whose id the mark stands for. */
export const selectChangesOf = (mark: string): string => `${select} WHERE key = ${mark} ORDER BY at, number`

export type KeyChangeRow = [key: string, change: string, at: bigint, madeBy: string | null, until: bigint | null]

export function keyChangeOf([key, change, at, madeBy, until]: KeyChangeRow): KeyChange {
  return {
    key,
    change: change as KeyChangeKind,
    at: Number(at),
    by: madeBy ?? undefined,
    until: until === null ? undefined : Number(until),
  }
}

/**
 * Adds a change of a key to the record, if there is such a key. It takes what was changed, when, by whom, until when, and the
 * id; `marks` are the marks of these. It runs in the transaction of the change and after it, which has locked the key.
 */
export function changeInsert(marks: readonly [string, string, string, string, string]): string {
  const [change, at, by, until, id] = marks
  return `INSERT INTO key_changes (key, number, change, at, made_by, until)
     SELECT id, 1 + coalesce((SELECT max(number) FROM key_changes WHERE key = keys.id), 0), ${change}, ${at}, ${by}, ${until}
     FROM keys WHERE id = ${id}`
}
