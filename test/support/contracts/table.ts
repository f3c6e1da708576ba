/*
 * npx tsx test/support/contracts/table.ts   prints the table `change | right | ours` of the corpus of contract:diff
 */
import { compare } from './diff.ts'
import { edited, pairs, store } from './pairs.ts'

const rows: string[] = ['| change | right | ours |', '|---|---|---|']
for (const { change, right, edits } of pairs) {
  const { changes } = await compare(store, edited(store, edits))
  const ours = changes[0]?.level ?? 'none'
  rows.push(`| ${change} | ${right} | ${ours} |`)
  if (ours !== right) process.exitCode = 1
}
process.stdout.write(`${rows.join('\n')}\n`)
