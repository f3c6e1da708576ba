import type Database from 'better-sqlite3'
import type { Log } from '../../log.ts'
import { openDatabase, reopenDatabase, type OpenSettings } from './connection/open.ts'
import { groupCommit } from '../group-commit.ts'
import { guardFiles } from './files/guard.ts'
import { keyColumns, keyOf, keyValues, petColumns, petOf, type Addition, type KeyRow, type PetRow } from '../rows.ts'
import { takeTurns, type Turns } from './connection/shared-reads.ts'
import { letGoAtLast, reopener, upkeep, type Guarded } from './files/upkeep.ts'
import { rememberedMs } from '../store.ts'
import type { Key, KeyStore, NewPet, Once, Pet, PetStatus, PetStore, Stores } from '../store.ts'
import { StoreUnavailable } from '../unavailable.ts'

/** How often the files are looked at and kept small, in ms: for so long a lost file may still be read from. */
const everyMs = 1000

/**
 * Stores in one SQLite file, which is made when it is not there. Throws a sentence when the file cannot be used. A file
 * that is lost while it is in use makes every call throw `StoreUnavailable` until it, or a backup of it, is there again.
 */
export function sqliteStores(file: string, settings: OpenSettings = {}): Stores {
  const { log } = settings
  let now = connect(openDatabase(file, settings), file, log)
  const keepUp = upkeep(file, log)
  const reopen = reopener(file, () => connect(reopenDatabase(file), file, log), log)
  const timer = setInterval(() => {
    if (now.guard.lost() === undefined) keepUp(now)
    else now = reopen(now) ?? now
  }, everyMs).unref()
  return {
    pets: {
      list: (query) => now.pets.list(query),
      find: (id) => now.pets.find(id),
      add: (pet) => now.pets.add(pet),
      addOnce: (pet, once) => now.pets.addOnce(pet, once),
    },
    keys: {
      find: (digest) => now.keys.find(digest),
      add: (key, digest) => now.keys.add(key, digest),
      addFirst: (key, digest) => now.keys.addFirst(key, digest),
      list: () => now.keys.list(),
      revoke: (id, at) => now.keys.revoke(id, at),
      ban: (id, ban) => now.keys.ban(id, ban),
      unban: (id) => now.keys.unban(id),
    },
    readings: () => ({ waiting: now.pets.waiting(), walBytes: Number(now.guard.files().wal?.size ?? 0n) }),
    ping: () => now.ping(),
    close: async () => {
      clearInterval(timer)
      await now.pets.settle()
      letGoAtLast(now, file)
    },
  }
}

/** One connection, with everything that is prepared on it. */
interface Connection extends Guarded {
  pets: ReturnType<typeof petStore>
  keys: KeyStore
  ping: () => Promise<void>
}

function connect(db: Database.Database, file: string, log: Log | undefined): Connection {
  const guard = guardFiles(db, file, log)
  const turns = takeTurns(db, guard)
  const probe = db.prepare('SELECT 1 FROM pets LIMIT 1')
  return {
    db,
    guard,
    pets: petStore(db, turns),
    keys: keyStore(db, turns),
    ping: async () => {
      await turns.check()
      if (guard.refused()) {
        throw new StoreUnavailable('The disk refuses to write. Make room on it, or make it writable.')
      }
      await turns.read(() => void probe.get())
    },
  }
}

function petStore(
  db: Database.Database,
  turns: Turns,
): PetStore & { waiting: () => number; settle: () => Promise<void> } {
  const find = db.prepare<[bigint], PetRow>(`SELECT ${petColumns} FROM pets WHERE id = ?`).raw()
  const all = db
    .prepare<[bigint, number], PetRow>(`SELECT ${petColumns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
    .raw()
  const byStatus = db
    .prepare<[PetStatus, bigint, number], PetRow>(
      `SELECT ${petColumns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
    )
    .raw()
  const insert = db.prepare<[string, bigint, PetStatus]>(
    'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)',
  )
  const names = requestNames(db)
  const addOne = ({ name, categoryId, status }: NewPet): Pet => {
    const { lastInsertRowid } = insert.run(name, categoryId, status)
    return { id: BigInt(lastInsertRowid), name, categoryId, status }
  }
  const addAll = db.transaction((batch: readonly Addition[]) =>
    batch.map(({ pet, once }): Added => {
      const known = once && names.find(once)
      const row = known === undefined ? undefined : find.get(known)
      if (row) return { pet: petOf(row), replayed: true }
      const added = addOne(pet)
      if (once) names.remember(once, added.id)
      return { pet: added, replayed: false }
    }),
  )
  const commits = groupCommit((batch: readonly Addition[]) => turns.write(() => addAll.immediate(batch)))

  return {
    list: ({ limit, after = 0n, status }) =>
      turns.read(() => (status === undefined ? all.all(after, limit) : byStatus.all(status, after, limit)).map(petOf)),
    find: (id) =>
      turns.read(() => {
        const row = find.get(id)
        return row && petOf(row)
      }),
    add: async (pet) => (await commits.add({ pet })).pet,
    addOnce: (pet, once) => commits.add({ pet, once }),
    waiting: commits.waiting,
    settle: commits.settle,
  }
}

type Added = Awaited<ReturnType<PetStore['addOnce']>>

/** The requests that are remembered, by caller and Idempotency-Key. */
function requestNames(db: Database.Database): {
  /** The animal that was added. */
  find: (once: Once) => bigint | undefined
  remember: (once: Once, petId: bigint) => void
} {
  const find = db
    .prepare<[string, string, number], bigint>(
      'SELECT pet_id FROM idempotency_keys WHERE caller = ? AND key = ? AND created_at > ?',
    )
    .pluck()
  const remember = db.prepare<[string, string, bigint, number]>(
    `INSERT INTO idempotency_keys (caller, key, pet_id, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET pet_id = excluded.pet_id, created_at = excluded.created_at`,
  )
  // two for one, so that what is over goes faster than new comes, and no request pays for many
  const forget = db.prepare<[number]>(
    `DELETE FROM idempotency_keys WHERE (caller, key) IN
     (SELECT caller, key FROM idempotency_keys WHERE created_at <= ? ORDER BY created_at LIMIT 2)`,
  )
  return {
    find: ({ caller, key, now }) => find.get(caller, key, now - rememberedMs),
    remember: ({ caller, key, now }, petId) => {
      forget.run(now - rememberedMs)
      remember.run(caller, key, petId, now)
    },
  }
}

function keyStore(db: Database.Database, turns: Turns): KeyStore {
  const find = db.prepare<[Buffer], KeyRow>(`SELECT ${keyColumns} FROM keys WHERE digest = ?`).raw()
  const list = db.prepare<[], KeyRow>(`SELECT ${keyColumns} FROM keys ORDER BY created_at, id`).raw()
  const count = db.prepare<[], bigint>('SELECT count(*) FROM keys').pluck()
  const insert = db.prepare(`INSERT INTO keys (digest, ${keyColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const revoke = db.prepare<[number, string]>('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
  const ban = db.prepare<[number, number, string]>('UPDATE keys SET banned_until = ?, ban_level = ? WHERE id = ?')
  const unban = db.prepare<[string]>('UPDATE keys SET banned_until = NULL, ban_level = NULL WHERE id = ?')
  const add = (key: Key, digest: Buffer): void => {
    insert.run(digest, ...keyValues(key))
  }
  const addFirst = db.transaction((key: Key, digest: Buffer) => {
    if (count.get() !== 0n) return false
    add(key, digest)
    return true
  })

  return {
    find: (digest) =>
      turns.read(() => {
        const row = find.get(digest)
        return row && keyOf(row)
      }),
    add: (key, digest) =>
      turns.write(() => {
        add(key, digest)
      }),
    addFirst: (key, digest) => turns.write(() => addFirst.immediate(key, digest)),
    list: () => turns.read(() => list.all().map(keyOf)),
    revoke: (id, now) => turns.write(() => revoke.run(now, id).changes > 0),
    ban: (id, { until, level }) => turns.write(() => void ban.run(until, level, id)),
    unban: (id) => turns.write(() => unban.run(id).changes > 0),
  }
}
