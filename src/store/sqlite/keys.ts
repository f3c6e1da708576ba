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

export function keys({ prepare, read, write }: Connection): KeyStore {
  const find = prepare<[Buffer], KeyRow>(`SELECT ${keyColumns} FROM keys WHERE digest = ?`)
  const list = prepare<[], KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY created_at, id`)
  const any = prepare<[], [1n]>('SELECT 1 FROM keys LIMIT 1')
  const insert = prepare<[Buffer, ...ReturnType<typeof apiKeyValues>]>(
    `INSERT INTO keys (digest, ${keyColumns}) VALUES (${keyMarks(() => '?')})`,
  )
  const exists = prepare<[string], [1n]>('SELECT 1 FROM keys WHERE id = ?')
  const revoke = prepare<[number, string]>('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const expire = prepare<[number, number, string]>(
    'UPDATE keys SET expires_at = coalesce(min(expires_at, ?), ?) WHERE id = ?',
  )
  const use = prepare<[number, string, number]>(
    'UPDATE keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?',
  )
  const ban = prepare<[number, number, string]>('UPDATE keys SET banned_until = ?, ban_level = ? WHERE id = ?')
  const unban = prepare<[string]>(
    'UPDATE keys SET banned_until = NULL, ban_level = NULL WHERE id = ? AND banned_until IS NOT NULL',
  )
  const change = prepare<[string, number, string, number | null, string]>(changeInsert(['?', '?', '?', '?', '?']))
  const changes = prepare<[], KeyChangeRow>(selectChanges)
  const changesOf = prepare<[string], KeyChangeRow>(selectChangesOf('?'))
  const note = (kind: KeyChangeKind, id: string, { at, by = byService }: Act, until?: number): void =>
    void change.run(kind, at, by, until ?? null, id)
  const add = (key: Key, digest: Buffer, by?: string): void => {
    insert.run(digest, ...apiKeyValues(key))
    note('created', key.id, { at: key.createdAt, by }, key.expiresAt)
  }
  return {
    find: (digest) =>
      read(() => {
        const row = find.get(digest)
        return row && apiKeyOf(row)
      }),
    add: (key, digest, by) =>
      write(() => {
        add(key, digest, by)
      }),
    addFirst: (key, digest, by) =>
      write(() => {
        if (any.get()) return false
        add(key, digest, by)
        return true
      }),
    list: () => read(() => list.all().map(apiKeyOf)),
    revoke: (id, act) =>
      write(() => {
        if (revoke.run(act.at, id).changes > 0) note('revoked', id, act)
        return exists.get(id) !== undefined
      }),
    expire: (id, until, act) =>
      write(() => {
        const isThere = expire.run(until, until, id).changes > 0
        note('expires', id, act, until)
        return isThere
      }),
    used: (ids, day) =>
      write(() => {
        for (const id of ids) use.run(day, id, day)
      }),
    ban: (id, { until, level }, act) =>
      write(() => {
        ban.run(until, level, id)
        note('banned', id, act, until)
      }),
    unban: (id, act) =>
      write(() => {
        if (unban.run(id).changes > 0) note('unbanned', id, act)
        return exists.get(id) !== undefined
      }),
    changes: (id) => read(() => (id === undefined ? changes.all() : changesOf.all(id)).map(keyChangeOf)),
  }
}
