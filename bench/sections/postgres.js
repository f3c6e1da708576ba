import { ours } from '../harness/contestants.js'
import { counted } from '../harness/counted.js'
import { load } from '../harness/load.js'
import { cores } from '../harness/machine.js'
import { figureNames, figures, median, ratio, spread, table } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'
import { withSharedStores } from '../harness/shared-stores.js'
import { scenarioNames } from './side-by-side.js'

const counts = [1, 8, 32, 256]
/** The stores of a row; the last one is that of two processes. */
const stores = { sqlite: 'SQLite', postgres: 'PostgreSQL, Redis', both: 'the same, 2 processes' }
/** The second process takes what the cores have left. */
const anywhere = cores && `${cores.server},${cores.load}`

const rows = [
  ...counts.flatMap((connections) =>
    ['sqlite', 'postgres'].map((store) => ({ scenario: 'getPet', connections, store })),
  ),
  ...['listPets', 'createPet'].flatMap((scenario) =>
    ['sqlite', 'postgres'].map((store) => ({ scenario, connections: 32, store })),
  ),
  ...scenarioNames.map((scenario) => ({ scenario, connections: 32, store: 'both' })),
]

/** This service on PostgreSQL and Redis, and on SQLite alone; undefined where those are not installed. */
export async function measure({ databaseOf, plan, tell }) {
  const database = await databaseOf(1000)
  return withSharedStores(database, (programs, env) => {
    return inRounds({
      ...{ rows, plan, tell },
      base: ({ scenario, connections }) => ({ scenario, connections, store: 'sqlite' }),
      start: async (add) => {
        const warm = { plan, database, scenarios: scenarioNames }
        add('sqlite', await startWarm(ours, warm))
        add('postgres', await startWarm(ours, { ...warm, env }))
        add('second', await startWarm(ours, { ...warm, env, core: anywhere }))
      },
      measure: ({ scenario, connections, store }, servers) => {
        const used = store === 'both' ? ['postgres', 'second'] : [store]
        return counted(store === 'sqlite' ? [] : programs, plan, (durationS) =>
          used.map((name) =>
            load(servers.get(name), {
              ...{ scenario, connections: connections / used.length, keys: database.keys.load, durationS },
            }),
          ),
        )
      },
    })
  })
}

export function report({ rows, servers }) {
  const cells = ({ scenario, connections, store }) => [scenario, String(connections), stores[store]]
  return [
    '## PostgreSQL and Redis',
    'What a request takes of this service, of PostgreSQL and of Redis, each in µs of CPU, and as a ratio of what it takes on ' +
      'SQLite alone. Both servers share a core with the load, and a second process takes what is left of both cores, so the ' +
      'costs are the figures to count with. PostgreSQL runs with `fsync=on`. Resident memory of a process: ' +
      `${spread(servers.postgres.residentMb, 0)} MB.`,
    table(
      ['', 'Connections', 'On', 'Ratio', ...figureNames, 'CPU of PostgreSQL', 'CPU of Redis'],
      rows.map((row) => [
        ...[...cells(row), ratio(row), ...figures(row)],
        ...[median(row.postgresCpuUs, 1), median(row.redisCpuUs, 1)],
      ]),
    ),
    'Statements, commands and reads for a request, by the counters of PostgreSQL and Redis. Each key is looked up once a ' +
      'second, which is among the statements:',
    table(
      ['', 'Connections', 'On', 'Statements', 'Commands', 'Reads'],
      rows
        .filter(({ store }) => store !== 'sqlite')
        .map((row) => [...cells(row), ...[row.statements, row.commands, row.reads].map((each) => median(each, 2))]),
    ),
  ]
}
