/*
 * npm run conformance                       at least 2000 cases
 * npm run conformance -- --cases 500        at least 500 cases
 * npm run conformance -- --seed 7           other cases
 *
 * Schemathesis reads the contract from a running service and tests the service against it, with all checks and phases
 * and without exclusions. Exit codes: 0 no failures, 1 failures, 2 the run itself failed. If Python or its packages are
 * not available, the command prints SKIPPED with the reason and ends with 0.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOf, newKey, newRecord } from '../src/auth/key.ts'
import { maxLimit } from '../src/quota/plans.ts'
import { sqliteStores } from '../src/store/sqlite/stores.ts'
import { command, runCommand } from './command-line/command.ts'
import { thisPackage } from '../src/package.ts'
import { operator } from './command-line/operator.ts'
import { runProgram } from './command-line/run-program.ts'
import { wholeNumber } from './command-line/whole-number.ts'
import { installed } from './conformance/installed.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The time that the service has to start, in ms. */
const startMs = 60_000

const program = command('conformance', 'Test a running service against its contract with Schemathesis', [
  '',
  '--cases 500',
])
  .option('--cases <n>', 'the least number of test cases', wholeNumber(999_999), 2000)
  .option('--seed <n>', 'the seed of the generated cases', wholeNumber(999_999), 1)
  .action(conformance)

await runCommand(program, 2)

async function conformance({ cases, seed }: { cases: number; seed: number }): Promise<void> {
  const schemathesis = await installed(join(root, 'node_modules/.cache/conformance'), process.env.PATH ?? '')
  if ('missing' in schemathesis) {
    console.log(`SKIPPED: ${schemathesis.missing}`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), `${thisPackage.command}-conformance-`))
  try {
    const service = await serve(folder)
    try {
      process.exitCode = await check(schemathesis.command, { ...service, folder, cases, seed })
    } finally {
      await service.stop()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Run {
  origin: string
  key: string
  folder: string
  cases: number
  seed: number
}

async function check(command: string, { origin, key, folder, cases, seed }: Run): Promise<number> {
  const report = join(folder, 'report.json')
  const options = {
    header: `Authorization: Bearer ${key}`,
    checks: 'all',
    phases: 'examples,coverage,fuzzing,stateful',
    seed,
    // per operation; operations with few parameters have fewer different cases
    'max-examples': Math.ceil(cases / 3),
    // so that the cases do not depend on earlier runs
    'generation-database': 'none',
    'request-timeout': 10,
    report: 'json',
    'report-json-path': report,
  }
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const args = ['run', `${origin}/openapi.json`, '--continue-on-failure', ...flags]
  const code = await runProgram(command, args, { cwd: folder })
  // 0 and 1 are results, other codes are faults
  if (code > 1) throw new Error(`Schemathesis ended with ${code} and without a verdict.`)
  const { complete, test_cases: counted } = JSON.parse(readFileSync(report, 'utf8')) as Report
  console.log(`\nConformance: ${counted.generated} cases, ${counted.unique_failures} failures, seed ${seed}.`)
  if (code === 1) return 1
  if (!complete || counted.generated < cases) throw new Error(`There were fewer cases than ${cases}. Ask for more.`)
  return 0
}

/** The part of Schemathesis's report that is used. */
interface Report {
  complete: boolean
  test_cases: { generated: number; unique_failures: number }
}

/** Starts a service on a free port, with a key and limits that no run reaches. */
async function serve(folder: string): Promise<{ origin: string; key: string; stop: () => Promise<void> }> {
  const file = join(folder, 'store.db')
  const key = newKey()
  const stores = sqliteStores(file)
  const custom = { perMinute: maxLimit, perDay: maxLimit }
  await stores.keys.add(newRecord({ plan: 'enterprise', custom, createdAt: Date.now() }), digestOf(key), operator())
  await stores.close()
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: `sqlite:${file}`,
      // cases without a key count against the address
      ANONYMOUS_PER_MINUTE: '999999999',
      ANONYMOUS_PER_DAY: '999999999',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) =>
    child.on('close', () => {
      resolve()
    }),
  )
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  let output = ''
  const origin = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(resolve, startMs, undefined)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      // read to the end, since the service would wait for a pipe that is full
      if (output.length < 100_000) output += chunk
      const [, found] = /"address":"(http:\/\/[^"/]+)\/[^\n]*"listening"/.exec(output) ?? []
      if (found === undefined) return
      clearTimeout(timer)
      resolve(found)
    })
    void ended.then(() => {
      resolve(undefined)
    })
  })
  if (origin === undefined) {
    await stop()
    throw new Error(`The service does not start:\n${output}`)
  }
  return { origin, key, stop }
}
