/*
 * node bench/builds.js FOLDER [--rounds N] [--connections 4,32,256]
 *
 * Compares this build with another one, such as one without a lever: FOLDER has its dist/ and node_modules/. In each short
 * round both run once, in changing order. Prints how many times as much CPU time as this build the other takes for a
 * request: the median of the ratios within the rounds, and the quartiles.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ours } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { load, stopLoads } from './harness/load.js'
import { figures, figureNames, ratio, table } from './harness/markdown.js'
import { mostConnections, wholeNumber } from './harness/options.js'
import { temporaryFolder } from './harness/processes.js'
import { inRounds, startWarm } from './harness/rounds.js'
import { together } from './harness/runs.js'
import { scenarioNames } from './sections/side-by-side.js'

const { values: options, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    connections: { type: 'string', default: '4,32,256' },
  },
  allowPositionals: true,
})
const [folder] = positionals
if (folder === undefined) throw new Error('Name the folder of the other build.')

const builds = { this: ours, other: { ...ours, script: join(resolve(folder), 'dist/src/main.js') } }
const plan = {
  rounds: wholeNumber('rounds', options.rounds, 100),
  roundsPerStart: 10,
  warmUpS: 0.05,
  durationS: 0.25,
  firstWarmUpS: 1,
}
const counts = options.connections.split(',').map((count) => wholeNumber('connections', count, mostConnections))
const database = await seedDatabase(join(temporaryFolder(), 'template.db'), 1000)
const measured = await inRounds({
  plan,
  rows: scenarioNames.flatMap((scenario) =>
    counts.flatMap((connections) => Object.keys(builds).map((build) => ({ scenario, connections, build }))),
  ),
  base: ({ scenario, connections }) => ({ scenario, connections, build: 'this' }),
  tell: (message) => console.error(message),
  start: async (add) => {
    for (const [name, build] of Object.entries(builds)) {
      add(name, await startWarm(build, { plan, database, scenarios: scenarioNames }))
    }
  },
  measure: ({ scenario, connections, build }, servers) =>
    load(servers.get(build), { scenario, connections, keys: database.keys.load, ...plan }),
})
await stopLoads()
const { rows } = together([measured])
console.log(
  table(
    ['', 'Connections', 'Build', 'Ratio', ...figureNames],
    rows.map((row) => [row.scenario, String(row.connections), row.build, ratio(row), ...figures(row)]),
  ),
)
const { spread, others, isQuiet } = measured.quiet
console.log(
  `The machine was ${isQuiet ? '' : 'not '}quiet: a loop that only computes varied by ${spread}, others took ${others}.`,
)
