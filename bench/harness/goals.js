import { contestants } from './contestants.js'
import { scenarioNames } from '../sections/side-by-side.js'

/**
 * The goals of the service's speed and memory, each with what was measured. `share` is the measured part of what was
 * wanted: 1 or more when the goal is met; undefined when it was not measured.
 */
export function goals({ compared, sizes, operations, redis, memory, dev }) {
  return [
    ...(compared ? [...againstPeers(compared), ...againstByHand(compared)] : []),
    ...(operations ? manyOperations(operations) : []),
    ...(sizes ? [manyAnimals(sizes)] : []),
    ...(redis ? [atMost('round trips to Redis per request', 1, Math.round(redis.trips * 10) / 10, ratio)] : []),
    ...(memory ? flatMemory(memory) : []),
    ...(compared ? coldStart(compared) : []),
    ...(dev ? [slowestVerdict(dev)] : []),
  ]
}

/** What became of a goal, in words. */
export function verdict({ share }) {
  if (share === undefined) return 'not measured'
  return share >= 1 ? 'met' : `missed by ${Math.max(1, Math.round((1 - share) * 100))} %`
}

const wantedOfPeers = { getPet: 1.5, listPets: 1.4, createPet: 3 }

function againstPeers(compared) {
  return scenarioNames.map((scenario) => {
    const [fastest] = peersIn(compared).toSorted(
      (a, b) => compared[b.name][scenario].perSecond.max - compared[a.name][scenario].perSecond.max,
    )
    const title = fastest ? ` (${fastest.title})` : ''
    return atLeast(
      `${scenario}: requests/s against the fastest peer${title}`,
      wantedOfPeers[scenario],
      rateRatio(compared, scenario, fastest?.name),
    )
  })
}

function againstByHand(compared) {
  return scenarioNames.map((scenario) =>
    atLeast(`${scenario}: requests/s against node:http by hand`, 1, rateRatio(compared, scenario, 'node-http')),
  )
}

function manyOperations([few, many]) {
  return [
    atMost(`${many.title}: cost of a request against ${few.title}`, 1.1, costRatio(many, few), ratio),
    atMost(`${many.title}: time to be ready`, 1000, many.readyMs.min, milliseconds),
  ]
}

function manyAnimals(rows) {
  const ratios = rows.map(({ page, sizes: [few, many] }) => ({ page, value: costRatio(many, few) }))
  const [worst] = ratios.toSorted((a, b) => b.value - a.value)
  return atMost(
    `1 000 000 animals: cost of a page against 1000 animals (worst: ${worst.page})`,
    1.1,
    worst.value,
    ratio,
  )
}

function flatMemory({ requests, residentMb }) {
  const half = residentMb[residentMb.length / 2 - 1]
  const last = residentMb.at(-1)
  const what = `memory after ${requests} requests of many callers`
  return [
    atMost(what, 150, last, (value) => `${value.toFixed(0)} MB`),
    atMost(`${what}, against that after half of them`, 1.05, last === undefined ? undefined : last / half, ratio),
  ]
}

function coldStart(compared) {
  const own = compared.ours?.readyMs.min
  const peers = peersIn(compared)
    .map(({ name }) => compared[name].readyMs.min)
    .toSorted((a, b) => a - b)
  const slowHalf = peers[Math.floor(peers.length / 2)]
  return [
    atMost('cold start to the first answer', 600, own, milliseconds),
    ...(slowHalf
      ? [atMost('cold start, not later than the slower half of the peers', slowHalf, own, milliseconds)]
      : []),
  ]
}

function slowestVerdict({ rows }) {
  const slowest = Math.max(...rows.map(({ verdictMs }) => verdictMs.max))
  return atMost('npm run dev: from a save to its verdict (the slowest)', 2000, slowest, milliseconds)
}

function peersIn(compared) {
  return contestants.filter(({ name, role }) => role === 'peer' && compared[name])
}

function rateRatio(compared, scenario, other) {
  if (!compared.ours || !compared[other]) return undefined
  return compared.ours[scenario].perSecond.max / compared[other][scenario].perSecond.max
}

/** By CPU time where it is known, since that is disturbed least, else by the rate. */
function costRatio(one, other) {
  if (one.cpuUs && other.cpuUs) return one.cpuUs.min / other.cpuUs.min
  return other.perSecond.max / one.perSecond.max
}

function atLeast(what, target, value) {
  const share = value === undefined ? undefined : value / target
  return { what, target: `at least ${ratio(target)}`, measured: value === undefined ? '–' : ratio(value), share }
}

function atMost(what, target, value, show) {
  const share = value === undefined ? undefined : target / value
  return { what, target: `at most ${show(target)}`, measured: value === undefined ? '–' : show(value), share }
}

function ratio(value) {
  return `${value.toFixed(2)} ×`
}

function milliseconds(value) {
  return `${value.toFixed(0)} ms`
}
