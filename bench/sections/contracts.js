import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { doublingContract, largeContract } from '../harness/large-contract.js'
import { table } from '../harness/markdown.js'
import { start, temporaryFolder } from '../harness/processes.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const depth = 17

/** Tells the peak of the memory of each process that Node.js runs, at its end. */
const tellingPeak = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write(`\\npeak ${process.resourceUsage().maxRSS}\\n`))",
)}`

/** The commands of the contract workshop, and the start of the service, on a large contract. */
export async function measure({ tell }) {
  tell('makes the contracts')
  const folder = temporaryFolder()
  const files = Object.fromEntries(['large', 'changed', 'doubling'].map((name) => [name, join(folder, `${name}.yaml`)]))
  const large = largeContract()
  writeFileSync(files.large, large)
  writeFileSync(files.changed, large.replace('maximum: 100\n', 'maximum: 50\n'))
  writeFileSync(files.doubling, doublingContract(depth))
  const script = (name) => ['--import', 'tsx', `scripts/${name}.ts`]
  const runs = {
    lint: { what: 'contract:lint, 12 MB', args: [...script('contract-lint'), files.large], code: 0 },
    diff: {
      what: 'contract:diff, 12 MB',
      args: [...script('contract-diff'), files.large, '--head', files.changed],
      code: 1,
    },
    compile: { what: 'compile, 1223 operations', args: ['--input-type=module', '-e', compiling(files.large)], code: 0 },
    doubling: { what: `contract:lint, ${depth} schemas`, args: [...script('contract-lint'), files.doubling], code: 0 },
  }
  const rows = []
  for (const [name, { what, args, code }] of Object.entries(runs)) {
    tell(what)
    rows.push({ name, what, ...(await timed(args, code)) })
  }
  return { rows }
}

export function report({ rows }) {
  return [
    '## Large contracts',
    'A contract of 12 MB in YAML with 1223 operations, as large as that of GitHub, and one of 17 schemas that each name the next ' +
      'one twice. One run each, with the start of the process; `compile` is what a start of the service does after reading. ' +
      'The memory is the peak of the command alone, without that of the Redocly CLI, which lint starts.',
    table(
      ['', 's', 'MB'],
      rows.map(({ what, seconds, mb }) => [what, seconds.toFixed(1), mb.toFixed(0)]),
    ),
  ]
}

/** Compiles a contract for a server, and prints how long that took, in s. */
function compiling(file) {
  const built = (module) => JSON.stringify(new URL(`../../dist/src/contract/${module}.js`, import.meta.url).href)
  return `
    import { compileContract } from ${built('contract')}
    import { readContract } from ${built('model/files/document')}
    const document = readContract(${JSON.stringify(file)})
    const began = performance.now()
    await compileContract(document, { checked: true, checkResponses: false, publicUrl: '' })
    console.log('took ' + (performance.now() - began) / 1000)`
}

async function timed(args, expected) {
  const began = performance.now()
  const child = start(process.execPath, args, { cwd: root, env: { NODE_OPTIONS: `--import=${tellingPeak}` } })
  const code = await child.ended
  const seconds = (performance.now() - began) / 1000
  if (code !== expected) throw new Error(`It ended with ${code}: ${child.said()}${child.complaints()}`)
  const [, peak = '0'] = /^peak (\d+)$/m.exec(child.complaints()) ?? []
  const [, took] = /^took ([\d.]+)$/m.exec(child.said()) ?? []
  return { seconds: took === undefined ? seconds : Number(took), mb: Number(peak) / 1024 }
}
