import { join } from 'node:path'
import Database from 'better-sqlite3'
import { writeCursor } from '../contestants/cursor.js'
import { ours } from '../harness/contestants.js'
import { seedDatabase } from '../harness/database.js'
import { load } from '../harness/load.js'
import { temporaryFolder } from '../harness/processes.js'
import { startServer } from '../harness/servers.js'
import { summaries } from '../harness/statistics.js'

const counts = [1000, 1_000_000]

/** The first and the deepest page of few and of many animals, all of them and those of one status. */
export async function sizes({ plan, tell }) {
  const stores = []
  try {
    for (const count of counts) {
      tell(`${count} animals`)
      const database = await seedDatabase(join(temporaryFolder(), 'animals.db'), count)
      const server = await startServer(ours, { database })
      stores.push({ count, database, server, pages: pagesOf(database.file) })
    }
    const rows = Object.keys(stores[0].pages).map((page) => ({ page, results: stores.map(() => []) }))
    for (let round = 0; round < plan.rounds; round++) {
      for (const { page, results } of rows) {
        for (const [index, { database, server, pages }] of stores.entries()) {
          const query = pages[page]
          if (round === 0) await refuseShortPage(server, database.keys.load[0], query)
          const config = { scenario: 'listPets', keys: database.keys.load, query, ...plan }
          results[index].push(await load(server, config))
        }
      }
    }
    return rows.map(({ page, results }) => ({
      page,
      sizes: stores.map(({ count }, index) => ({ count, ...summaries(results[index], ['perSecond', 'cpuUs']) })),
    }))
  } finally {
    for (const { server } of stores) await server.stop()
  }
}

/** The queries of pages of 20. The deepest one begins after the last but twenty. */
function pagesOf(file) {
  const db = new Database(file, { readonly: true })
  const cursor = (where) =>
    writeCursor(db.prepare(`SELECT id FROM pets ${where} ORDER BY id DESC LIMIT 1 OFFSET 20`).pluck().get())
  try {
    return {
      'first page': '',
      'deepest page': `?cursor=${cursor('')}`,
      'first page of one status': '?status=sold',
      'deepest page of one status': `?status=sold&cursor=${cursor("WHERE status = 'sold'")}`,
    }
  } finally {
    db.close()
  }
}

async function refuseShortPage({ port }, key, query) {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/pets${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const pets = await answer.json()
  if (pets.length !== 20) throw new Error(`The page ${query} has ${pets.length} animals instead of 20.`)
}
