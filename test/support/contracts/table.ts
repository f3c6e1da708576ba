/*
 * npx tsx test/support/contracts/table.ts   prints the table `about | change | right | ours` of the pairs of contract:diff
 */
import { compare } from './diff.ts'
import { grades } from './grades/all.ts'

const rows: string[] = ['| about | change | right | ours |', '|---|---|---|---|']
for (const [about, all] of Object.entries(grades)) {
  for (const { change, right, base, head } of all) {
    const { changes } = await compare(base, head)
    const ours = changes[0]?.level ?? 'none'
    rows.push(`| ${about} | ${change} | ${right} | ${ours} |`)
    if (ours !== right) process.exitCode = 1
  }
}
process.stdout.write(`${rows.join('\n')}\n`)
