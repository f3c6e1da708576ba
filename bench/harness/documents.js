import { readFileSync, writeFileSync } from 'node:fs'
import { sections } from '../sections/all.js'
import { chart } from './chart.js'
import { contestants } from './contestants.js'
import { report } from './report.js'
import { together } from './runs.js'
import { tables } from './tables.js'

const file = (path) => new URL(`../../${path}`, import.meta.url)

/** Writes all that follows from the results: bench/results.md, and when they have what it takes the chart and the tables. */
export function writeDocuments(results) {
  writeFileSync(file('bench/results.md'), report(results, sections, { contestants }))
  const [first] = Object.values(results)
  const compared = first['side-by-side']
  if (compared) writeFileSync(file('bench/chart.svg'), chart(contestants, together(compared.runs).rows))
  if (compared && first.postgres) writeTables(results)
}

function writeTables(results) {
  const all = Object.entries(tables(results))
  for (const page of ['README.md', 'docs/operating.md'].map(file)) {
    const text = all.reduce(
      (before, [name, part]) =>
        before.replace(
          new RegExp(`(<!-- bench: ${name} -->\n\n)[^]*?(\n\n<!-- end -->)`),
          (_, begin, end) => begin + part + end,
        ),
      readFileSync(page, 'utf8'),
    )
    writeFileSync(page, text)
  }
}
