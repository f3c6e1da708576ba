import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { table } from '../harness/markdown.js'
import { freePort, pause, temporaryFolder } from '../harness/processes.js'
import { ratios, summary } from '../harness/statistics.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const longestS = 60
/** The programs of others take seconds, so a few rounds tell. */
const mostRounds = 5
const programs = ['redocly', 'spectral', 'oasdiff', 'prism']

const folder = temporaryFolder()
const rulesOfSpectral = join(folder, 'spectral.yaml')
const ours = [process.execPath, join(root, 'dist/scripts/animal-store.js'), 'contract']

/** What people compare; each with commands, of which ours is the first. */
const jobs = [
  {
    what: 'lint',
    commands: (file) => ({
      ours: [...ours, 'lint', file],
      redocly: ['redocly', 'lint', file],
      spectral: ['spectral', 'lint', '--ruleset', rulesOfSpectral, file],
    }),
    run: timed,
  },
  {
    what: 'diff',
    commands: (file) => ({
      ours: [...ours, 'diff', file, '--head', changed(file)],
      oasdiff: ['oasdiff', 'changelog', file, changed(file)],
    }),
    run: timed,
  },
  {
    what: 'mock until it answers',
    // PORT is for ours
    commands: (file, { PORT }) => ({ ours: [...ours, 'mock', file], prism: ['prism', 'mock', file, '--port', PORT] }),
    run: timedMock,
  },
]

/**
 * The commands of the contract workshop beside those that people have for the same, on the contracts that are named. In
 * each round every command runs once on each contract, in changing order. A diff compares a contract with a copy of which
 * one type is another. Left out without a folder of tools.
 */
export async function measure({ plan: { rounds }, tools, contracts, tell }) {
  if (tools === undefined) return undefined
  const env = environment(tools, await freePort())
  const isThere = (program) => spawnSync('bash', ['-c', 'command -v "$0"', program], { env }).status === 0
  const missing = programs.filter((program) => !isThere(program))
  writeFileSync(rulesOfSpectral, 'extends: spectral:oas\n')
  const rows = []
  for (const file of contracts.map((name) => resolve(name))) {
    for (const { what, commands, run } of jobs) {
      tell(`${what} of ${basename(file)}`)
      const all = Object.entries(commands(file, env)).filter(([name]) => !missing.includes(name))
      const got = Object.fromEntries(all.map(([name]) => [name, []]))
      for (let round = 0; round < Math.min(rounds, mostRounds); round += 1) {
        for (const [name, command] of round % 2 === 0 ? all : all.toReversed())
          got[name].push({ cpuS: await run(command, env) })
      }
      for (const [who] of all) {
        const cpuS = summary(got[who].map((one) => one.cpuS))
        const kB = Math.round(statSync(file).size / 1000)
        rows.push({ contract: basename(file), kB, what, who, cpuS, ratio: ratios(got[who], got.ours).cpuS })
      }
    }
  }
  return { rows, missing }
}

export function report({ rows, missing }) {
  return [
    '## Workshop beside other tools',
    'The CPU time of a whole command with all its processes, and of a mock until it answers: the median of some rounds, and how ' +
      'many times as much as ours within the rounds, with the quartiles.',
    table(
      ['Contract', 'kB', 'What', 'Who', 'CPU, s', 'Times ours'],
      rows.map(({ contract, kB, what, who, cpuS, ratio: { median, q1, q3 } }) => [
        ...[contract, String(kB), what, who, cpuS.median.toFixed(2)],
        who === 'ours' ? '1' : `${median.toFixed(1)} (${q1.toFixed(1)}–${q3.toFixed(1)})`,
      ]),
    ),
    ...(missing.length > 0 ? [`Not found, and left out: ${missing.join(', ')}.`] : []),
  ]
}

/** Where the programs are looked for, and how they are quiet. */
function environment(tools, port) {
  const folders = ['node_modules/.bin', 'bin'].map((name) => join(resolve(tools), name))
  return {
    ...process.env,
    PORT: String(port),
    PATH: [join(root, 'node_modules/.bin'), ...folders, process.env.PATH].join(delimiter),
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    REDOCLY_TELEMETRY: 'off',
  }
}

/** A copy of a contract of which the first integer in its second half is a text. */
function changed(file) {
  const text = readFileSync(file, 'utf8')
  const half = text.length >> 1
  const copy = join(folder, `changed-${basename(file)}`)
  writeFileSync(copy, text.slice(0, half) + text.slice(half).replace(/("?type"?: *)("?)integer\2/, '$1$2string$2'))
  return copy
}

/** The CPU time of a command with all its processes, in s. Whatever it finds in a contract, it must end by itself. */
async function timed(command, env) {
  const child = underTime(command, env)
  await child.ended
  return child.cpuS()
}

/** The CPU time of a mock until it answers its first request, in s. */
async function timedMock(command, env) {
  const child = underTime(command, env)
  const began = performance.now()
  const asked = () =>
    fetch(`http://127.0.0.1:${env.PORT}/`).then(
      () => true,
      () => false,
    )
  while (!(await asked())) {
    if (performance.now() - began > 1000 * longestS)
      throw new Error(`${command.join(' ')} did not answer: ${child.told()}`)
    await pause(20)
  }
  child.stop()
  await child.ended
  return child.cpuS()
}

/** Runs a command, and tells the CPU time of it and of its children, as bash has it. */
function underTime(command, env) {
  // the command gets the signal, and bash waits for it
  const script = `trap 'kill -TERM $!' TERM; TIMEFORMAT='cpu %U %S'; time { "$@" & wait $!; wait; }`
  const child = spawn('bash', ['-c', script, 'time', ...command], { env, cwd: folder })
  let told = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (told = (told + chunk).slice(-10_000)))
  return {
    ended: new Promise((resolveEnd) => child.on('close', resolveEnd)),
    stop: () => child.kill('SIGTERM'),
    told: () => told,
    cpuS: () => {
      const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(told) ?? []
      if (user === undefined) throw new Error(`${command.join(' ')} did not end well: ${told}`)
      return Number(user) + Number(system)
    },
  }
}
