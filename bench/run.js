/*
 * npm run bench [-- OPTIONS], or node bench/run.js [OPTIONS] when everything is built and installed
 *
 *   --quick         three minutes instead of about twenty
 *   --section a,b   these sections alone: side-by-side, mixed, sizes, operations, verbs, redis, postgres, memory,
 *                   dev, contracts
 *   --only a,b      these contestants (the names in harness/contestants.js)
 *   --rounds N      how often everything is measured
 *   --write         write bench/results.json, and bench/results.md and bench/chart.svg from it; sections that were not
 *                   measured stay as they are there. A full run writes by itself
 *
 * Measures this service and its peers side by side, and prints the results.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chart } from './harness/chart.js'
import { chosen, contestants as all } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { stopLoads } from './harness/load.js'
import { describeMachine } from './harness/machine.js'
import { temporaryFolder } from './harness/processes.js'
import { report } from './harness/report.js'
import * as contracts from './sections/contracts.js'
import * as dev from './sections/dev.js'
import * as memory from './sections/memory.js'
import * as mixed from './sections/mixed.js'
import * as operations from './sections/operations.js'
import * as postgres from './sections/postgres.js'
import * as redis from './sections/redis.js'
import * as sideBySide from './sections/side-by-side.js'
import * as sizes from './sections/sizes.js'
import * as verbs from './sections/verbs.js'

/** Each gives `measure(context)`, undefined where a program is not installed, and `report(measured, context)`. */
const sections = {
  'side-by-side': sideBySide,
  mixed,
  sizes,
  operations,
  verbs,
  redis,
  postgres,
  memory,
  dev,
  contracts,
}

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    section: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})

const { quick } = options
const rounds = options.rounds === undefined ? (quick ? 2 : 12) : Number(options.rounds)
if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= 100)) throw new Error('--rounds must be from 1 to 100.')
const plan = quick
  ? { rounds, roundsPerStart: 2, warmUpS: 0.05, durationS: 0.25, firstWarmUpS: 0.4, memoryRequests: 100_000, saves: 4 }
  : { rounds, roundsPerStart: 3, warmUpS: 0.15, durationS: 0.5, firstWarmUpS: 1, memoryRequests: 1_000_000, saves: 20 }

const names = options.section?.split(',') ?? Object.keys(sections)
for (const name of names) {
  if (!sections[name]) throw new Error(`There is no section ${name}; there are ${Object.keys(sections).join(', ')}.`)
}
const contestants = chosen(options.only)
const writes = options.write || (!quick && names.length === Object.keys(sections).length && contestants === all)
if (writes && contestants !== all) throw new Error('--write needs all contestants.')

const resultsFile = new URL('results.json', import.meta.url)
const machine = describeMachine()
const results = { machine, ...(writes && names.length < Object.keys(sections).length ? earlier() : {}) }

const databases = new Map()
const context = { contestants, plan, databaseOf, tell }
for (const name of names) {
  tell(name)
  const measured = await sections[name].measure({ ...context, tell: (message) => tell(`${name}: ${message}`) })
  if (measured === undefined) tell(`${name}: left out, since PostgreSQL or redis-server is not installed`)
  else results[name] = { date: new Date().toISOString().slice(0, 10), plan, ...measured }
}
await stopLoads()

const text = report(results, sections, context)
console.log(text)
if (writes) {
  writeFileSync(resultsFile, linesOf(results))
  writeFileSync(new URL('results.md', import.meta.url), text)
  writeFileSync(new URL('chart.svg', import.meta.url), chart(contestants, results['side-by-side'].rows))
}

/** What was measured before, which must have been on this machine. */
function earlier() {
  if (!existsSync(resultsFile)) throw new Error('There are no results to write a section into: run all sections.')
  const before = JSON.parse(readFileSync(resultsFile, 'utf8'))
  for (const what of ['Processor', 'Node.js']) {
    if (before.machine[what] !== machine[what]) throw new Error(`The results are of another ${what}: run all sections.`)
  }
  return before
}

/** JSON with a line for each section. */
function linesOf(values) {
  const lines = Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

/** A database with so many animals, made when it is first asked for. */
function databaseOf(count) {
  if (!databases.has(count)) databases.set(count, seedDatabase(join(temporaryFolder(), 'template.db'), count))
  return databases.get(count)
}

function tell(message) {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${message}`)
}
