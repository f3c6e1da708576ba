import { doesTheJob } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { comparison } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'

const animals = 1_000_000
const counts = [32, 256]

/** This service and its peers with reads of a million animals and creations at once. */
export async function measure({ contestants, databaseOf, plan, tell }) {
  const database = await databaseOf(animals)
  const workers = contestants.filter(doesTheJob)
  return inRounds({
    ...{ plan, tell },
    base: ({ connections }) => ({ connections, contestant: 'ours' }),
    rows: counts.flatMap((connections) => workers.map(({ name }) => ({ connections, contestant: name }))),
    start: async (add) => {
      for (const contestant of workers) {
        tell(`start: ${contestant.name}`)
        add(contestant.name, await startWarm(contestant, { plan, database, scenarios: ['mixed'] }))
      }
    },
    measure: ({ connections, contestant }, servers) =>
      load(servers.get(contestant), { scenario: 'mixed', connections, animals, keys: database.keys.load, ...plan }),
  })
}

export function report({ rows }, { contestants }) {
  return [
    '## Mixed load',
    'Of ten requests six are for one animal, three for a page of 20 that begins anywhere, both spread over a million animals, ' +
      'and one adds an animal.',
    ...counts.flatMap((connections) => [
      `### Mixed load, ${connections} connections`,
      comparison(contestants, rows, { connections }),
    ]),
  ]
}
