/*
 * npx tsx test/support/contracts/table.ts             prints `about | change | right | ours` of the pairs of contract:diff
 * npx tsx test/support/contracts/table.ts OASDIFF     with the grades of that program (https://github.com/oasdiff/oasdiff)
 *
 * Below the table: how many grades are right, how many breaks are missed, and how many alarms are false.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare } from './diff.ts'
import { grades } from './grades/all.ts'
import type { Graded } from './grades/grade.ts'

const [oasdiff] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'grades-'))
/** The grades of a pair: the right one, ours, and that of oasdiff. */
const all: string[][] = []
const lines: string[] = []
for (const [about, pairs] of Object.entries(grades)) {
  for (const pair of pairs) {
    const { changes } = await compare(pair.base, pair.head)
    const found = [pair.right, changes[0]?.level ?? 'none', ...(oasdiff === undefined ? [] : [gradeOf(oasdiff, pair)])]
    all.push(found)
    lines.push(`| ${[about, pair.change, ...found].join(' | ')} |`)
  }
}
rmSync(folder, { recursive: true })

const names = ['right', 'ours', ...(oasdiff === undefined ? [] : ['oasdiff'])]
const counts = names.slice(1).map((name, index) => {
  const pairs = all.map((found) => [found[0], found[index + 1]] as const)
  const right = pairs.filter(([is, said]) => is === said).length
  const missed = pairs.filter(([is, said]) => is === 'breaking' && said !== is).length
  const alarms = pairs.filter(([is, said]) => said === 'breaking' && said !== is).length
  if (name === 'ours' && right < pairs.length) process.exitCode = 1
  return `${name}: ${right} of ${pairs.length} right, ${missed} breaks missed, ${alarms} false alarms`
})
const heads = ['about', 'change', ...names]
process.stdout.write(
  `${[`| ${heads.join(' | ')} |`, `|${heads.map(() => '---').join('|')}|`, ...lines, '', ...counts].join('\n')}\n`,
)

/** The worst of what oasdiff finds: an error, a warning or a note. */
function gradeOf(program: string, { base, head }: Graded): string {
  const files = [join(folder, 'base.yaml'), join(folder, 'head.yaml')] as const
  writeFileSync(files[0], base)
  writeFileSync(files[1], head)
  const merge = ['--flatten-allof', '--flatten-params', '--auto-upgrade']
  const { stdout } = spawnSync(program, ['changelog', '--format', 'json', ...merge, ...files], { encoding: 'utf8' })
  const found = (JSON.parse(stdout || '[]') ?? []) as { level: number }[]
  return ['none', 'compatible', 'risky', 'breaking'][Math.max(0, ...found.map(({ level }) => level))] ?? 'none'
}
