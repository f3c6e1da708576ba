/*
 * node bench/load.js CONFIG
 *
 * Sends requests over a fixed number of connections, one at a time on each, and prints what came of it as JSON. CONFIG
 * is JSON: port, pid (of the server), scenario (a name in harness/scenarios.js), keys, connections, warmUpS, durationS
 * or total (a number of requests), and what the scenario takes besides. Plain sockets, because any HTTP client would
 * cost more than the server it measures.
 */
import { connect } from 'node:net'
import { cpuUs } from './harness/machine.js'
import { scenarios } from './harness/scenarios.js'

const config = { connections: 32, warmUpS: 0, durationS: 0, ...JSON.parse(process.argv[2]) }
const { accepts, requests } = scenarios[config.scenario]
const textOf = requests(config)
const stuckMs = 10_000
const maxUs = 1_000_000

let sent = 0
let phase = newPhase(Infinity, 0)

const connections = await Promise.all(Array.from({ length: config.connections }, openConnection))
if (config.warmUpS > 0) await run(config.warmUpS, Infinity)
const before = cpuUs(config.pid)
const ownBefore = process.cpuUsage()
const result = await run(config.durationS || 600, config.total ?? Infinity)
const own = process.cpuUsage(ownBefore)
const after = cpuUs(config.pid)
for (const { socket } of connections) socket.destroy()

const { answered, seconds, statuses, sample } = result
console.log(
  JSON.stringify({
    answered,
    perSecond: answered / seconds,
    cpuUs: before === undefined || after === undefined ? undefined : (after - before) / answered,
    p50Ms: percentile(result, 0.5),
    p99Ms: percentile(result, 0.99),
    loadBusy: (own.user + own.system) / 1e6 / seconds,
    statuses,
    sample,
  }),
)

function newPhase(durationS, total) {
  return {
    ...{ began: performance.now(), endsAt: performance.now() + durationS * 1000, total, started: 0, answered: 0 },
    ...{ histogram: new Uint32Array(maxUs / 10 + 1), statuses: {}, sample: undefined },
  }
}

/** Keeps every connection busy until the time is over or the total is sent, and waits for the last answers. */
async function run(durationS, total) {
  phase = newPhase(durationS, total)
  await Promise.all(connections.map((connection) => connection.work()))
  phase.seconds = (performance.now() - phase.began) / 1000
  return phase
}

async function openConnection() {
  const socket = connect({ host: '127.0.0.1', port: config.port, noDelay: true })
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let sentAt = 0
  let finish
  let rest
  socket.setTimeout(stuckMs, () => fail('A connection got no answer in time.'))
  socket.on('error', (error) => fail(error.message))
  socket.on('close', () => finish && fail('The server closed a connection.'))
  socket.on('data', (chunk) => {
    rest = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    if (isWhole(rest)) answered()
  })

  function send() {
    phase.started++
    sentAt = performance.now()
    socket.write(textOf(sent++), 'latin1')
  }

  function answered() {
    const now = performance.now()
    const status = rest.latin1Slice(9, 12)
    phase.answered++
    phase.histogram[(Math.min(maxUs, (now - sentAt) * 1000) / 10) | 0]++
    phase.statuses[status] = (phase.statuses[status] ?? 0) + 1
    if (!accepts.includes(Number(status))) phase.sample ??= rest.latin1Slice(0, 1000)
    rest = undefined
    if (now < phase.endsAt && phase.started < phase.total) return send()
    const done = finish
    finish = undefined
    done()
  }

  return {
    socket,
    work: () =>
      new Promise((resolve) => {
        if (phase.started >= phase.total) return resolve()
        finish = resolve
        send()
      }),
  }
}

/** Whether an answer is complete: by its Content-Length, or by the last chunk. */
function isWhole(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.latin1Slice(0, end))?.[1]
  if (length !== undefined) return bytes.length >= end + 4 + Number(length)
  return bytes.latin1Slice(bytes.length - 5) === '0\r\n\r\n'
}

function percentile({ histogram, answered }, share) {
  let seen = 0
  for (let index = 0; index < histogram.length; index++) {
    seen += histogram[index]
    if (seen >= answered * share) return (index + 0.5) / 100
  }
  return maxUs / 1000
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
