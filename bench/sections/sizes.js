import Database from 'better-sqlite3'
import { writeCursor } from '../contestants/cursor.js'
import { ours } from '../harness/contestants.js'
import { load } from '../harness/load.js'
import { figureNames, figures, ratio, table } from '../harness/markdown.js'
import { inRounds, startWarm } from '../harness/rounds.js'
import { timesOf } from '../harness/statistics.js'

const few = 1000
const many = 1_000_000

/** One animal, and the first and the deepest page, of few and of many animals, all of them and those of one status. */
export async function measure({ databaseOf, plan, tell }) {
  const stores = new Map()
  for (const animals of [few, many]) {
    tell(`${animals} animals`)
    const database = await databaseOf(animals)
    stores.set(animals, { database, requests: requestsOf(database.file) })
  }
  const what = Object.keys(stores.get(few).requests)
  return inRounds({
    ...{ plan, tell },
    base: ({ request }) => ({ request, animals: few }),
    rows: what.flatMap((request) => [few, many].map((animals) => ({ request, animals }))),
    start: async (add) => {
      for (const [animals, { database, requests }] of stores) {
        const server = await startWarm(ours, { plan, database, scenarios: ['getPet', 'listPets'] })
        add(animals, server)
        for (const { query } of Object.values(requests)) await refuseShortPage(server, database.keys.load[0], query)
      }
    },
    measure: ({ request, animals }, servers) => {
      const { database, requests } = stores.get(animals)
      return load(servers.get(animals), { ...requests[request], animals, keys: database.keys.load, ...plan })
    },
  })
}

export function report({ rows }) {
  return [
    '## 1000 and 1 000 000 animals',
    table(
      ['', 'Animals', 'Ratio', ...figureNames],
      rows.map((row) => [row.request, String(row.animals), ratio(row), ...figures(row)]),
    ),
  ]
}

/** How many times as much as of few animals the dearest request takes of many. */
export function worstOf(rows) {
  const ratios = rows
    .filter(({ animals }) => animals === many)
    .map((row) => ({ request: row.request, ratio: timesOf(row).median }))
  return ratios.toSorted((a, b) => b.ratio - a.ratio)[0]
}

/** Pages are of 20. The deepest one begins after the last but twenty. */
function requestsOf(file) {
  const db = new Database(file, { readonly: true })
  const cursor = (where) =>
    writeCursor(db.prepare(`SELECT id FROM pets ${where} ORDER BY id DESC LIMIT 1 OFFSET 20`).pluck().get())
  const page = (query) => ({ scenario: 'listPets', query })
  try {
    return {
      'one animal': { scenario: 'getPet' },
      'first page': page(''),
      'deepest page': page(`?cursor=${cursor('')}`),
      'first page of one status': page('?status=sold'),
      'deepest page of one status': page(`?status=sold&cursor=${cursor("WHERE status = 'sold'")}`),
    }
  } finally {
    db.close()
  }
}

async function refuseShortPage({ port }, key, query) {
  if (query === undefined) return
  const answer = await fetch(`http://127.0.0.1:${port}/v1/pets${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const pets = await answer.json()
  if (pets.length !== 20) throw new Error(`The page ${query} has ${pets.length} animals instead of 20.`)
}
