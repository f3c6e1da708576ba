/*
 * npm run bench [-- OPTIONS], or node bench/run.js [OPTIONS] when everything is built and installed
 *
 *   --quick           two minutes instead of about a quarter of an hour
 *   --only a,b        these contestants (the names in harness/contestants.js)
 *   --rounds N        how often everything is measured
 *   --side-by-side    the comparison alone, without the sections on this service
 *   --section NAME    one section alone; with --write it takes its place in bench/results.md:
 *                     postgres, this service on PostgreSQL and Redis, or dev, the saves under npm run dev
 *   --write           write bench/results.md and bench/chart.svg; a full run does so anyway
 *
 * Measures this service and its peers side by side, and prints the results.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { conformanceOf } from './conformance.js'
import { chart } from './harness/chart.js'
import { chosen, contestants as all } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { describeMachine } from './harness/machine.js'
import { temporaryFolder } from './harness/processes.js'
import { devSection, postgresSection, report, withSection } from './harness/report.js'
import { dev } from './sections/dev.js'
import { memory } from './sections/memory.js'
import { operations } from './sections/operations.js'
import { postgres } from './sections/postgres.js'
import { redis } from './sections/redis.js'
import { sideBySide } from './sections/side-by-side.js'
import { sizes } from './sections/sizes.js'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    section: { type: 'string' },
    'side-by-side': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

const { quick } = options
const rounds = options.rounds === undefined ? (quick ? 2 : 12) : Number(options.rounds)
if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= 100)) throw new Error('--rounds must be from 1 to 100.')
// short ones: a machine that others use is disturbed for seconds, and leaves some of many rounds alone
const times = quick ? { warmUpS: 0.5, durationS: 0.8 } : { warmUpS: 1, durationS: 1.2 }
const plan = { ...times, rounds, connections: 32 }
const extra = quick ? { warmUpS: 0.3, durationS: 0.8, rounds: 1 } : { warmUpS: 0.5, durationS: 1, rounds }
const memoryRequests = quick ? 100_000 : 1_000_000

const contestants = chosen(options.only)
const whole = contestants.length === all.length && !options['side-by-side']
const database = await seedDatabase(join(temporaryFolder(), 'template.db'), 1000)
const resultsFile = new URL('results.md', import.meta.url)

/** What can be measured alone. */
const sections = {
  postgres: async () => {
    const measured = await measurePostgres()
    if (!measured) throw new Error('This needs PostgreSQL and redis-server.')
    return postgresSection(measured)
  },
  dev: async () => devSection(await dev({ saves: 20, tell })),
}

if (options.section !== undefined) {
  const measure = sections[options.section]
  if (!measure) throw new Error(`--section must be one of ${Object.keys(sections).join(', ')}.`)
  const section = await measure()
  console.log(section)
  if (options.write) writeFileSync(resultsFile, withSection(readFileSync(resultsFile, 'utf8'), section))
  process.exit()
}

const conformance = {}
for (const contestant of contestants) {
  tell(`conformance: ${contestant.name}`)
  conformance[contestant.name] = await conformanceOf(contestant, database)
}

const results = {
  machine: describeMachine(),
  contestants,
  conformance,
  plan: { ...plan, quick },
  compared: await sideBySide(contestants, { database, plan, tell }),
  ...(whole ? await extraSections() : {}),
}

const text = report(results)
console.log(text)
if (options.write || (whole && !quick)) {
  writeFileSync(resultsFile, text)
  writeFileSync(new URL('chart.svg', import.meta.url), chart(contestants, results.compared))
}

async function extraSections() {
  return {
    sizes: await sizes({ plan: extra, tell }),
    operations: await operations({ database, plan: extra, tell }),
    redis: await redis({ database, plan: extra, tell }),
    postgres: await measurePostgres(),
    memory: await memory({ database, requests: memoryRequests, tell }),
    // it takes a minute
    ...(quick ? {} : { dev: await dev({ saves: 20, tell }) }),
  }
}

function measurePostgres() {
  return postgres({ database, plan: { ...extra, connections: plan.connections }, tell })
}

function tell(message) {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${message}`)
}
