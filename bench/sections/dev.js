import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spread, table } from '../harness/markdown.js'
import { pause, start, temporaryFolder } from '../harness/processes.js'
import { summary } from '../harness/statistics.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const copied = ['src', 'scripts', 'generated', 'openapi.yaml', 'redocly.yaml', 'package.json', 'tsconfig.json']
/** After the first verdict the compiler warms up, in ms. */
const warmUpMs = 5000

/**
 * `npm run dev` in a copy of the project: the time from each save to its verdict, and to the service in its new state.
 * The saves change the contract and a handler in turn.
 */
export async function measure({ plan: { saves }, tell }) {
  const folder = copyOfProject()
  const began = performance.now()
  const child = start(process.execPath, ['--import', 'tsx', 'scripts/dev.ts'], {
    cwd: folder,
    env: { PORT: '0', DATABASE_URL: 'sqlite:dev.db' },
  })
  try {
    tell('start')
    const serviceMs = (await printed(child, 'service', 0)) - began
    const verdictMs = (await printed(child, 'verdict', 0)) - began
    await pause(warmUpMs)
    const rows = [
      { title: 'openapi.yaml', file: 'openapi.yaml', edit: editContract, times: [] },
      { title: 'a handler', file: 'src/handlers/getPet.ts', edit: editHandler, times: [] },
    ]
    for (let save = 0; save < saves; save++) {
      tell(`save ${save + 1} of ${saves}`)
      const { file, edit, times } = rows[save % rows.length]
      const text = edit(readFileSync(join(folder, file), 'utf8'), save)
      const before = child.said().length
      const saved = performance.now()
      writeFileSync(join(folder, file), text)
      const verdict = await printed(child, 'verdict', before)
      const service = await printed(child, 'service', before)
      times.push({ verdictMs: verdict - saved, serviceMs: service - saved })
    }
    return {
      serviceMs,
      verdictMs,
      rows: rows.map(({ title, times }) => ({
        title,
        verdictMs: summary(times.map((time) => time.verdictMs)),
        serviceMs: summary(times.map((time) => time.serviceMs)),
      })),
    }
  } finally {
    await child.stop()
  }
}

export function report({ plan: { saves }, serviceMs, verdictMs, rows }) {
  return [
    '## From a save to its verdict',
    `${saves} saves in a copy of the project under \`npm run dev\`. From its start, the service answers after ` +
      `${serviceMs.toFixed(0)} ms and the first verdict is there after ${verdictMs.toFixed(0)} ms. The medians of the saves, with ` +
      'the lowest and the highest:',
    table(
      ['From the save of', 'to the verdict, ms', 'to the new service, ms'],
      rows.map((row) => [row.title, spread(row.verdictMs, 0), spread(row.serviceMs, 0)]),
    ),
  ]
}

function copyOfProject() {
  const folder = temporaryFolder()
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n*.db*\n')
  const git = (...args) => execFileSync('git', args, { cwd: folder })
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '--message', 'Start')
  return folder
}

/** When a line with a label was printed, behind the first `length` characters of the output. */
async function printed(child, label, length) {
  const line = new RegExp(`^${label}: .*\n`, 'm')
  while (!line.test(child.said().slice(length))) {
    if (child.hasEnded()) throw new Error(`npm run dev ended: ${child.complaints()}`)
    await pause(5)
  }
  return performance.now()
}

/** Each turn another limit and another property of every failure, so that no check finds its work done. */
function editContract(text, turn) {
  return text
    .replace(/(name: limit\n[^]*?maximum: )\d+/, (_, before) => `${before}${101 + turn}`)
    .replace(/\n +hint\d+: .*/, '')
    .replace(/\n {4}Error:\n[^]*?properties:/, (found) => `${found}\n        hint${turn}: { type: string }`)
}

function editHandler(text, turn) {
  return `${text.replace(/\n\/\/ turn.*/, '')}\n// turn ${turn}\n`
}
