import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from '@jest/globals'
import { works } from '../process.ts'
import { eventually } from '../wait.ts'
import { describePostgres, serverOwner, type TestPostgres } from './postgres.ts'
import { freePort } from './redis-server.ts'

/** Debian keeps it off the PATH of users. */
const command = '/usr/sbin/pgbouncer'

/** `describe` where PostgreSQL and PgBouncer are installed. Where servers are required, the tests run and fail without. */
export const describePgbouncer =
  works(command, ['--version']) || process.env.REQUIRE_SERVERS === '1'
    ? describePostgres
    : (name: string, body: () => void): void => {
        describe.skip(`${name} (skipped: needs PgBouncer, as from apt-get install pgbouncer)`, body)
      }

/** A PgBouncer on a free port, in front of a server, with so many connections to a database. */
export async function startPgbouncer(
  server: TestPostgres,
  { mode, size }: { mode: 'session' | 'transaction'; size: number },
): Promise<{ urlOf: (url: string) => string; stop: () => Promise<void> }> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-pgbouncer-'))
  const { username, password } = new URL(server.urlOf('postgres'))
  const settings = [
    `[databases]`,
    `* = host=127.0.0.1 port=${server.port}`,
    `[pgbouncer]`,
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = plain'],
    ...[`auth_file = ${folder}/users`, `pool_mode = ${mode}`, `default_pool_size = ${size}`],
  ]
  writeFileSync(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o644 })
  writeFileSync(join(folder, 'config'), settings.join('\n'), { mode: 0o644 })
  const args = serverOwner ? ['--user=postgres', join(folder, 'config')] : [join(folder, 'config')]
  const child = spawn('sh', ['-c', `chmod 755 "${folder}" && exec "$0" "$@"`, command, ...args], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const urlOf = (url: string): string => Object.assign(new URL(url), { port: String(port) }).href
  await eventually(() => server.client(urlOf(server.urlOf('postgres'))).catch(() => false))
  return {
    urlOf,
    stop: async () => {
      child.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
