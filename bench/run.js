/*
 * npm run bench [-- OPTIONS], or node bench/run.js [OPTIONS] when everything is built and installed
 *
 *   --quick         a few minutes instead of some hours
 *   --section a,b   these sections alone: side-by-side, mixed, sizes, operations, verbs, redis, postgres, levels,
 *                   tracing, memory, dev, contracts, workshop
 *   --only a,b      these contestants (the names in harness/contestants.js)
 *   --rounds N      how often everything is measured
 *   --runs N        how often all rounds of a section are repeated: 3, and 1 with --quick
 *   --tools FOLDER  measure the section workshop too, beside the tools of others: Redocly, of the packages of the project,
 *                   and those in node_modules/.bin and bin of FOLDER and in the PATH, such as after
 *                   npm install --prefix FOLDER @stoplight/spectral-cli @stoplight/prism-cli
 *                   GOBIN=FOLDER/bin go install github.com/oasdiff/oasdiff@latest
 *   --contracts a,b the files that it works on: openapi.yaml, if nothing else is said
 *   --write         write bench/results.json, and from it bench/results.md, bench/chart.svg and the tables in README.md and
 *                   docs/operating.md; sections that were not measured stay as they are there. A full run writes by
 *                   itself
 *
 * Measures this service and its peers side by side, and prints the results, those of each processor and of each major
 * version of Node apart: `npm run test:node -- 24 --script bench` runs it on another Node, in a copy. A run in which the
 * machine was not quiet is repeated when its results are to be written, and a section without enough quiet runs is not
 * written.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chosen, contestants as all } from './harness/contestants.js'
import { seedDatabase } from './harness/database.js'
import { writeDocuments } from './harness/documents.js'
import { stopLoads } from './harness/load.js'
import { describeMachine } from './harness/machine.js'
import { wholeNumber } from './harness/options.js'
import { temporaryFolder } from './harness/processes.js'
import { repeated } from './harness/repeated.js'
import { report } from './harness/report.js'
import { keptOf, linesOf, nameOf } from './harness/results.js'
import { sections } from './sections/all.js'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    section: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    runs: { type: 'string' },
    tools: { type: 'string' },
    contracts: { type: 'string', default: fileURLToPath(new URL('../openapi.yaml', import.meta.url)) },
    write: { type: 'boolean', default: false },
  },
})

const { quick } = options
const rounds = wholeNumber('rounds', options.rounds ?? (quick ? 5 : 40), 100)
const runs = wholeNumber('runs', options.runs ?? (quick ? 1 : 3), 100)
const plan = {
  ...{ rounds, runs, warmUpS: 0.05, durationS: 0.25 },
  ...(quick
    ? { roundsPerStart: 5, firstWarmUpS: 0.4, memoryRequests: 100_000, saves: 4 }
    : // of two processes of one program one may take 10 % more, as the engine compiled it, so there are many of them
      { roundsPerStart: 2, firstWarmUpS: 1, memoryRequests: 1_000_000, saves: 20 }),
}

const names = options.section?.split(',') ?? Object.keys(sections)
for (const name of names) {
  if (!sections[name]) throw new Error(`There is no section ${name}; there are ${Object.keys(sections).join(', ')}.`)
}
const isWhole = names.length === Object.keys(sections).length
const contestants = chosen(options.only)
const writes = options.write || (!quick && isWhole && contestants === all)
if (writes && contestants !== all) throw new Error('--write needs all contestants.')

const resultsFile = new URL('results.json', import.meta.url)
const machine = describeMachine()
const set = nameOf(machine)
/** What another processor or another Node gave stays as it is. */
const sets = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {}
const kept = writes ? keptOf(sets[set], { machine, isWhole }) : {}

const databases = new Map()
const { tools, contracts: files } = options
const context = { contestants, plan, databaseOf, tools, contracts: files.split(',') }
const measured = {}
const disturbed = []
for (const name of names) {
  const measure = (tell) => sections[name].measure({ ...context, tell })
  const all = await repeated(name, { runs, writes, tell, measure })
  if (all === undefined) tell(`${name}: left out, since PostgreSQL, redis-server or --tools is missing`)
  else if (all.length === 0) disturbed.push(name)
  else measured[name] = { date: new Date().toISOString().slice(0, 10), plan, runs: all }
}
await stopLoads()

const results = { ...sets, [set]: { ...kept, ...measured, machine } }
const isWritten = writes && Object.keys(measured).length > 0
// first, so that a fault in what is made of it does not lose what took an hour
if (isWritten) writeFileSync(resultsFile, linesOf(results))
console.log(report(writes ? results : { [set]: results[set] }, sections, context))
if (disturbed.length > 0) {
  console.error(
    `Not written, since the machine was not quiet: ${disturbed.join(', ')}. Measure again when nothing else runs on it.`,
  )
  process.exitCode = 1
}
if (isWritten) writeDocuments(results)

/** A database with so many animals, made when it is first asked for. */
function databaseOf(count) {
  if (!databases.has(count)) databases.set(count, seedDatabase(join(temporaryFolder(), 'template.db'), count))
  return databases.get(count)
}

function tell(message) {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${message}`)
}
