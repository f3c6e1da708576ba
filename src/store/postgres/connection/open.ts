import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { applicationId, schema as ownSchema, tooNew, type Migration, type Schema } from '../../schema.ts'
import { connectionConfig, ownSettings, turnSettings } from './pool.ts'
import type { Log } from '../../../log/log.ts'
import { codeOf, messageOf } from '../../../failure.ts'
import { nameOf, type PostgresUrl } from '../../../config/postgres-url.ts'

/** How long a server that does not answer is waited for at the start, and how often it is asked, in ms. */
const startWaitMs = 5000
const everyMs = 250
const oldestVersion = 15

/** What may pass while the server, or the network to it, comes up. */
const comingUp =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|57P03|53300)$|^timeout|terminated/

/** What a server and its database were found to be. */
export interface Opened {
  config: pg.ClientConfig
  /** For statements that wait for their turn. */
  turnConfig: pg.ClientConfig
  /** Whether a pooler such as PgBouncer stands before the server, so that nothing may be left on a connection. */
  pooled: boolean
  migration: Migration
}

/**
 * Brings the schema up to date, or refuses one that is not when nothing may be changed, and tells how to connect. Throws
 * a sentence that names the database, and no password.
 */
export async function openPostgres(
  url: PostgresUrl,
  { unchanged = false, log, schema = ownSchema }: { unchanged?: boolean; log?: Log | undefined; schema?: Schema } = {},
): Promise<Opened> {
  try {
    const { client, config } = await connectWithRetry(url)
    try {
      const { pooled, synchronousCommit } = await checkServer(client, log)
      const migration = await (unchanged ? requireNewest(client, schema) : migrate(client, schema))
      // stays as it is now, also when it is turned off later
      const pinned = { ...ownSettings, synchronous_commit: synchronousCommit }
      if (pooled) return { config, turnConfig: config, pooled, migration }
      const turnConfig = connectionConfig(url, { ...pinned, ...turnSettings })
      return { config: connectionConfig(url, pinned), turnConfig, pooled, migration }
    } finally {
      await client.end()
    }
  } catch (error) {
    throw new Error(`The database ${nameOf(url)} cannot be opened: ${fragmentOf(error)}. Check DATABASE_URL.`)
  }
}

interface Connection {
  client: pg.Client
  config: pg.ClientConfig
}

async function connectWithRetry(url: PostgresUrl): Promise<Connection> {
  const deadline = performance.now() + startWaitMs
  for (;;) {
    try {
      return await connect(url)
    } catch (error) {
      if (!comingUp.test(codeOf(error) || messageOf(error)) || performance.now() > deadline) throw error
      await sleep(everyMs)
    }
  }
}

async function connect(url: PostgresUrl): Promise<Connection> {
  try {
    return await connectWith(connectionConfig(url, ownSettings))
  } catch (error) {
    // PgBouncer takes no settings from its clients, and those of the role or of the database hold; an old server that
    // does not know one is refused for its version
    if (!messageOf(error).startsWith('unsupported startup parameter') && codeOf(error) !== '42704') throw error
    return connectWith(connectionConfig(url, {}))
  }
}

async function connectWith(config: pg.ClientConfig): Promise<Connection> {
  const client = new pg.Client(config)
  // a lost connection fails the statement, too
  client.on('error', () => undefined)
  await client.connect()
  return { client, config }
}

/** Refuses a server that cannot keep what is promised, and tells whether a pooler stands before it. */
async function checkServer(client: pg.Client, log?: Log): Promise<{ pooled: boolean; synchronousCommit: string }> {
  const { rows } = await client.query<[number, string, string, string, string, number]>({
    text: `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
                  current_setting('synchronous_commit'), current_setting('fsync'),
                  current_setting('full_page_writes'), pg_backend_pid()`,
    rowMode: 'array',
  })
  const [version, encoding, synchronousCommit, fsync, fullPages, pid] = rows[0] ?? [0, '', '', '', '', 0]
  if (version < oldestVersion * 10_000) {
    throw new Error(`its server has version ${Math.floor(version / 10_000)}, and ${oldestVersion} or newer is needed`)
  }
  if (encoding !== 'UTF8')
    throw new Error(`its encoding is ${encoding}, which cannot hold all names; make it with UTF8`)
  if (synchronousCommit === 'off') {
    throw new Error('its synchronous_commit is off, so that an animal could be lost after its 201; set it to on')
  }
  if (fsync === 'off') {
    throw new Error('its fsync is off, so that a power cut could destroy the database; set it to on')
  }
  if (fullPages === 'off') {
    log?.warn('full_page_writes of the database is off: safe only on a file system that never tears a page')
  }
  // a pooler gives its clients numbers of its own
  return { pooled: (client as pg.Client & { processID: number | null }).processID !== pid, synchronousCommit }
}

/** Runs the steps that are missing, each in a transaction with its version. Processes that start at once take turns. */
async function migrate(client: pg.Client, schema: Schema): Promise<Migration> {
  const { postgresSteps } = schema
  const from = await versionOf(client, schema)
  let version = from
  while (version < postgresSteps.length) {
    // a step may take long, and so may the wait for another process that runs it
    await client.query(`BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s';
                        SELECT pg_advisory_xact_lock(${applicationId}, 1)`)
    version = await versionOf(client, schema)
    const step = postgresSteps[version]
    if (step !== undefined) {
      await client.query(
        `${step}; CREATE TABLE IF NOT EXISTS animal_store_schema (version integer NOT NULL);
         DELETE FROM animal_store_schema; INSERT INTO animal_store_schema VALUES (${version + 1})`,
      )
      version += 1
    }
    await client.query('COMMIT')
  }
  return { from, to: version }
}

async function requireNewest(client: pg.Client, schema: Schema): Promise<Migration> {
  const { postgresSteps } = schema
  const version = await versionOf(client, schema)
  if (version === 0) throw new Error('there is no store in it')
  if (version < postgresSteps.length) {
    throw new Error(`its schema has version ${version}, and ${postgresSteps.length} is needed; run migrate on it first`)
  }
  return { from: version, to: version }
}

/** The version of the schema, 0 when there is none. Refuses one of a newer program, and tables of another one. */
async function versionOf(client: pg.Client, { all, postgresSteps }: Schema): Promise<number> {
  // not by to_regclass, which may not see yet what another process has made before this one got the lock
  const { rows } = await client.query<{ name: string }>(
    'SELECT relname::text AS name FROM pg_class WHERE relname = ANY ($1) AND pg_table_is_visible(oid) ORDER BY relname',
    [[...all.map(({ name }) => name), 'animal_store_schema']],
  )
  const names = rows.map(({ name }) => name)
  if (!names.includes('animal_store_schema')) {
    if (names.length > 0) throw new Error(`it has tables of another program: ${names.join(', ')}`)
    return 0
  }
  const found = await client.query<{ version: number }>('SELECT version FROM animal_store_schema')
  const version = found.rows[0]?.version ?? 0
  if (version > postgresSteps.length) throw new Error(tooNew(version, postgresSteps.length))
  return version
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host is not known',
  EAI_AGAIN: 'its host is not known',
  ECONNREFUSED: 'nothing listens there',
  '3D000': 'there is no such database',
  '28P01': 'user or password are wrong',
  '55P03': 'another process has held a lock on it for a minute',
}

/** Why it failed, as a fragment. Messages of the server and of the driver hold no password. */
function fragmentOf(error: unknown): string {
  const reason = reasons[codeOf(error)]
  if (reason !== undefined) return reason
  if (/^timeout/.test(messageOf(error))) return 'it does not answer'
  if (/password must be a/.test(messageOf(error))) return 'it asks for a password'
  return messageOf(error).replace(/\.$/, '')
}
