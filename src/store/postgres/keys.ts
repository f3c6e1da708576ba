import { sharedRead } from '../batch.ts'
import { apiKeyOf, apiKeyValues, keyColumns, keyMarks, type KeyRow } from '../key-table.ts'
import type { KeyStore } from '../store.ts'
import type { Connection } from './connection/connection.ts'

export function keys({ query, transaction }: Connection): KeyStore {
  const insert = `INSERT INTO keys (digest, ${keyColumns}) VALUES (${keyMarks((place) => `$${place}`)})`
  return {
    find: sharedRead(async (digests: readonly Buffer[]) => {
      const select = `SELECT digest, ${keyColumns} FROM keys WHERE digest = ANY ($1::bytea[])`
      const rows = await query<[digest: Buffer, ...KeyRow]>(select, [digests])
      const found = new Map(rows.map(([digest, ...row]) => [digest.toString('hex'), apiKeyOf(row)]))
      return digests.map((digest) => found.get(digest.toString('hex')))
    }),
    add: async (key, digest) => {
      await query(insert, [digest, ...apiKeyValues(key)])
    },
    addFirst: (key, digest) =>
      transaction(async (query) => {
        await query('LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE')
        const found = await query('SELECT FROM keys LIMIT 1')
        if (found.length > 0) return false
        await query(insert, [digest, ...apiKeyValues(key)])
        return true
      }),
    list: async () => (await query<KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY created_at, id`)).map(apiKeyOf),
    revoke: async (id, now) => {
      const revoke = 'UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING id'
      return (await query(revoke, [now, id])).length > 0
    },
    expire: async (id, at) => {
      const expire = 'UPDATE keys SET expires_at = least(coalesce(expires_at, $1), $1) WHERE id = $2 RETURNING id'
      return (await query(expire, [at, id])).length > 0
    },
    used: async (ids, day) => {
      await query('UPDATE keys SET last_used_at = $1 WHERE id = ANY ($2::text[]) AND coalesce(last_used_at, 0) < $1', [
        day,
        ids,
      ])
    },
    ban: async (id, { until, level }) => {
      await query('UPDATE keys SET banned_until = $1, ban_level = $2 WHERE id = $3', [until, level, id])
    },
    unban: async (id) => {
      const unban = 'UPDATE keys SET banned_until = NULL, ban_level = NULL WHERE id = $1 RETURNING id'
      return (await query(unban, [id])).length > 0
    },
  }
}
