import { ours } from '../harness/contestants.js'
import { counted } from '../harness/counted.js'
import { load } from '../harness/load.js'
import { figureNames, figures, median, ratio, table } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'
import { withSharedStores } from '../harness/shared-stores.js'
import { scenarioNames } from './side-by-side.js'

/** Parts of full load, in percent. */
const levels = [100, 60, 30, 10]
const stores = { sqlite: 'SQLite', postgres: 'PostgreSQL, Redis' }

/**
 * What a request costs where the processes have less to do than they could, so that fewer requests come in a turn and
 * share their work. Full load is what 32 connections bring; parts of it come evenly, on as many connections.
 */
export async function measure({ databaseOf, plan, tell }) {
  const database = await databaseOf(1000)
  return withSharedStores(database, (programs, env) => {
    const keys = database.keys.load
    const full = new Map()
    return inRounds({
      ...{ plan, tell },
      base: ({ scenario, store }) => ({ scenario, store, level: 100 }),
      rows: scenarioNames.flatMap((scenario) =>
        Object.keys(stores).flatMap((store) => levels.map((level) => ({ scenario, store, level }))),
      ),
      start: async (add) => {
        for (const [store, more] of [
          ['sqlite', {}],
          ['postgres', { env }],
        ]) {
          const server = await startWarm(ours, { plan, database, scenarios: scenarioNames, ...more })
          add(store, server)
          for (const scenario of scenarioNames) {
            const { perSecond } = await load(server, { scenario, keys, durationS: plan.firstWarmUpS })
            full.set(`${scenario} ${store}`, perSecond)
          }
        }
      },
      measure: ({ scenario, store, level }, servers) => {
        const perSecond = level === 100 ? undefined : (full.get(`${scenario} ${store}`) * level) / 100
        // as many requests as at full load would take too long, and too few would tell nothing
        const long = { ...plan, durationS: plan.durationS * Math.min(3, 100 / level) }
        return counted(store === 'sqlite' ? [] : programs, long, (durationS) => [
          load(servers.get(store), { scenario, keys, durationS, perSecond }),
        ])
      },
    })
  })
}

export function report({ rows }) {
  return [
    '## At less than full load',
    'What a request costs at a part of full load, which is what 32 connections bring, and as a ratio of its cost at full load. ' +
      'The requests of a turn share their work, so the fewer there are in one, the more each costs; the processor has time for it.',
    table(
      ['', 'On', 'Load', 'Ratio', ...figureNames, 'CPU of PostgreSQL', 'CPU of Redis'],
      rows.map((row) => [
        ...[row.scenario, stores[row.store], `${row.level} %`, ratio(row), ...figures(row)],
        ...[median(row.postgresCpuUs, 1), median(row.redisCpuUs, 1)],
      ]),
    ),
  ]
}
