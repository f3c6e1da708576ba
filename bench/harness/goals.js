import { scenarioNames, scenarios } from '../sections/side-by-side.js'
import { worstOf } from '../sections/sizes.js'
import { sampledTimes } from '../sections/tracing.js'
import { contestant, contestants } from './contestants.js'
import { costOf, rowOf, timesOf } from './statistics.js'

/** What is wanted. Ratios are of the CPU time of a request, as the medians of those within the rounds. */
const wanted = {
  fastestPeer: { getPet: 1.3, listPets: 1.4, createPet: 4 },
  byHand: 1,
  /** From here on; at fewer connections `fewConnections` of the fastest peer. */
  manyConnections: 32,
  fewConnections: 1.05,
  p99OfPeer: 1,
  /** What Go takes where Fastify's getPet takes 40 µs. */
  stretchUs: { getPet: 27, listPets: 60, createPet: 38, ofFastify: 40 },
  /**
   * CPU time in times of that on SQLite; requests/s as a part of those on SQLite, three times the 0.16 that they were
   * while each request travelled alone; statements and commands for a request.
   */
  postgres: { cost: 1.7, rate: 3 * 0.16, perRequest: 1 },
  redisUs: 15,
  manyOperations: { cost: 1.1, readyMs: 600 },
  manyAnimals: 1.1,
  tracing: 1.05,
  memory: { mb: 150, growth: 1.05, idleMb: 250 },
  coldStartMs: 400,
  verdictMs: 2000,
  /** Of a contract of 12 MB, in s, and of the schemas that name the next one twice. */
  contracts: { lint: 30, diff: 20, compile: 5, doubling: 3, doublingMb: 300 },
}

/**
 * The goals of the service's speed and memory, each with what was measured, of the sections that were. `share` is the
 * measured part of what was wanted: 1 or more when the goal is met. Where the runs do not agree there are `shares`, that
 * of each run.
 */
export function goals(results) {
  return [
    ...of(results['side-by-side'], (measured) => [...sideBySide(measured.rows), ...coldStart(measured.servers)]),
    ...of(results.postgres, ({ rows }) => onPostgres(rows)),
    ...of(results.redis, ({ rows }) => onRedis(rows)),
    ...of(results.operations, manyOperations),
    ...of(results.sizes, ({ rows }) => manyAnimals(rows)),
    ...of(results.tracing, ({ rows }) => sampledTracing(rows)),
    ...of(results.memory, flatMemory),
    ...of(results.dev, ({ rows }) => slowestVerdict(rows)),
    ...of(results.contracts, ({ rows }) => largeContracts(rows)),
  ]
}

/** What became of a goal, in words: of each run, where the runs do not agree. */
export function verdict({ share, shares }) {
  if (shares) return oneVerdict(shares)
  return share >= 1 ? 'met' : `missed by ${Math.max(1, Math.round((1 - share) * 100))} %`
}

function oneVerdict(shares) {
  const met = shares.filter((share) => share >= 1).length
  if (met === shares.length) return 'met by each run'
  return met === 0 ? 'missed by each run' : 'not shown: the runs differ'
}

function of(measured, give) {
  return measured ? give(measured) : []
}

function sideBySide(rows) {
  const all = scenarioNames.flatMap((scenario) =>
    scenarios[scenario].connections.map((connections) => ({ scenario, connections })),
  )
  const many = all.filter(({ connections }) => connections >= wanted.manyConnections)
  const few = all.filter(({ connections }) => connections < wanted.manyConnections)
  return [
    ...many.flatMap((cell) => againstFastest(rows, cell, wanted.fastestPeer[cell.scenario])),
    ...few.flatMap((cell) => againstFastest(rows, cell, wanted.fewConnections)),
    // at one connection nothing can be shared
    ...all
      .filter(({ connections }) => connections > 1)
      .flatMap((cell) => against(rows, cell, 'node-http', wanted.byHand)),
    ...many.flatMap((cell) => p99(rows, cell)),
    ...scenarioNames.flatMap((scenario) => stretch(rows, { scenario, connections: 32 })),
  ]
}

function againstFastest(rows, cell, least) {
  const fastest = fastestPeer(rows, cell)
  return fastest ? against(rows, cell, fastest.contestant, least, 'the fastest peer, ') : []
}

function fastestPeer(rows, cell) {
  const peers = rows.filter((row) => matches(row, cell) && roleOf(row) === 'peer')
  return peers.toSorted((a, b) => timesOf(a).median - timesOf(b).median)[0]
}

function against(rows, cell, name, least, by = '') {
  return compared(rows, cell, name, (_, other) =>
    atLeast(`${told(cell)}: against ${by}${contestant(name).title}`, least, shown(timesOf(other)), times),
  )
}

function p99(rows, cell) {
  const fastest = fastestPeer(rows, cell)
  if (!fastest) return []
  const what = `${told(cell)}: p99 against that of ${contestant(fastest.contestant).title}`
  return [atMost(what, wanted.p99OfPeer, inverse(shown(fastest.times.p99Ms)), times)]
}

/** A ratio that may be published; that of each run, where the runs do not agree. */
function shown({ median, runs, agree }) {
  return agree ? median : runs
}

function inverse(values) {
  return Array.isArray(values) ? values.map((value) => 1 / value) : 1 / values
}

/** On another machine than Go was measured on, so in parts of what Fastify takes on both. */
function stretch(rows, cell) {
  const fastify = rowOf(rows, { ...cell, scenario: 'getPet', contestant: 'fastify' })
  if (!fastify) return []
  return compared(rows, cell, 'ours', (own) => {
    const us = (costOf(own) / costOf(fastify)) * wanted.stretchUs.ofFastify
    const what = `${told(cell)}: stretch, Go's speed, where Fastify's getPet takes ${wanted.stretchUs.ofFastify} µs`
    return atMost(what, wanted.stretchUs[cell.scenario], us, microseconds)
  })
}

/** A goal of this service and another, when both were measured. */
function compared(rows, cell, name, goal) {
  const [own, other] = ['ours', name].map((one) => rowOf(rows, { ...cell, contestant: one }))
  return own && other ? [goal(own, other)] : []
}

function coldStart({ ours }) {
  return ours ? [atMost('cold start to the first answer', wanted.coldStartMs, ours.readyMs.median, milliseconds)] : []
}

function onPostgres(rows) {
  const gets = rows.filter(({ scenario, store }) => scenario === 'getPet' && store === 'postgres')
  const row = rowOf(gets, { connections: 32 })
  const where = 'getPet on PostgreSQL and Redis'
  return [
    atMost(`${where}, 32: CPU of the service against SQLite`, wanted.postgres.cost, shown(timesOf(row)), times),
    atLeast(`${where}, 32: requests/s against SQLite`, wanted.postgres.rate, shown(row.times.perSecond), times),
    ...['statements', 'commands'].map((each) => {
      const most = Math.max(...gets.map((one) => one[each].median))
      // keys are looked up once a second, and count as nothing
      return atMost(`${where}: ${each} for a request`, wanted.postgres.perRequest, Math.round(most * 10) / 10, decimal)
    }),
  ]
}

function onRedis(rows) {
  const [embedded, shared] = ['in the process', 'in Redis'].map((counted) => rowOf(rows, { counted, connections: 32 }))
  return [atMost('Redis on SQLite, 32: more CPU', wanted.redisUs, costOf(shared) - costOf(embedded), microseconds)]
}

function manyOperations({ rows: [, many], servers }) {
  const ready = servers[many.contract].readyMs.median
  return [
    atMost(`${many.contract}: CPU against 3 operations`, wanted.manyOperations.cost, shown(timesOf(many)), times),
    atMost(`${many.contract}: time to be ready`, wanted.manyOperations.readyMs, ready, milliseconds),
  ]
}

function manyAnimals(rows) {
  const worst = worstOf(rows)
  const what = `1 000 000 animals: CPU against 1000 (worst: ${worst.request})`
  return [atMost(what, wanted.manyAnimals, worst.ratio, times)]
}

function sampledTracing(rows) {
  return [atMost('getPet, 1 % traced: CPU against no tracing', wanted.tracing, shown(sampledTimes(rows)), times)]
}

function flatMemory({ requests, residentMb, idle }) {
  const half = residentMb[residentMb.length / 2 - 1]
  const last = residentMb.at(-1)
  if (last === undefined) return []
  const what = `memory after ${requests} requests of many callers`
  const withIdle = `memory with ${idle.connections} idle connections`
  return [
    atMost(what, wanted.memory.mb, last, megabytes),
    atMost(`${what}, against that after half of them`, wanted.memory.growth, last / half, times),
    atMost(withIdle, wanted.memory.idleMb, idle.laterMb, megabytes),
    atMost(`${withIdle}, against that when all were answered`, wanted.memory.growth, idle.laterMb / idle.openMb, times),
  ]
}

function slowestVerdict(rows) {
  const slowest = Math.max(...rows.map(({ verdictMs }) => verdictMs.max))
  return [atMost('npm run dev: from a save to its verdict (the slowest)', wanted.verdictMs, slowest, milliseconds)]
}

function largeContracts(rows) {
  const { what, mb } = rowOf(rows, { name: 'doubling' })
  return [
    ...rows.map(({ name, what, seconds }) => atMost(what, wanted.contracts[name], seconds, inSeconds)),
    atMost(`${what}: memory`, wanted.contracts.doublingMb, mb, megabytes),
  ]
}

function roleOf(row) {
  return contestants.find(({ name }) => name === row.contestant).role
}

function matches(row, { scenario, connections }) {
  return row.scenario === scenario && row.connections === connections
}

function told({ scenario, connections }) {
  return `${scenario}, ${connections}`
}

function atLeast(what, target, measured, show) {
  return judged(what, `at least ${show(target)}`, measured, show, (value) => value / target)
}

function atMost(what, target, measured, show) {
  return judged(what, `at most ${show(target)}`, measured, show, (value) => (value === 0 ? 1 : target / value))
}

function judged(what, target, measured, show, shareOf) {
  if (!Array.isArray(measured)) return { what, target, measured: show(measured), share: shareOf(measured) }
  return { what, target, measured: measured.map(show).join(', '), shares: measured.map(shareOf) }
}

function times(value) {
  return `${value.toFixed(2)} ×`
}

function decimal(value) {
  return value.toFixed(1)
}

function microseconds(value) {
  return `${value.toFixed(1)} µs`
}

function inSeconds(value) {
  return `${value.toFixed(1)} s`
}

function milliseconds(value) {
  return `${value.toFixed(0)} ms`
}

function megabytes(value) {
  return `${value.toFixed(0)} MB`
}
