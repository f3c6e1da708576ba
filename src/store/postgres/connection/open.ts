import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import {
  applicationId,
  oldestTable,
  refuseTooNew,
  schema as ownSchema,
  selectOldest,
  statementsOfOldest,
  type Migration,
  type Schema,
} from '../../schema.ts'
import type { Log } from '../../../log/log.ts'
import { codeOf, messageOf } from '../../../failure.ts'
import { nameOf, type PostgresUrl } from '../../../config/postgres-url.ts'
import { findServer, NoServer, TakesNoWrites, type Server } from './find.ts'

/** How long a server that does not answer is waited for at the start, and how often it is asked, in ms. */
const startWaitMs = 5000
const everyMs = 250

/** What may pass while the server, or the network to it, comes up. */
const comingUp = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|57P03|53300)$|timeout|terminated/

/** What a server and its database were found to be. */
export interface Opened extends Omit<Server, 'client'> {
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
    const { client, ...server } = await findWithRetry(url, log)
    try {
      const migration = await (unchanged ? requireNewest(client, schema) : migrate(client, schema, server.readOnly))
      return { ...server, migration }
    } finally {
      await client.end()
    }
  } catch (error) {
    throw new Error(`The database ${nameOf(url)} cannot be opened: ${fragmentOf(error)}. Check DATABASE_URL.`)
  }
}

/** A server that takes writes, has this schema, and will do, if there is one now. */
export async function findWritable(url: PostgresUrl, schema: Schema): Promise<Omit<Server, 'client'> | undefined> {
  const { client, ...server } = await findServer(url)
  try {
    if (server.readOnly !== '') return undefined
    await requireNewest(client, schema)
    return server
  } finally {
    await client.end()
  }
}

async function findWithRetry(url: PostgresUrl, log?: Log): Promise<Server> {
  const deadline = performance.now() + startWaitMs
  for (;;) {
    try {
      return await findServer(url, log)
    } catch (error) {
      if (!mayPass(error) || performance.now() > deadline) throw error
      await sleep(everyMs)
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof NoServer) return error.faults.some((one) => mayPass(one.error))
  return error instanceof TakesNoWrites || comingUp.test(codeOf(error) || messageOf(error))
}

/** Runs the steps that are missing, each in a transaction with its version. Processes that start at once take turns. */
async function migrate(client: pg.Client, schema: Schema, readOnly: string): Promise<Migration> {
  const { postgresSteps, oldest } = schema
  const from = await versionOf(client, schema)
  if (from < postgresSteps.length && readOnly !== '') {
    throw new Error(`it takes no writes, since ${readOnly}, and its tables have yet to be made or updated`)
  }
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
      // with the last step, so that no program runs on less
      if (version === postgresSteps.length && oldest.postgres < version) {
        await client.query(statementsOfOldest(version, oldest.postgres))
      }
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
    [[...all.map(({ name }) => name), 'animal_store_schema', oldestTable]],
  )
  const names = rows.map(({ name }) => name)
  if (!names.includes('animal_store_schema')) {
    if (names.length > 0) throw new Error(`it has tables of another program: ${names.join(', ')}`)
    return 0
  }
  const found = await client.query<{ version: number }>('SELECT version FROM animal_store_schema')
  const version = found.rows[0]?.version ?? 0
  const said = names.includes(oldestTable)
    ? await client.query<{ oldest: number }>(selectOldest('$1'), [version])
    : undefined
  refuseTooNew(version, postgresSteps.length, said?.rows[0]?.oldest)
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
  if (error instanceof NoServer) return error.told(fragmentOf)
  const reason = reasons[codeOf(error)]
  if (reason !== undefined) return reason
  if (/timeout/.test(messageOf(error))) return 'it does not answer'
  if (/password must be a/.test(messageOf(error))) return 'it asks for a password'
  return messageOf(error).replace(/\.$/, '')
}
