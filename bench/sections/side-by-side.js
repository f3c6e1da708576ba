import { readFileSync } from 'node:fs'
import { conformanceOf } from '../conformance.js'
import { doesTheJob } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { comparison, list, median, ratio, ratioRuns, spread, table } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'
import { costOf, rowOf } from '../harness/statistics.js'

/** What is compared, each at these numbers of connections. */
export const scenarios = {
  getPet: { heading: 'getPet: one animal', connections: [1, 4, 32, 256] },
  listPets: { heading: 'listPets: 20 of 1000 animals', connections: [32, 256] },
  createPet: { heading: 'createPet: one animal, on disk', connections: [32, 256] },
}
export const scenarioNames = Object.keys(scenarios)

const cells = Object.entries(scenarios).flatMap(([scenario, { connections: counts }]) =>
  counts.map((connections) => ({ scenario, connections })),
)

/** What a contestant answers in the way that a scenario needs. */
const scenariosOf = (contestant) => (doesTheJob(contestant) ? scenarioNames : ['getPet'])

/** This service and its peers at the same job. */
export async function measure({ contestants, databaseOf, plan, tell }) {
  const database = await databaseOf(1000)
  const conformance = {}
  for (const contestant of contestants.filter(doesTheJob)) {
    tell(`conformance: ${contestant.name}`)
    conformance[contestant.name] = await conformanceOf(contestant, database)
  }
  const rows = cells.flatMap((cell) =>
    contestants
      .filter((contestant) => scenariosOf(contestant).includes(cell.scenario))
      .map(({ name }) => ({ ...cell, contestant: name })),
  )
  const measured = await inRounds({
    ...{ rows, plan, tell },
    base: ({ scenario, connections }) => ({ scenario, connections, contestant: 'ours' }),
    start: async (add) => {
      for (const contestant of contestants) {
        tell(`start: ${contestant.name}`)
        add(contestant.name, await startWarm(contestant, { plan, database, scenarios: scenariosOf(contestant) }))
      }
    },
    measure: ({ scenario, connections, contestant }, servers) =>
      load(servers.get(contestant), { scenario, connections, keys: database.keys.load, ...plan }),
  })
  return { conformance, ...measured }
}

export function report({ rows, servers, conformance }, { contestants }) {
  const workers = contestants.filter(doesTheJob)
  return [
    '## At a glance',
    ...glance({ rows }, { contestants }),
    capacity(rows),
    ...Object.entries(scenarios).flatMap(([scenario, { heading, connections: counts }]) => [
      `## ${heading}`,
      ...counts.flatMap((connections) => [
        `### ${scenario}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
        comparison(contestants, rows, { scenario, connections }),
      ]),
    ]),
    '## Memory and cold start',
    'Resident memory after the rounds of a process, the median with the lowest and the highest; time from starting the ' +
      'process to its first 200.',
    table(
      ['', 'Memory, MB', 'Cold start, ms'],
      contestants.map(({ name, title }) => [
        title,
        spread(servers[name].residentMb, 0),
        median(servers[name].readyMs, 0),
      ]),
    ),
    '## What each leaves out',
    'Each contestant first had to give the same answers. These parts of the contract are missing:',
    table(
      ['', 'Missing and compared', 'Missing, not compared'],
      workers.map(({ name, title }) => [
        title,
        list(conformance[name].needed.map(({ what, fault }) => `${what} (${fault})`)),
        list(conformance[name].more.map(({ what }) => what)),
      ]),
    ),
    '## Versions',
    'All contestants keep the records of API keys for a second, as this service does, and write to SQLite with ' +
      '`journal_mode=WAL` and `synchronous=FULL`. The peers commit each creation by itself, as their users would. In this ' +
      'service and in `node:http` by hand, creations that arrive together share a commit.',
    table(
      ['', ''],
      workers
        .filter(({ packages }) => packages.length > 0)
        .map(({ title, packages }) => [title, packages.map(packageVersion).join(', ')]),
    ),
  ]
}

/** All cells in one table, and the ratios of each run in another. */
export function glance({ rows }, { contestants }) {
  return [
    'The CPU time that this service takes for a request, and how many times as much the others take, by the number of ' +
      'connections.',
    cellsTable(contestants, rows, ratio),
    'What each run gave:',
    cellsTable(contestants, rows, ratioRuns),
  ]
}

/** What `shown` makes of the row of each contestant in each cell. */
export function cellsTable(contestants, rows, shown) {
  return table(
    ['', ...cells.map(({ scenario, connections }) => `${scenario}, ${connections}`)],
    contestants.map(({ name, title, role }) => [
      title,
      ...cells.map((cell) => {
        const row = rowOf(rows, { ...cell, contestant: name })
        return role === 'ours' ? `${costOf(row).toFixed(1)} µs` : shown(row)
      }),
    ]),
  )
}

/** How much the load could send, were the server no hindrance. */
function capacity(rows) {
  const costs = rows.filter(({ contestant }) => contestant === 'floor').map(({ loadUs }) => loadUs.median)
  if (costs.length === 0) return 'The empty answer was not measured.'
  const least = Math.min(...costs)
  return `The load takes ${least.toFixed(1)} µs for a request and its empty answer, and so can send ${(1e6 / least).toFixed(0)} a second.`
}

function packageVersion(name) {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`
}
