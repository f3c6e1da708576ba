import { apiKeyOf, apiKeyValues, keyColumns, keyMarks, type KeyRow } from '../key-table.ts'
import type { Key, KeyStore } from '../store.ts'
import type { Connection } from './connection/connection.ts'

export function keys({ prepare, read, write }: Connection): KeyStore {
  const find = prepare<[Buffer], KeyRow>(`SELECT ${keyColumns} FROM keys WHERE digest = ?`)
  const list = prepare<[], KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY created_at, id`)
  const any = prepare<[], [1n]>('SELECT 1 FROM keys LIMIT 1')
  const insert = prepare<[Buffer, ...ReturnType<typeof apiKeyValues>]>(
    `INSERT INTO keys (digest, ${keyColumns}) VALUES (${keyMarks(() => '?')})`,
  )
  const revoke = prepare<[number, string]>('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
  const expire = prepare<[number, number, string]>(
    'UPDATE keys SET expires_at = coalesce(min(expires_at, ?), ?) WHERE id = ?',
  )
  const use = prepare<[number, string, number]>(
    'UPDATE keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?',
  )
  const ban = prepare<[number, number, string]>('UPDATE keys SET banned_until = ?, ban_level = ? WHERE id = ?')
  const unban = prepare<[string]>('UPDATE keys SET banned_until = NULL, ban_level = NULL WHERE id = ?')
  const add = (key: Key, digest: Buffer): void => void insert.run(digest, ...apiKeyValues(key))
  return {
    find: (digest) =>
      read(() => {
        const row = find.get(digest)
        return row && apiKeyOf(row)
      }),
    add: (key, digest) =>
      write(() => {
        add(key, digest)
      }),
    addFirst: (key, digest) =>
      write(() => {
        if (any.get()) return false
        add(key, digest)
        return true
      }),
    list: () => read(() => list.all().map(apiKeyOf)),
    revoke: (id, now) => write(() => revoke.run(now, id).changes > 0),
    expire: (id, at) => write(() => expire.run(at, at, id).changes > 0),
    used: (ids, day) =>
      write(() => {
        for (const id of ids) use.run(day, id, day)
      }),
    ban: (id, { until, level }) => write(() => void ban.run(until, level, id)),
    unban: (id) => write(() => unban.run(id).changes > 0),
  }
}
