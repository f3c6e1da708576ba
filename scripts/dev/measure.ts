/*
 * npm run dev:measure           saves 10 times in a copy of the project, and prints how long `npm run dev` takes
 * npm run dev:measure -- N      saves N times
 *
 * Half of the saves change the contract, half a handler. The times begin when the file is written: to the verdict, and
 * to the answer of a service in its new state. Exits with 1 when a verdict took more than 2 seconds.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InvalidArgumentError } from 'commander'
import { command, runCommand } from '../command-line/command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const copied = ['src', 'scripts', 'generated', 'openapi.yaml', 'redocly.yaml', 'package.json', 'tsconfig.json']
/** After the first verdict the compiler of types warms up for a while, in ms. */
const warmMs = 5000
/** What a verdict may take, in ms. */
const limitMs = 2000

const program = command('dev:measure', 'Prints how long npm run dev takes from a save to its verdict and its answer', [
  '',
  '20',
])
  .argument('[saves]', 'how many times to save', count, 10)
  .action(measureInCopy)

await runCommand(program)

function count(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 9999.')
}

async function measureInCopy(saves: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-measure-'))
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: folder })
  }
  try {
    for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, '.gitignore'), 'node_modules\n*.db*\n')
    git('init', '--quiet')
    git('add', '--all')
    git('-c', 'user.name=Measure', '-c', 'user.email=measure@localhost', 'commit', '--quiet', '--message', 'Start')
    await measure(folder, saves)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, saves: number): Promise<void> {
  const from = performance.now()
  const dev = spawn(process.execPath, ['--import', 'tsx', 'scripts/dev.ts'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', DATABASE_URL: 'sqlite:measure.db' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = lineTimes(dev.stdout)
  try {
    const started = (await lines.after(from, 'service')) - from
    const first = (await lines.after(from, 'verdict')) - from
    await new Promise((resolve) => setTimeout(resolve, warmMs))
    const contract: Times[] = []
    const handler: Times[] = []
    for (let save = 0; save < saves; save += 1) {
      const [name, edit, times] =
        save % 2 === 0
          ? (['openapi.yaml', editContract, contract] as const)
          : (['src/handlers/getPet.ts', editHandler, handler] as const)
      const text = readFileSync(join(folder, name), 'utf8')
      const saved = performance.now()
      writeFileSync(join(folder, name), edit(text, save))
      const verdict = await lines.after(saved, 'verdict')
      const service = await lines.after(saved, 'service')
      times.push({ verdict: verdict - saved, service: service - saved })
    }
    console.log(
      `start: service ${seconds(started)}, first verdict ${seconds(first)}; load of the machine ${loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')}\n`,
    )
    console.log(`${'from the save of'.padEnd(20)}${'to'.padEnd(14)}     min  median     max`)
    for (const [name, times] of [
      ['openapi.yaml', contract],
      ['a handler', handler],
    ] as const) {
      for (const what of ['verdict', 'service'] as const) {
        const sorted = times.map((one) => one[what]).sort((a, b) => a - b)
        const figures = [sorted.at(0), sorted[sorted.length >> 1], sorted.at(-1)].map((one) =>
          seconds(one ?? NaN).padStart(8),
        )
        console.log(
          `${name.padEnd(20)}${(what === 'service' ? 'new service' : 'verdict').padEnd(14)}${figures.join('')}`,
        )
      }
    }
    const slowest = Math.max(...[...contract, ...handler].map(({ verdict }) => verdict))
    process.exitCode = slowest > limitMs ? 1 : 0
  } finally {
    dev.kill('SIGTERM')
    await new Promise((resolve) => dev.on('close', resolve))
  }
}

interface Times {
  verdict: number
  service: number
}

/** Each turn another limit and another property of every failure, so that no check finds its work done. */
function editContract(text: string, turn: number): string {
  return text
    .replace(/(name: limit\n[^]*?maximum: )\d+/, (_, before: string) => `${before}${101 + turn}`)
    .replace(/\n +hint\d+: .*/, '')
    .replace(/\n {4}Error:\n[^]*?properties:/, (found) => `${found}\n        hint${turn}: { type: string }`)
}

function editHandler(text: string, turn: number): string {
  return `${text.replace(/\n\/\/ turn.*/, '')}\n// turn ${turn}\n`
}

interface LineTimes {
  /** When the first line with a label came after a moment, in ms as of `performance.now()`. */
  after: (from: number, label: string) => Promise<number>
}

function lineTimes(output: NodeJS.ReadableStream): LineTimes {
  const seen: { label: string; at: number }[] = []
  let rest = ''
  let wake = (): void => undefined
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) seen.push({ label: line.split(': ')[0] ?? '', at: performance.now() })
    wake()
  })
  return {
    after: async (from, label) => {
      for (;;) {
        const line = seen.find((one) => one.label === label && one.at >= from)
        if (line) return line.at
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
