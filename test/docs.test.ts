import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { errorStatuses } from '../src/api-error.ts'
import { readContract } from '../src/contract/model/files/document.ts'
import { openMetrics } from '../src/metrics/metrics.ts'
import { openStatements } from '../src/metrics/statements.ts'
import { readPlans } from '../src/quota/plans.ts'
import { diffRules } from '../scripts/workshop/diff/rules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const pages = ['.', 'docs', 'examples', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)

/** The addresses of headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe.each(pages)('%s', (page) => {
  test('has no link that leads nowhere', () => {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      expect({ target, exists: existsSync(join(root, file)) }).toEqual({ target, exists: true })
      if (anchor !== undefined) expect(anchorsOf(read(file))).toContain(anchor)
    }
  })
})

test('the steps of a request that the architecture follows are in the files that it names', () => {
  const steps = [...read('docs/architecture.md').matchAll(/^\| `(src\/[^`]+)`, `(\w+)` /gm)]
  expect(steps.length).toBeGreaterThan(10)
  for (const [, file = '', name = ''] of steps) {
    expect(read(file)).toMatch(new RegExp(`(function|const|class) ${name}\\b`))
  }
})

interface Rule {
  name: string
  from: { path?: string }
  to: { path?: string[]; pathNot?: string[] }
}

test('the layers are those that the dependency check keeps', () => {
  const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { forbidden: Rule[] }
  const modules = ['src', 'generated', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  )
  const matched = (patterns: string[] = []): string[] =>
    modules.filter((file) => patterns.some((pattern) => new RegExp(pattern).test(file)))
  const without = (files: string[], others: string[]): string[] => files.filter((file) => !others.includes(file))
  const kept = forbidden.flatMap(({ name, from: { path = '' }, to }) => {
    if (!name.startsWith('layers of ')) return []
    const own = matched([path])
    const alone = forbidden.find((rule) => rule.name === `types alone for ${path}`)?.to
    const types = without(matched(alone?.path), matched(alone?.pathNot))
    return [{ own, may: without(matched(to.pathNot), [...own, ...types]), types }]
  })

  /** The modules that a cell of the table names. */
  const named = (cell: string): string[] => {
    const places = Array.from(cell.matchAll(/`([^`]+)`/g), ([, place = '']) =>
      place.replace(/^(?!generated|scripts)/, 'src/'),
    )
    const files = modules.filter((file) =>
      places.some((place) =>
        place.endsWith('/') ? file.startsWith(place) : /^(.+?)(\.d)?\.ts$/.exec(file)?.[1] === place,
      ),
    )
    return cell.includes('everything but') ? without(modules, files) : files
  }
  const [, section = ''] = read('docs/architecture.md').split('## Layers\n')
  const rows = [...section.matchAll(/^\| (`.*?) \|.*?\|(.*?)\|(.*?)\|$/gm)]
  const listed = rows.map(([, folder = '', may = '', types = '']) => {
    const own = named(folder)
    return { own, may: without(named(may), own), types: named(types) }
  })
  const inOrder = (layers: { own: string[] }[]): unknown[] =>
    layers.sort((a, b) => String(a.own).localeCompare(String(b.own)))
  expect(inOrder(listed)).toEqual(inOrder(kept))
})

test('operating lists every metric of ours, and no other', async () => {
  const readings = {
    ...{ waiting: 0, refused: 0, turns: { count: 0, waitS: 0 }, walBytes: 0, freeBytes: 0, pool: undefined },
    ...{ quotaDegraded: false, breakerOpenings: 0, countedLocally: 0 },
  }
  const build = { version: '', contractDigest: '' }
  const text = await openMetrics({
    ...{ operations: [], errorStatuses, reasons: [], statements: openStatements(), build },
    read: () => readings,
  }).text()
  const told = Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name = '']) => name)
  const [, section = ''] = read('docs/operating.md').split('## Metrics\n')
  const listed = Array.from((section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)`/gm), ([, name = '']) => name)
  expect(listed.sort()).toEqual(told.filter((name) => !/^(process|nodejs)_/.test(name)).sort())
})

test('the tables of speed and of sizes are those that the results of the bench give', () => {
  const tables = execFileSync(process.execPath, [join(root, 'bench/tables.js')], { encoding: 'utf8' })
  const parts = ['README.md', 'docs/operating.md'].flatMap((page) => [
    ...read(page).matchAll(/^<!-- bench: \w+ -->\n\n([^]*?)\n\n<!-- end -->$/gm),
  ])
  expect(parts.map(([, part]) => part).join('\n\n')).toBe(tables.trimEnd())
})

test('the documents list every error code with its status, and no other', () => {
  const declared = Object.entries(errorStatuses)
    .map(([code, status]) => `${code} ${status}`)
    .sort()
  expect(declared.length).toBeGreaterThan(10)
  for (const page of ['README.md', 'openapi.yaml']) {
    const listed = [...read(page).matchAll(/^ *\| `(\w+)` *\| (\d{3}) +\|/gm)].map(
      ([, code, status]) => `${code} ${status}`,
    )
    expect({ page, listed: listed.sort() }).toEqual({ page, listed: declared })
  }
})

test('the README lists every setting of the environment, and no other', () => {
  const sources = read('src/config/config.ts') + read('src/config/tracing.ts')
  const used = [...sources.matchAll(/(read|given|secret)\(\s*'([A-Z_]+)'/g)].flatMap(([, by, name = '']) =>
    by === 'secret' ? [name, `${name}_FILE`] : [name],
  )
  const [, table = ''] = read('README.md').split('## Configuration\n')
  const listed = [...(table.split('\n## ')[0] ?? '').matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
  )
  expect([...new Set(listed)].sort()).toEqual([...new Set(used)].sort())
})

test('the README lists the plans of the contract', () => {
  const [, table = ''] = read('README.md').split('## Plans and quotas\n')
  const listed = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| ([A-Z]\w+) +\| (.+?) +\| (.+?) +\|$/gm)].slice(1)
  const plans = Array.from(readPlans(readContract(join(root, 'openapi.yaml')).root), ([name, limits]) =>
    limits === 'custom'
      ? [name, 'set per key', 'set per key']
      : [name, String(limits.perMinute), String(limits.perDay)],
  )
  expect(listed.map(([, name = '', ...figures]) => [name.toLowerCase(), ...figures])).toEqual(plans)
})

test('the rules of diff are those that it tells', () => {
  const [, section = ''] = read('docs/contract-workshop.md').split('\n### Rules of diff\n')
  const rows = (section.split('\n### ')[0] ?? '').matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)
  expect(Object.fromEntries(Array.from(rows, ([, id = '', about = '']) => [id, about]))).toEqual(diffRules)
  // what no file tells is no rule
  const folder = join(root, 'scripts/workshop/diff')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'rules.ts')
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const made = ['response-added', 'response-removed', 'response-changed', 'links-changed', 'xml-changed']
  const sent = ['callback-added', 'callback-removed', 'webhook-added', 'webhook-removed']
  const told = Object.keys(diffRules).filter((id) => sources.includes(`'${id}'`))
  expect([...told, ...made, ...sent].toSorted()).toEqual(Object.keys(diffRules).toSorted())
})
