import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'
import { cores, cpuUs, pin } from './machine.js'
import { sum } from './statistics.js'

const copy = fileURLToPath(new URL('../../dist/scripts/store-copy.js', import.meta.url))
const postmaster = `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`
const others = 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()'
const calls = `SELECT sum(calls) AS calls FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_%'`

/**
 * A PostgreSQL of our own with the animals and keys of a database; undefined where there is none installed. `watch`
 * gives a function that tells what was used of it since: the CPU time of its processes in µs, and statements.
 */
export async function startPostgres(database) {
  const { hasPostgres, testPostgres } = await tsImport('../../test/support/servers/postgres-server.ts', import.meta.url)
  if (!hasPostgres) return undefined
  const postgres = await testPostgres()
  try {
    // an animal is on disk before it is acknowledged, as with SQLite
    await postgres.start({ fsync: 'on' })
    const url = await postgres.newDatabase()
    execFileSync(process.execPath, [copy, `sqlite:${database.file}`, url], { stdio: 'ignore' })
    await postgres.sql(url, 'VACUUM ANALYZE')
    await postgres.sql(url, 'CREATE EXTENSION pg_stat_statements')
    const client = await postgres.client(url)
    const query = async (text) => (await client.query(text)).rows
    const processes = async () => (await query(others)).map(({ pid }) => pid)
    for (const pid of [(await query(postmaster))[0].pid, ...(await processes())]) pin(pid, cores?.load)

    const readings = async () => ({
      used: new Map((await processes()).map((pid) => [pid, cpuUs(pid) ?? NaN])),
      statements: Number((await query(calls))[0].calls),
    })
    return {
      env: { DATABASE_URL: url },
      watch: async () => {
        const before = await readings()
        return async () => {
          const after = await readings()
          return {
            // what ended in between is not seen
            postgresCpuUs: sum(Array.from(after.used, ([pid, used]) => used - (before.used.get(pid) ?? 0))),
            statements: after.statements - before.statements,
          }
        }
      },
      stop: () => postgres.stop(),
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}
