import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from '../wait.ts'
import { freePort } from './redis-server.ts'

const binaries = findBinaries()

export const hasPostgres = binaries !== undefined

/** The folder of the newest server, which Debian keeps off PATH; empty when PATH has it. */
function findBinaries(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = readdirSync('/usr/lib', { withFileTypes: true }).some(({ name }) => name === 'postgresql')
    ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
    : []
  const folders = [...versions.map((version) => `${root}/${version}/bin/`), '']
  return folders.find((folder) => {
    try {
      execFileSync(`${folder}initdb`, ['--version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}

/** The server refuses to run as root; its files and processes are then of the user that Debian's package makes. */
export const serverOwner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined

function idOf(flag: '-u' | '-g'): number {
  return binaries === undefined ? 0 : Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}

/** A PostgreSQL server of our own on a free port, which asks for a password. */
export interface TestPostgres {
  port: number
  /** The folder of its socket. */
  folder: string
  /** The URL of a new database. */
  newDatabase: (options?: string) => Promise<string>
  /** Runs SQL behind the service's back, by default as the superuser. */
  sql: (url: string, text: string) => Promise<Record<string, unknown>[]>
  /** A connection that stays, for holding locks. It is closed with the server. */
  client: (url: string) => Promise<pg.Client>
  /** The URL of a database that there is, or that its primary has. */
  urlOf: (database: string) => string
  start: (settings?: Record<string, string>) => Promise<void>
  /** Lets a standby take writes. */
  promote: () => Promise<void>
  /** Ends the server at once, as a crash does. */
  kill: () => Promise<void>
  /** Stops all its processes where they are. */
  freeze: () => void
  thaw: () => void
  stop: () => Promise<void>
}

const password = 'hunter2#/@'

/** A server that is empty, or the standby of another one that runs. */
export async function testPostgres(primary?: { port: number }): Promise<TestPostgres> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-postgres-'))
  if (serverOwner) chownSync(folder, serverOwner.uid, serverOwner.gid)
  const data = join(folder, 'data')
  const environment = { PATH: process.env.PATH, PGPASSWORD: password, LC_ALL: 'C.UTF-8' }
  const clients: pg.Client[] = []
  let child: ChildProcess | undefined
  let databases = 0

  const run = (program: string, args: string[]): void => {
    execFileSync(`${binaries ?? ''}${program}`, args, {
      env: environment,
      cwd: folder,
      stdio: 'ignore',
      ...serverOwner,
    })
  }
  execFileSync('sh', ['-c', `printf %s "$PGPASSWORD" > '${folder}/password'`], { env: environment, ...serverOwner })
  if (primary) {
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'store']
    run('pg_basebackup', ['-D', data, ...from, '--write-recovery-conf', '--checkpoint=fast'])
  } else {
    run('initdb', [
      '-D',
      data,
      '-U',
      'store',
      '--auth=scram-sha-256',
      `--pwfile=${folder}/password`,
      '-E',
      'UTF8',
      '-N',
    ])
  }

  const urlOf = (database: string): string =>
    `postgres://store:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
  const client = async (url: string): Promise<pg.Client> => {
    const one = new pg.Client({ connectionString: url })
    one.on('error', () => undefined)
    await one.connect()
    clients.push(one)
    return one
  }
  const sql: TestPostgres['sql'] = async (url, text) => {
    const one = new pg.Client({ connectionString: url, options: '-c statement_timeout=0 -c lock_timeout=0' })
    one.on('error', () => undefined)
    await one.connect()
    try {
      return (await one.query<Record<string, unknown>>(text)).rows
    } finally {
      await one.end()
    }
  }
  const kill = async (): Promise<void> => {
    const dying = child
    child = undefined
    if (!dying) return
    const ended = new Promise((resolve) => dying.once('exit', resolve))
    signal(dying, 'SIGCONT')
    // an immediate shutdown, which the server recovers from as from a crash, and which takes its processes along
    dying.kill('SIGQUIT')
    await ended
  }
  return {
    port,
    folder,
    sql,
    client,
    newDatabase: async (options = '') => {
      databases += 1
      await sql(urlOf('postgres'), `CREATE DATABASE animals${databases} ${options}`)
      return urlOf(`animals${databases}`)
    },
    start: async (settings = {}) => {
      const all = {
        listen_addresses: '127.0.0.1',
        port: String(port),
        unix_socket_directories: folder,
        shared_preload_libraries: 'pg_stat_statements',
        ...settings,
      }
      const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const starting = spawn(`${binaries ?? ''}postgres`, ['-D', data, ...args], {
        ...{ env: environment, cwd: folder, stdio: 'ignore', ...serverOwner },
      })
      child = starting
      await eventually(() => {
        if (starting.exitCode !== null) throw new Error(`PostgreSQL has ended with ${starting.exitCode}.`)
        return sql(urlOf('postgres'), 'SELECT 1').catch(() => false)
      })
    },
    urlOf,
    promote: async () => {
      await sql(urlOf('postgres'), 'SELECT pg_promote()')
    },
    kill,
    freeze: () => {
      if (child) signal(child, 'SIGSTOP')
    },
    thaw: () => {
      if (child) signal(child, 'SIGCONT')
    },
    stop: async () => {
      if (child) signal(child, 'SIGCONT')
      await Promise.all(clients.map((one) => one.end().catch(() => undefined)))
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Signals the server's first process and then those that it has made. */
function signal({ pid }: ChildProcess, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === undefined) return
  process.kill(pid, name)
  for (const one of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = / \S (\d+) /.exec(readFileSync(`/proc/${one}/stat`, 'utf8').replace(/^.*\)/, ''))?.[1]
      if (Number(parent) === pid) process.kill(Number(one), name)
    } catch {
      // it has ended meanwhile
    }
  }
}
