import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { groupCommit } from './group-commit.ts'
import { applicationId, sqliteSteps, tooNew, type Migration } from './migrations.ts'
import { isLocked, reasonOf } from './patience.ts'
import { takeTurns, type Turns } from './turns.ts'
import { rememberedMs } from './store.ts'
import type { Key, KeyStore, NewPet, Once, Pet, PetStatus, PetStore, Stores } from './store.ts'

/** How long a statement may wait for another process's lock, in ms, while nothing else runs in this process. */
const blockingWaitMs = 20
const startWaitMs = 5000

/** Stores in one SQLite file, which is made when it is not there. Throws a sentence when the file cannot be used. */
export function sqliteStores(file: string): Stores {
  const { db } = openDatabase(file)
  const turns = takeTurns(db)
  const pets = petStore(db, turns)
  const probe = db.prepare('SELECT 1 FROM pets LIMIT 1')
  return {
    pets,
    keys: keyStore(db, turns),
    readings: () => ({
      waiting: pets.waiting(),
      walBytes: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    }),
    ping: () => turns.read(() => void probe.get()),
    close: async () => {
      await pets.settle()
      db.close()
    },
  }
}

/** Brings the schema of a file up to date. Throws a sentence when it cannot. */
export function migrateSqlite(file: string): Migration {
  const { db, migration } = openDatabase(file)
  db.close()
  return migration
}

/** Opens a file, which is made when it is not there, with the newest schema. Throws a sentence when it cannot be used. */
export function openDatabase(file: string): { db: Database.Database; migration: Migration } {
  const deadline = performance.now() + startWaitMs
  try {
    mkdirSync(dirname(file), { recursive: true })
    for (;;) {
      const db = new Database(file, { timeout: startWaitMs })
      try {
        return { db, migration: prepare(db) }
      } catch (error) {
        db.close()
        // another process starts on the same new file: SQLite does not wait for the change to WAL
        if (!isLocked(error) || performance.now() > deadline) throw error
      }
    }
  } catch (error) {
    throw new Error(`The database ${file} cannot be opened: ${reasonOf(error)}.`, { cause: error })
  }
}

function prepare(db: Database.Database): Migration {
  db.defaultSafeIntegers(true)
  refuseForeign(db)
  db.pragma('journal_mode = WAL')
  // a commit is on disk before it is acknowledged; better-sqlite3's default with WAL is NORMAL
  db.pragma('synchronous = FULL')
  const migration = migrate(db)
  db.pragma(`busy_timeout = ${blockingWaitMs}`)
  return migration
}

function refuseForeign(db: Database.Database): void {
  const { id, tables } = db
    .prepare<[], { id: bigint; tables: bigint }>(
      // in one statement, since another process may be making the tables
      'SELECT application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id',
    )
    .get() ?? { id: 0n, tables: 0n }
  if (id !== BigInt(applicationId) && !(id === 0n && tables === 0n)) {
    throw new Error('it is not a database of this service')
  }
}

/** Brings the schema up to date. Processes that start at once take turns, since the version is read under the lock. */
function migrate(db: Database.Database): Migration {
  const run = db.transaction(() => {
    const version = Number(db.pragma('user_version', { simple: true }))
    if (version > sqliteSteps.length) throw new Error(tooNew(version, sqliteSteps.length))
    for (const step of sqliteSteps.slice(version)) db.exec(step)
    db.pragma(`user_version = ${sqliteSteps.length}`)
    db.pragma(`application_id = ${applicationId}`)
    return { from: version, to: sqliteSteps.length }
  })
  return run.immediate()
}

/** A row as better-sqlite3 gives it with `raw()`: for 20 rows a third cheaper than objects made by the binding. */
type PetRow = [id: bigint, name: string, categoryId: bigint, status: PetStatus]

function petStore(
  db: Database.Database,
  turns: Turns,
): PetStore & { waiting: () => number; settle: () => Promise<void> } {
  const columns = 'id, name, category_id, status'
  const find = db.prepare<[bigint], PetRow>(`SELECT ${columns} FROM pets WHERE id = ?`).raw()
  const all = db.prepare<[bigint, number], PetRow>(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`).raw()
  const byStatus = db
    .prepare<[PetStatus, bigint, number], PetRow>(
      `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
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

interface Addition {
  pet: NewPet
  once?: Once
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

function petOf([id, name, categoryId, status]: PetRow): Pet {
  return { id, name, categoryId, status }
}

interface KeyRow {
  id: string
  plan: string
  per_minute: bigint | null
  per_day: bigint | null
  label: string | null
  created_at: bigint
  revoked_at: bigint | null
  banned_until: bigint | null
  ban_level: bigint | null
}

function keyStore(db: Database.Database, turns: Turns): KeyStore {
  const columns = 'id, plan, per_minute, per_day, label, created_at, revoked_at, banned_until, ban_level'
  const find = db.prepare<[Buffer], KeyRow>(`SELECT ${columns} FROM keys WHERE digest = ?`)
  const list = db.prepare<[], KeyRow>(`SELECT ${columns} FROM keys ORDER BY created_at, id`)
  const count = db.prepare<[], bigint>('SELECT count(*) FROM keys').pluck()
  const insert = db.prepare(
    `INSERT INTO keys (id, digest, plan, per_minute, per_day, label, created_at, revoked_at, banned_until, ban_level)
     VALUES (@id, @digest, @plan, @perMinute, @perDay, @label, @createdAt, @revokedAt, @bannedUntil, @banLevel)`,
  )
  const revoke = db.prepare<[number, string]>('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
  const ban = db.prepare<[number, number, string]>('UPDATE keys SET banned_until = ?, ban_level = ? WHERE id = ?')
  const unban = db.prepare<[string]>('UPDATE keys SET banned_until = NULL, ban_level = NULL WHERE id = ?')
  const add = (key: Key, digest: Buffer): void => {
    insert.run({
      ...{ id: key.id, digest, plan: key.plan, label: key.label ?? null, createdAt: key.createdAt },
      ...{ perMinute: key.custom?.perMinute ?? null, perDay: key.custom?.perDay ?? null },
      ...{ revokedAt: key.revokedAt ?? null, bannedUntil: key.ban?.until ?? null, banLevel: key.ban?.level ?? null },
    })
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

function keyOf(row: KeyRow): Key {
  return {
    id: row.id,
    plan: row.plan,
    custom:
      row.per_minute === null || row.per_day === null
        ? undefined
        : { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    label: row.label ?? undefined,
    createdAt: Number(row.created_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
    ban:
      row.banned_until === null || row.ban_level === null
        ? undefined
        : { until: Number(row.banned_until), level: Number(row.ban_level) },
  }
}
