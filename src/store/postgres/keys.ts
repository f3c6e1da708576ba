import { sharedRead } from '../batch.ts'
import {
  byService,
  changeInsert,
  keyChangeOf,
  selectChanges,
  selectChangesOf,
  type KeyChangeRow,
} from '../key-changes.ts'
import { apiKeyOf, apiKeyValues, keyColumns, keyMarks, type KeyRow } from '../key-table.ts'
import type { Act, Key, KeyChangeKind, KeyStore } from '../store.ts'
import type { Connection } from './connection/connection.ts'

type Query = Connection['query']

export function keys({ query, transaction }: Connection): KeyStore {
  const insert = `INSERT INTO keys (digest, ${keyColumns}) VALUES (${keyMarks((place) => `$${place}`)})`
  const insertChange = changeInsert(['$1::text', '$2::bigint', '$3::text', '$4::bigint', '$5'])
  const note = async (
    query: Query,
    kind: KeyChangeKind,
    id: string,
    { at, by = byService }: Act,
    until?: number,
  ): Promise<void> => {
    await query(insertChange, [kind, at, by, until ?? null, id])
  }
  const add = async (query: Query, key: Key, digest: Buffer, by?: string): Promise<void> => {
    await query(insert, [digest, ...apiKeyValues(key)])
    await note(query, 'created', key.id, { at: key.createdAt, by }, key.expiresAt)
  }
  /** Changes a key, and tells whether there is one. What changed nothing is not noted. */
  const change = (
    update: string,
    values: readonly unknown[],
    noted: { kind: KeyChangeKind; id: string; act: Act; until?: number },
  ): Promise<boolean> =>
    transaction(async (query) => {
      const changed = await query(`${update} RETURNING id`, values)
      if (changed.length > 0) await note(query, noted.kind, noted.id, noted.act, noted.until)
      return changed.length > 0 || (await query('SELECT FROM keys WHERE id = $1', [noted.id])).length > 0
    })
  return {
    find: sharedRead(async (digests: readonly Buffer[]) => {
      const select = `SELECT digest, ${keyColumns} FROM keys WHERE digest = ANY ($1::bytea[])`
      const rows = await query<[digest: Buffer, ...KeyRow]>(select, [digests])
      const found = new Map(rows.map(([digest, ...row]) => [digest.toString('hex'), apiKeyOf(row)]))
      return digests.map((digest) => found.get(digest.toString('hex')))
    }),
    add: (key, digest, by) => transaction((query) => add(query, key, digest, by)),
    addFirst: (key, digest, by) =>
      transaction(async (query) => {
        await query('LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE')
        const found = await query('SELECT FROM keys LIMIT 1')
        if (found.length > 0) return false
        await add(query, key, digest, by)
        return true
      }),
    list: async () => (await query<KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY created_at, id`)).map(apiKeyOf),
    revoke: (id, act) =>
      change('UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL', [act.at, id], {
        ...{ kind: 'revoked', id, act },
      }),
    expire: (id, until, act) =>
      change('UPDATE keys SET expires_at = least(coalesce(expires_at, $1), $1) WHERE id = $2', [until, id], {
        ...{ kind: 'expires', id, act, until },
      }),
    used: async (ids, day) => {
      await query('UPDATE keys SET last_used_at = $1 WHERE id = ANY ($2::text[]) AND coalesce(last_used_at, 0) < $1', [
        day,
        ids,
      ])
    },
    ban: async (id, { until, level }, act) => {
      await change('UPDATE keys SET banned_until = $1, ban_level = $2 WHERE id = $3', [until, level, id], {
        ...{ kind: 'banned', id, act, until },
      })
    },
    unban: (id, act) =>
      change('UPDATE keys SET banned_until = NULL, ban_level = NULL WHERE id = $1 AND banned_until IS NOT NULL', [id], {
        ...{ kind: 'unbanned', id, act },
      }),
    changes: async (id) => {
      const found =
        id === undefined ? query<KeyChangeRow>(selectChanges) : query<KeyChangeRow>(selectChangesOf('$1'), [id])
      return (await found).map(keyChangeOf)
    },
  }
}
