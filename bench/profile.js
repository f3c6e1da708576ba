/*
 * node bench/profile.js [--before FOLDER] [--seconds N] [--connections N] [SCENARIO...]
 *
 * Prints where the CPU time of a request goes, by file: for the scenarios getPet, listPets and createPet, or those that are
 * named, with 32 connections if nothing else is said. Each sample counts for the innermost file on its stack that is ours or
 * a library's; what has none is Node's own. The sources run as they are, compiled at the start. FOLDER is another working
 * tree of this project, built and with its packages, whose figures stand beside those of this one.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load, stopLoads } from './harness/load.js'
import { table } from './harness/markdown.js'
import { mostConnections, wholeNumber } from './harness/options.js'
import { pause, temporaryFolder } from './harness/processes.js'
import { startServer } from './harness/servers.js'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '32' },
  },
})
const seconds = wholeNumber('seconds', options.seconds, 600)
const connections = wholeNumber('connections', options.connections, mostConnections)
const root = fileURLToPath(new URL('..', import.meta.url))
const trees = options.before === undefined ? { now: root } : { before: resolve(options.before), now: root }
const scenarios = positionals.length > 0 ? positionals : ['getPet', 'listPets', 'createPet']
/** What takes less than this share has no row of its own. */
const least = 0.01
/** How long the code is compiled by requests before it is measured, in s. */
const warmUpS = 5

/** Runs in the server: the first SIGUSR1 begins a profile, the second one writes it to a file. */
const profiler = (file) =>
  `data:text/javascript,${encodeURIComponent(`
  import { Session } from 'node:inspector'
  import { writeFileSync } from 'node:fs'
  const session = new Session()
  session.connect()
  let runs = false
  process.on('SIGUSR1', () => {
    if (runs) session.post('Profiler.stop', (_, { profile }) => writeFileSync(${JSON.stringify(file)}, JSON.stringify(profile)))
    else for (const step of ['enable', 'start']) session.post('Profiler.' + step)
    runs = true
  })
`)}`

const folder = temporaryFolder()
try {
  for (const scenario of scenarios) {
    const found = {}
    for (const [name, tree] of Object.entries(trees)) found[name] = await profileOf(scenario, tree)
    console.log(`## ${scenario}\n\n${described(found)}\n`)
  }
} finally {
  await stopLoads()
}

/** The µs of a request by file. */
async function profileOf(scenario, tree) {
  const file = join(folder, `${scenario}.cpuprofile`)
  const database = await databaseOf(tree)
  const typescript = join(tree, 'node_modules/tsx/dist/loader.mjs')
  const env = { NODE_OPTIONS: [typescript, profiler(file)].map((module) => `--import=${module}`).join(' ') }
  const server = await startServer({ script: join(tree, 'src/main.ts') }, { database, env })
  try {
    const config = { scenario, keys: database.keys.load, connections }
    await load(server, { ...config, durationS: warmUpS })
    process.kill(server.pid, 'SIGUSR1')
    await pause(500)
    const { cpuUs } = await load(server, { ...config, durationS: seconds })
    process.kill(server.pid, 'SIGUSR1')
    await pause(2000)
    return { cpuUs, shares: sharesOf(JSON.parse(readFileSync(file, 'utf8')), tree) }
  } finally {
    await server.stop()
  }
}

/** A database as the tree has it, whose schema may be another one. */
async function databaseOf(tree) {
  const { seedDatabase } = await import(join(tree, 'bench/harness/database.js'))
  return seedDatabase(join(temporaryFolder(), 'template.db'), 1000)
}

/** The share of each file of the time in which the process was busy. */
function sharesOf({ nodes, samples, timeDeltas }, tree) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map()
  let total = 0
  for (const [index, sample] of samples.entries()) {
    const name = fileOf(sample, frames, parents, tree)
    if (name === undefined) continue
    times.set(name, (times.get(name) ?? 0) + timeDeltas[index])
    total += timeDeltas[index]
  }
  return new Map(Array.from(times, ([name, time]) => [name, time / total]))
}

/** Undefined when the process waited. */
function fileOf(sample, frames, parents, tree) {
  const { functionName } = frames.get(sample)
  if (functionName === '(idle)') return undefined
  if (functionName === '(garbage collector)') return 'garbage collection'
  for (let at = sample; at !== undefined; at = parents.get(at)) {
    const { url } = frames.get(at)
    const path = url.startsWith('file:') ? fileURLToPath(url) : url
    const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
    if (library) return library
    if (path.startsWith(tree)) return path.slice(tree.length).replace(/^\//, '')
  }
  return 'Node.js itself'
}

function described(found) {
  const columns = Object.entries(found)
  const shareOf = ({ shares }, file) => shares.get(file) ?? 0
  const files = [...new Set(columns.flatMap(([, { shares }]) => [...shares.keys()]))]
    .filter((file) => columns.some(([, one]) => shareOf(one, file) >= least))
    .toSorted((a, b) => shareOf(found.now, b) - shareOf(found.now, a))
  const cell = (one, share) => `${(share * one.cpuUs).toFixed(1)} µs (${(share * 100).toFixed(0)} %)`
  const rest = (one) => 1 - files.reduce((sum, file) => sum + shareOf(one, file), 0)
  return table(
    ['File or package', ...columns.map(([name]) => name)],
    [
      ...files.map((file) => [file, ...columns.map(([, one]) => cell(one, shareOf(one, file)))]),
      ['all others', ...columns.map(([, one]) => cell(one, rest(one)))],
      ['a request', ...columns.map(([, { cpuUs }]) => `${cpuUs.toFixed(1)} µs`)],
    ],
  )
}
