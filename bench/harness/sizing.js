import { table } from './markdown.js'
import { rowOf } from './statistics.js'
import { scenarioNames } from '../sections/side-by-side.js'

/** The rates that the plan is for, and the parts of them. */
const rates = [1000, 10_000, 100_000, 1_000_000]
const mix = { getPet: 0.7, listPets: 0.25, createPet: 0.05 }
/** How busy a processor may be. */
const busy = 0.6
/** The cores of a large server for PostgreSQL. */
const largeServer = 32

/** What docs/operating.md says of sizes. `of` gives what the runs of a section say together. */
export function sizing(of) {
  const figures = figuresOf(of)
  return { sizing: sizingTable(figures), plan: planTable(figures) }
}

function figuresOf(of) {
  const { rows, servers } = of('postgres')
  const levels = of('levels')?.rows
  const on = (scenario, store) => rowOf(rows, { scenario, store, connections: 32 })
  const alone = (scenario) => rowOf(of('side-by-side').rows, { scenario, contestant: 'ours', connections: 32 })
  const each = (give) => Object.fromEntries(scenarioNames.map((name) => [name, give(name)]))
  const cost = (row, what = 'cpuUs') => row[what].median
  return {
    alone: each((name) => cost(alone(name))),
    process: each((name) => cost(on(name, 'postgres'))),
    postgres: each((name) => cost(on(name, 'postgres'), 'postgresCpuUs')),
    redis: each((name) => cost(on(name, 'postgres'), 'redisCpuUs')),
    creates: [on('createPet', 'postgres'), on('createPet', 'both')].map(({ perSecond }) => perSecond.median),
    residentMb: servers.postgres.residentMb.median,
    // by store and level, how many times as much as at full load
    levels: levels && [60, 30, 10].map((level) => [level, levelOf(levels, level)]),
  }
}

function levelOf(rows, level) {
  return Object.fromEntries(
    scenarioNames.map((scenario) => [
      scenario,
      rowOf(rows, { scenario, store: 'postgres', level }).times.costUs.median,
    ]),
  )
}

function sizingTable({ alone, process, postgres, redis, creates, residentMb, levels }) {
  const perCore = (costs) => listed(costs, (us) => number(1e6 / us))
  const section = (name) => `\`npm run bench -- --section ${name}\``
  return table(
    ['What', 'Measured', 'Printed by'],
    [
      ['Requests per second per core of the processes, on PostgreSQL and Redis', perCore(process), section('postgres')],
      ...(levels ?? []).map(([level, times]) => [
        `Cost of a request at ${level} % of full load, in times of that at full load`,
        listed(times, (one) => one.toFixed(2)),
        section('levels'),
      ]),
      ['Requests per second per core of PostgreSQL', perCore(postgres), section('postgres')],
      ['Requests per second on the core of Redis', perCore(redis), section('postgres')],
      [
        'Animals added per second over 32 connections, by one and by two processes',
        creates.map(number).join(' and '),
        section('postgres'),
      ],
      ['Memory of a process', `${residentMb.toFixed(0)} MB`, section('postgres')],
      ['Requests per second per core, on SQLite alone', perCore(alone), section('side-by-side')],
    ],
  )
}

/** What a rate needs, with processors that are `busy`, and the part that is full first when one of each is not enough. */
function planTable({ process, postgres, redis, creates: [creates] }) {
  const us = (costs) => scenarioNames.reduce((sum, name) => sum + mix[name] * costs[name], 0)
  return table(
    ['Requests/s', 'Cores for processes', 'Cores for PostgreSQL', 'Redis', 'Creates/s', 'First limit'],
    rates.map((rate) => {
      const cores = (costs) => (rate * us(costs)) / 1e6
      const added = rate * mix.createPet
      const limits = [
        ['the core of Redis', cores(redis)],
        ['creates, against those measured', added / creates],
        [`a PostgreSQL of ${largeServer} cores`, cores(postgres) / largeServer],
      ].toSorted(([, one], [, other]) => other - one)
      return [
        number(rate),
        ...[process, postgres].map((costs) => number(Math.ceil(cores(costs) / busy))),
        counted(Math.ceil(cores(redis) / busy), 'node'),
        number(added),
        `${limits[0][0]}: ${(limits[0][1] * 100).toFixed(0)} %`,
      ]
    }),
  )
}

function listed(values, show) {
  return scenarioNames.map((name) => `${name} ${show(values[name])}`).join(', ')
}

function number(value) {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ' ')
}

function counted(count, what) {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
