import type { Key } from './store.ts'
import type { Steps, Table } from './table.ts'

/** The table of API keys, which has statements of its own. */
export const keyTable = {
  name: 'keys',
  called: 'keys',
  columns: {
    ...{ id: 'text', digest: 'bytes', plan: 'text', per_minute: 'int64', per_day: 'int64', label: 'text' },
    ...{ created_at: 'int64', revoked_at: 'int64', banned_until: 'int64', ban_level: 'int64' },
    ...{ start: 'text', expires_at: 'int64', last_used_at: 'int64', account: 'text' },
  },
  key: ['id'],
  nullable: [
    ...['per_minute', 'per_day', 'label', 'revoked_at', 'banned_until', 'ban_level'],
    ...['start', 'expires_at', 'last_used_at', 'account'],
  ],
  indexes: [],
  unique: [['digest']],
  references: {},
  steps: {
    sqlite: {
      1: `CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     digest BLOB NOT NULL UNIQUE,
     plan TEXT NOT NULL,
     per_minute INTEGER,
     per_day INTEGER,
     label TEXT,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER
   ) STRICT, WITHOUT ROWID;`,
      2: `ALTER TABLE keys ADD COLUMN banned_until INTEGER;
   ALTER TABLE keys ADD COLUMN ban_level INTEGER;`,
      5: `ALTER TABLE keys ADD COLUMN start TEXT;
   ALTER TABLE keys ADD COLUMN expires_at INTEGER;
   ALTER TABLE keys ADD COLUMN last_used_at INTEGER;
   ALTER TABLE keys ADD COLUMN account TEXT;`,
    },
    postgres: {
      1: `CREATE TABLE keys (
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
   );`,
      3: `ALTER TABLE keys ADD COLUMN start text;
   ALTER TABLE keys ADD COLUMN expires_at bigint;
   ALTER TABLE keys ADD COLUMN last_used_at bigint;
   ALTER TABLE keys ADD COLUMN account text;`,
    },
  },
} as const satisfies Table & { called: string; steps: Steps }

/** The columns of a key without its digest, in the order of `KeyRow`. */
export const keyColumns = Object.keys(keyTable.columns)
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
  return Object.keys(keyTable.columns)
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
