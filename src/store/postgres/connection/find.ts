import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { hostName, type PostgresHost, type PostgresUrl } from '../../../config/postgres-url.ts'
import { codeOf, messageOf } from '../../../failure.ts'
import type { Log } from '../../../log/log.ts'
import { applicationId } from '../../schema.ts'
import { connectAlone, connectionConfig, ownSettings, turnSettings } from './client.ts'
import { answerMs } from './times.ts'

const oldestVersion = 15
/** What the advisory locks of the probe have in common; those of the service have `applicationId`. */
const probedLocks = applicationId + 1

/** A server of the database. */
export interface Server {
  /** Open, and to be closed. */
  client: pg.Client
  /** What it says it is. */
  engine: string
  /** Why it takes no writes, as a fragment; empty when it does. */
  readOnly: string
  config: pg.PoolConfig
  /** For statements that wait for their turn. */
  turnConfig: pg.PoolConfig
  /** Whether a pooler such as PgBouncer stands before it, so that nothing may be left on a connection. */
  pooled: boolean
}

/**
 * The first server of the URL that takes writes. Where the URL allows it, one that takes none will do while there is no
 * other. Throws what is wrong with each, and refuses those that cannot keep what is promised.
 */
export async function findServer(url: PostgresUrl, log?: Log): Promise<Server> {
  const faults: { host: PostgresHost; error: unknown }[] = []
  const spares: Server[] = []
  const { target_session_attrs: wanted = 'any' } = url.parameters
  for (const host of url.hosts) {
    try {
      const server = await reach(url, host, log)
      const isSpare = wanted === 'any' || (wanted === 'primary' && server.readOnly !== standby)
      if (server.readOnly === '' || isSpare) spares.push(server)
      if (server.readOnly === '') break
      if (isSpare) continue
      await server.client.end()
      throw new TakesNoWrites(`it takes no writes: ${server.readOnly}`)
    } catch (error) {
      faults.push({ host, error })
    }
  }
  const chosen = spares.find(({ readOnly }) => readOnly === '') ?? spares[0]
  await Promise.all(spares.filter((one) => one !== chosen).map(({ client }) => client.end()))
  if (chosen) return chosen
  const [first] = faults
  throw faults.length === 1 && first ? first.error : new NoServer(faults)
}

/** A server takes no writes, which may pass as in a failover. */
export class TakesNoWrites extends Error {}

/** None of several servers will do. */
export class NoServer extends Error {
  readonly faults: readonly { host: PostgresHost; error: unknown }[]

  constructor(faults: NoServer['faults']) {
    super('none of its servers will do')
    this.faults = faults
  }

  /** What is wrong with each, in the words of `fragment`. */
  told(fragment: (error: unknown) => string): string {
    return this.faults.map(({ host, error }) => `${hostName(host)}: ${fragment(error)}`).join('; ')
  }
}

async function reach(url: PostgresUrl, host: PostgresHost, log?: Log): Promise<Server> {
  const { client, config } = await connect(url, host)
  try {
    const { pooled, synchronousCommit, ...found } = await checkServer(client, log)
    await probeLocks(client, config, found.engine)
    if (pooled) return { client, pooled, ...found, config, turnConfig: config }
    // stays as it is now, also when it is turned off later
    const pinned = { ...ownSettings, synchronous_commit: synchronousCommit }
    const configOf = (settings: typeof ownSettings): pg.PoolConfig => connectionConfig(url, host, settings)
    return { client, pooled, ...found, config: configOf(pinned), turnConfig: configOf({ ...pinned, ...turnSettings }) }
  } catch (error) {
    await client.end()
    throw error
  }
}

async function connect(url: PostgresUrl, host: PostgresHost): Promise<{ client: pg.Client; config: pg.PoolConfig }> {
  const open = async (settings: typeof ownSettings): Promise<{ client: pg.Client; config: pg.PoolConfig }> => {
    const config = connectionConfig(url, host, settings)
    return { client: await connectAlone(config), config }
  }
  try {
    return await open(ownSettings)
  } catch (error) {
    // PgBouncer takes no settings from its clients, and those of the role or of the database hold; an old server that
    // does not know one is refused for its version
    if (!messageOf(error).startsWith('unsupported startup parameter') && codeOf(error) !== '42704') throw error
    return open({})
  }
}

/** A query of rows as arrays. A pooler without a free connection to the server would let it wait. */
function ask<Row extends unknown[]>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row | undefined> {
  const query = { text, values, rowMode: 'array' as const, query_timeout: answerMs }
  return client.query<Row>(query).then(({ rows }) => rows[0])
}

const standby = 'it is a standby'

/** Refuses a server that cannot keep what is promised, and tells what it is. */
async function checkServer(
  client: pg.Client,
  log?: Log,
): Promise<Pick<Server, 'engine' | 'readOnly' | 'pooled'> & { synchronousCommit: string }> {
  const [engine = ''] = (await ask<[string]>(client, 'SELECT version()')) ?? []
  const facts = await ask<[number, string, string, string, string, number, string, boolean]>(
    client,
    `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
            current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
            pg_backend_pid(), current_setting('transaction_read_only'), pg_is_in_recovery()`,
  )
  const [version, encoding, synchronousCommit, fsync, fullPages, pid, readOnly, recovers] = facts ?? [0]
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
  return {
    engine,
    readOnly: recovers ? standby : readOnly === 'on' ? 'default_transaction_read_only is on' : '',
    // a pooler gives its clients numbers of its own
    pooled: (client as pg.Client & { processID: number | null }).processID !== pid,
    synchronousCommit: synchronousCommit ?? '',
  }
}

/** Refuses an engine whose advisory locks keep nobody out: animals would become visible out of order. */
async function probeLocks(client: pg.Client, config: pg.PoolConfig, engine: string): Promise<void> {
  const lock = [probedLocks, randomInt(2 ** 31)]
  const other = await connectAlone(config)
  try {
    await ask(client, 'BEGIN')
    await ask(client, 'SELECT pg_advisory_xact_lock($1, $2)', lock)
    const [isGiven] = (await ask<[boolean]>(other, 'SELECT pg_try_advisory_xact_lock($1, $2)', lock)) ?? []
    if (isGiven !== false) throw new Error('another connection got a lock that was held')
  } catch (error) {
    if (!/^(42883|0A000|)$/.test(codeOf(error)) || /timeout|terminated/.test(messageOf(error))) throw error
    const why = messageOf(error).replace(/\.$/, '')
    throw new Error(`its engine, ${JSON.stringify(engine)}, has no advisory locks that work: ${why}`, { cause: error })
  } finally {
    await Promise.all([ask(client, 'ROLLBACK').catch(() => undefined), other.end()])
  }
}
