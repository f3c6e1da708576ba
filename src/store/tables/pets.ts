import type { components } from '../../../generated/openapi.d.ts'
import { int64, oneOf, table, text } from '../table.ts'

export type Pet = Required<components['schemas']['Pet']>
export type NewPet = components['schemas']['NewPet']
export type PetStatus = components['schemas']['PetStatus']

export const pets = table<Pet>()({
  name: 'pets',
  called: 'animals',
  columns: { id: int64, name: text, categoryId: int64, status: oneOf<PetStatus>() },
  key: 'id',
  generated: true,
  filters: ['status'],
  requests: { name: 'idempotency_keys', row: 'pet_id' },
  lock: 2,
  steps: {
    sqlite: {
      1: `CREATE TABLE pets (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     name TEXT NOT NULL,
     category_id INTEGER NOT NULL,
     status TEXT NOT NULL
   ) STRICT;
   CREATE INDEX pets_by_status ON pets (status);`,
      3: `CREATE TABLE idempotency_keys (
     caller TEXT NOT NULL,
     key TEXT NOT NULL,
     pet_id INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     PRIMARY KEY (caller, key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);`,
      6: `ALTER TABLE idempotency_keys ADD COLUMN digest BLOB;
   ALTER TABLE idempotency_keys ADD COLUMN answer TEXT;
   DELETE FROM idempotency_keys WHERE pet_id NOT IN (SELECT id FROM pets);
   UPDATE OR IGNORE idempotency_keys SET key = ${bareKey('char')} WHERE ${isQuotedKey('char')};`,
    },
    postgres: {
      // names of requests point to rows, which come first
      1: [
        `CREATE TABLE pets (
     id bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME pets_id_seq) PRIMARY KEY,
     name text NOT NULL,
     category_id bigint NOT NULL,
     status text COLLATE "C" NOT NULL
   );
   CREATE INDEX pets_by_status ON pets (status, id);`,
        `CREATE TABLE idempotency_keys (
     caller text COLLATE "C" NOT NULL,
     key text COLLATE "C" NOT NULL,
     pet_id bigint NOT NULL REFERENCES pets ON DELETE CASCADE,
     created_at bigint NOT NULL,
     PRIMARY KEY (caller, key)
   );
   CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);`,
      ],
      4: `ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pet_id_fkey,
     ADD COLUMN digest bytea, ADD COLUMN answer text;
   UPDATE idempotency_keys AS quoted SET key = ${bareKey('chr')} WHERE ${isQuotedKey('chr')} AND NOT EXISTS (
     SELECT FROM idempotency_keys AS bare WHERE bare.caller = quoted.caller AND bare.key = ${bareKey('chr', 'quoted.key')});`,
    },
  },
})

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
