import pg from 'pg'
import type { StoreReadings } from '../../store.ts'
import { codeOf, messageOf } from '../../../failure.ts'
import { markUnconnected, neverConnected } from './client.ts'
import { plain } from './faults.ts'
import type { Server } from './find.ts'
import { acquireMs, answerMs, turnMs } from './times.ts'

/** How often a server that takes writes is looked for, in ms. */
const lookEveryMs = 500
/** How long a pooler may let a new connection wait for the server, in ms. */
const pooledMs = 500
/** How long a server may take to let go of connections that are closed, in ms. */
const endMs = 1000
/** How long no further connection is tried after one that failed while others were there, in ms. */
const contentMs = 1000

/** Where the connections of a process lead. */
export type Place = Pick<Server, 'config' | 'turnConfig' | 'pooled'>

export interface ConnectionsParts {
  place: Place
  /** Looks for a server that takes writes; undefined when there is none. */
  find: () => Promise<Place | undefined>
  /** Whether there are other servers to look at. */
  several: boolean
  /** The most connections. */
  size: number
  /** Hears of connections that are lost while nobody uses them. */
  onFault: (fault: Error) => void
}

/** The connections to one server: those of reads, and those of statements that wait for their turn. */
interface Pools {
  reads: pg.Pool
  turns: pg.Pool
  pooled: boolean
}

export interface Connections {
  /** Opens the connections that stay, if it can. */
  warm: () => Promise<void>
  /** The server that connections lead to now. */
  current: () => Pools
  /**
   * Runs what begins with getting a connection. When a further one cannot be had, it waits for one that is there; when the
   * server cannot be reached, it goes on with another one of the URL.
   */
  on: <T>(kind: 'reads' | 'turns', run: (pool: pg.Pool) => Promise<T>) => Promise<T>
  /** Whether connections lead to another server than these, or can be made to, since these take no writes. */
  moved: (from: Pools) => Promise<boolean>
  readings: () => Omit<NonNullable<StoreReadings['pool']>, 'failures'>
  close: () => Promise<void>
}

export function openConnections({ place, find, several, size, onFault }: ConnectionsParts): Connections {
  const turnSize = size < 4 ? 1 : 2
  let current = poolsOn(place)
  let looking: Promise<boolean> | undefined
  let lookedMs = -Infinity
  let closed = false

  function poolsOn({ config, turnConfig, pooled }: Place): Pools {
    const open = (settings: pg.PoolConfig): pg.Pool =>
      new pg.Pool({ ...settings, min: 1, ...(pooled ? awaitServer : {}) }).on('error', (error) => {
        onFault(plain(error))
      })
    const turns = open({ ...turnConfig, max: turnSize, query_timeout: turnMs + answerMs, pipeline: true })
    // a lone connection is for both
    const reads = size === 1 ? turns : open({ ...config, max: size - turnSize, query_timeout: answerMs })
    return { reads, turns, pooled }
  }

  async function look(): Promise<boolean> {
    const found = await find().catch(() => undefined)
    if (!found || closed) return false
    const old = current
    current = poolsOn(found)
    // those that wait for a connection have got it or given up by then
    setTimeout(() => void endOf(old), acquireMs).unref()
    return true
  }

  const moved = (from: Pools): Promise<boolean> => {
    if (current !== from) return Promise.resolve(true)
    if (looking) return looking
    if (closed || performance.now() - lookedMs < lookEveryMs) return Promise.resolve(false)
    lookedMs = performance.now()
    looking = look().finally(() => {
      looking = undefined
    })
    return looking
  }

  return {
    warm: async () => {
      const { reads, turns } = current
      await Promise.allSettled([reads.query('SELECT 1'), turns.query('SELECT 1')])
    },
    current: () => current,
    on: async (kind, run) => {
      const deadline = performance.now() + acquireMs
      for (;;) {
        const pools = current
        const pool = pools[kind]
        try {
          return await run(pool)
        } catch (error) {
          if (!neverConnected(error) || performance.now() > deadline) throw error
          if (several && !isFull(error) && (await moved(pools))) continue
          if (pool.totalCount === 0) throw error
          beContent(pool, kind === 'turns' || size === 1 ? turnSize : size - turnSize)
        }
      }
    },
    moved,
    readings: () => {
      const all = [...new Set([current.reads, current.turns])]
      const sumOf = (name: 'totalCount' | 'idleCount' | 'waitingCount'): number =>
        all.reduce((sum, one) => sum + one[name], 0)
      const idle = sumOf('idleCount')
      return { inUse: sumOf('totalCount') - idle, idle, waiting: sumOf('waitingCount') }
    },
    close: async () => {
      closed = true
      await endOf(current)
    },
  }
}

/** Lets a pool do with the connections that it has for a while. */
function beContent({ options, totalCount }: pg.Pool, max: number): void {
  if (totalCount >= options.max) return
  options.max = totalCount
  setTimeout(() => {
    options.max = max
  }, contentMs).unref()
}

/** Whether the server has no connection left, or its pooler none to it. */
function isFull(error: unknown): boolean {
  return codeOf(error) === '53300' || messageOf(error) === pooledWait
}

const pooledWait = 'the pooler has no connection to the server'

/** Rejects when a pooler has taken the connection, and has none to the server. */
async function reachesServer(client: pg.ClientBase): Promise<void> {
  const query = { text: 'SELECT 1', query_timeout: pooledMs }
  await client.query(query).catch((cause: unknown) => {
    throw markUnconnected(new Error(pooledWait, { cause }))
  })
}

/** The pool waits for the promise, which its types do not have. */
const awaitServer = { onConnect: reachesServer as (client: pg.ClientBase) => void }

/** A server that has stopped answering would not let go. */
async function endOf({ reads, turns }: Pools): Promise<void> {
  const given = new Promise((resolve) => void setTimeout(resolve, endMs).unref())
  const all = [...new Set([reads, turns])]
  await Promise.race([Promise.all(all.map((pool) => pool.end())), given])
}
