import { createServer } from 'node:http'
import { ours } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { figureNames, figures, ratio, table } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'
import { timesOf } from '../harness/statistics.js'

/** The shares of the requests that are sampled. */
const shares = { off: undefined, '1 %': '0.01', all: '1' }

/** A getPet without tracing, and with it on for a part of the requests, with a receiver that takes all spans. */
export async function measure({ databaseOf, plan, tell }) {
  const database = await databaseOf(1000)
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end('{}')))
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const on = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.address().port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  }
  try {
    return await inRounds({
      ...{ plan, tell },
      base: () => ({ traced: 'off' }),
      rows: Object.keys(shares).map((traced) => ({ traced })),
      start: async (add) => {
        for (const [traced, share] of Object.entries(shares)) {
          const env = share === undefined ? {} : { ...on, OTEL_TRACES_SAMPLER_ARG: share }
          // of 100 requests one is traced, and what traces it is to be as warm as all the rest
          add(traced, await startWarm(ours, { plan, database, env, scenarios: ['tracedPet', 'getPet'] }))
        }
      },
      measure: ({ traced }, servers) =>
        load(servers.get(traced), { scenario: 'getPet', keys: database.keys.load, ...plan }),
    })
  } finally {
    receiver.close()
    receiver.closeAllConnections()
  }
}

/** How many times as much a request costs with tracing of 1 %. */
export function sampledTimes(rows) {
  return timesOf(rows.find(({ traced }) => traced === '1 %'))
}

export function report({ rows }) {
  return [
    '## Traces',
    'A `getPet` without tracing, which is the service of all other sections, and with spans of a part of the requests sent to a ' +
      'receiver.',
    table(
      ['Traced', 'Ratio', ...figureNames],
      rows.map((row) => [row.traced, ratio(row), ...figures(row)]),
    ),
  ]
}
