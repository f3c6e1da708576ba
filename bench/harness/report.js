import { readFileSync } from 'node:fs'
import { scenarioNames } from '../sections/side-by-side.js'
import { goals, verdict } from './goals.js'

/** The results as Markdown. Sections that did not run are left out. */
export function report(results) {
  const { machine, contestants, compared, conformance, plan } = results
  const rounds = `${plan.rounds} rounds of ${plan.durationS} s for each scenario, ${plan.connections} connections`
  const parts = [
    '# Side by side',
    `${plan.quick ? 'A quick run' : 'A full run'} of \`npm run bench\`: ${rounds}. Speeds are those of the quietest round, ` +
      'with the median in parentheses: what else a machine does only ever slows a round down. Memory is the median, with the ' +
      'lowest and the highest. A ratio is this service divided by the other.',
    table(['', ''], Object.entries(machine)),
    '## Goals',
    table(
      ['What', 'Target', 'Measured', ''],
      goals(results).map((goal) => [goal.what, goal.target, goal.measured, verdict(goal)]),
    ),
    'For each goal that is missed, [decisions](../docs/decisions.md#goals-that-are-missed) says what was tried.',
    ...scenarioNames.flatMap((name) => [`## ${headings[name]}`, scenarioTable(name, contestants, compared)]),
    '## Memory and cold start',
    'Resident memory after a run; time from starting the process to its first 200.',
    table(
      ['', 'Memory, MB', 'Cold start, ms'],
      contestants.map(({ name, title }) => [
        title,
        spread(compared[name].residentMb, 0),
        cost(compared[name].readyMs, 0),
      ]),
    ),
    ...extraSections(results),
    '## What each leaves out',
    'All were first asked for the same answers. Parts of the contract that the comparison leaves out:',
    table(
      ['', 'Lacks of what is compared', 'Leaves out besides'],
      contestants.map(({ name, title }) => [
        title,
        list(conformance[name].needed.map(({ what, fault }) => `${what} (${fault})`)),
        list(conformance[name].more.map(({ what }) => what)),
      ]),
    ),
    '## Versions',
    'All keep API keys for a second, as this service does, and write to SQLite with `journal_mode=WAL` and ' +
      '`synchronous=FULL`. The peers commit each creation by itself, as their users would; this service and the one by hand ' +
      'let those that arrive together share a commit.',
    table(
      ['', ''],
      contestants
        .map(({ title, packages }) => [title, packages.map(packageVersion).join(', ')])
        .filter(([, all]) => all),
    ),
  ]
  return `${parts.join('\n\n')}\n`
}

const headings = {
  getPet: 'getPet: one animal',
  listPets: 'listPets: 20 of 1000 animals',
  createPet: 'createPet: one animal, on disk',
}

function scenarioTable(scenario, contestants, compared) {
  const own = compared.ours?.[scenario].perSecond.max
  return table(
    ['', 'Requests/s', 'Ratio', 'CPU, µs per request', 'p50, ms', 'p99, ms'],
    contestants.map(({ name, title }) => {
      const { perSecond, cpuUs, p50Ms, p99Ms, loadBusy } = compared[name][scenario]
      const bound = loadBusy.max > 0.95 ? ' (bound by the load)' : ''
      return [
        title,
        rate(perSecond) + bound,
        own === undefined ? '–' : (own / perSecond.max).toFixed(2),
        cost(cpuUs, 0),
        cost(p50Ms, 2),
        cost(p99Ms, 2),
      ]
    }),
  )
}

function extraSections({ sizes, operations, redis, postgres, memory, dev }) {
  return [
    ...(sizes ? ['## 1000 and 1 000 000 animals', sizeTable(sizes)] : []),
    ...(operations
      ? [
          '## 3 and 200 operations',
          table(
            ['getPet', 'Requests/s', 'CPU, µs per request', 'Ready after, ms'],
            operations.map((row) => [row.title, rate(row.perSecond), cost(row.cpuUs, 0), cost(row.readyMs, 0)]),
          ),
        ]
      : []),
    ...(redis ? redisSection(redis) : []),
    ...(postgres ? [postgresSection(postgres)] : []),
    ...(memory ? memorySection(memory) : []),
    ...(dev ? [devSection(dev)] : []),
  ]
}

function sizeTable(rows) {
  return table(
    ['listPets', ...rows[0].sizes.flatMap(({ count }) => [`${count} animals, requests/s`, 'CPU, µs'])],
    rows.map(({ page, sizes }) => [page, ...sizes.flatMap((size) => [rate(size.perSecond), cost(size.cpuUs, 0)])]),
  )
}

function redisSection({ rows, trips, scripts }) {
  return [
    '## Counts in the process and in Redis',
    `For one request after another, Redis read ${trips.toFixed(2)} times from its connections per request, and ran ` +
      `${scripts.toFixed(2)} scripts.`,
    table(
      ['getPet', 'Requests/s', 'CPU, µs per request', 'p99, ms'],
      rows.map(({ title, perSecond, cpuUs, p99Ms }) => [title, rate(perSecond), cost(cpuUs, 0), cost(p99Ms, 2)]),
    ),
  ]
}

/** The part of the results that tells of PostgreSQL and Redis, which can be measured without the others. */
export function postgresSection({ date, plan, rows, residentMb }) {
  return [
    '## One and two processes on PostgreSQL and Redis',
    `Measured on ${date} by \`npm run bench -- --section postgres\`: ${plan.rounds} rounds of ${plan.durationS} s, ` +
      `${plan.connections} connections in all. The load, both servers and the processes share the cores, so a second process adds ` +
      'little here; what a request costs each of them is the figure to count with. PostgreSQL runs with `fsync=on`. Resident ' +
      `memory of a process: ${spread(residentMb, 0)} MB.`,
    table(
      [...['', 'Processes', 'Requests/s', 'CPU, µs per request', 'of PostgreSQL', 'of Redis', 'p50, ms', 'p99, ms']],
      rows.map((row) => [
        row.scenario,
        String(row.processes),
        rate(row.perSecond),
        cost(row.cpuUs, 0),
        cost(row.postgresCpuUs, 0),
        cost(row.redisCpuUs, 0),
        cost(row.p50Ms, 2),
        cost(row.p99Ms, 2),
      ]),
    ),
  ].join('\n\n')
}

/** The part of the results that tells of `npm run dev`, which can be measured without the others. */
export function devSection({ date, saves, serviceMs, verdictMs, rows }) {
  return [
    '## From a save to its verdict',
    `Measured on ${date} by \`npm run bench -- --section dev\`: ${saves} saves in a copy of the project under \`npm run dev\`. ` +
      `From its start, the service answers after ${serviceMs.toFixed(0)} ms and the first verdict is there after ` +
      `${verdictMs.toFixed(0)} ms. The medians of the saves, with the lowest and the highest:`,
    table(
      ['From the save of', 'to the verdict, ms', 'to the new service, ms'],
      rows.map((row) => [row.title, spread(row.verdictMs, 0), spread(row.serviceMs, 0)]),
    ),
  ].join('\n\n')
}

/** The results with this section in the place of the one with its heading, or before what the peers leave out. */
export function withSection(text, section) {
  const parts = text.split(/^(?=## )/m)
  const headingOf = (part) => part.split('\n', 1)[0]
  const place = parts.findIndex((part) => headingOf(part) === headingOf(section))
  const rest = parts.findIndex((part) => part.startsWith('## What each leaves out'))
  return parts.toSpliced(place < 0 ? rest : place, place < 0 ? 0 : 1, `${section}\n\n`).join('')
}

function memorySection({ requests, startMb, residentMb, statuses }) {
  const answers = Object.entries(statuses)
    .map(([status, count]) => `${count} times ${status}`)
    .join(', ')
  return [
    '## Memory under many callers',
    `${requests} requests behind a proxy, nine of ten without a key, from up to 100 000 addresses: ${answers}. Resident memory in ` +
      'MB at the start and after each tenth:',
    table(
      ['start', ...residentMb.map((_, index) => `${(index + 1) * 10} %`)],
      [[startMb, ...residentMb].map((value) => value?.toFixed(0) ?? '–')],
    ),
  ]
}

/** Of the quietest round, which is the fastest, and the median. */
function rate(summary) {
  return summary ? `${summary.max.toFixed(0)} (${summary.median.toFixed(0)})` : '–'
}

/** Of the quietest round, which is the cheapest, and the median. */
function cost(summary, digits) {
  return summary ? `${summary.min.toFixed(digits)} (${summary.median.toFixed(digits)})` : '–'
}

function spread(summary, digits) {
  if (!summary) return '–'
  const [median, min, max] = [summary.median, summary.min, summary.max].map((value) => value.toFixed(digits))
  return `${median} (${min}–${max})`
}

function list(items) {
  return items.length === 0 ? 'nothing' : items.join('; ')
}

function table(head, rows) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function packageVersion(name) {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`
}
