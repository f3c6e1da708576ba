import { ours } from '../harness/contestants.js'
import { counted } from '../harness/counted.js'
import { load } from '../harness/load.js'
import { figureNames, figures, median, table } from '../harness/markdown.js'
import { startRedis } from '../harness/redis.js'
import { inRounds, startWarm } from '../harness/rounds.js'

const counts = [1, 8, 32, 256]

/** Counts kept in the process against counts in Redis; undefined where there is none installed. */
export async function measure({ databaseOf, plan, tell }) {
  const database = await databaseOf(1000)
  const redis = await startRedis()
  if (redis === undefined) return undefined
  const variants = { 'in the process': { env: {}, programs: [] }, 'in Redis': { env: redis.env, programs: [redis] } }
  try {
    return await inRounds({
      ...{ plan, tell },
      base: ({ connections }) => ({ connections, counted: 'in the process' }),
      rows: counts.flatMap((connections) => Object.keys(variants).map((counted) => ({ connections, counted }))),
      start: async (add) => {
        for (const [counted, { env }] of Object.entries(variants)) {
          add(counted, await startWarm(ours, { plan, database, env, scenarios: ['getPet'] }))
        }
      },
      measure: ({ connections, counted: where }, servers) =>
        counted(variants[where].programs, plan, (durationS) => [
          load(servers.get(where), { scenario: 'getPet', connections, keys: database.keys.load, durationS }),
        ]),
    })
  } finally {
    await redis.stop()
  }
}

export function report({ rows }) {
  return [
    '## Counts in the process and in Redis',
    'What a `getPet` takes of this service and of Redis. Commands and reads are those of Redis for a request, by its own ' +
      'counters; a charge that it does not answer in time is counted in the process.',
    table(
      ['Connections', 'Counted', ...figureNames, 'CPU of Redis', 'Commands', 'Reads'],
      rows.map((row) => [
        ...[String(row.connections), row.counted, ...figures(row)],
        ...[median(row.redisCpuUs, 1), median(row.commands, 2), median(row.reads, 2)],
      ]),
    ),
  ]
}
