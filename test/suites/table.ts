/*
 * npm run suites                 holds the service against the JSON Schema Test Suite, which it fetches
 * npm run suites -- oasdiff      holds diff against the pairs of oasdiff's tests, which it fetches by `go`
 * npm run suites -- FOLDER ...   holds lint against `pass` and `fail` in folders of OpenAPI's repository, as `tests/schema`
 *
 * Prints tables. Exits with 1 for a case of a suite that is neither refused at the start nor different on purpose, and for
 * a faulty file without an error.
 */
import { standings } from './json-schema.ts'
import { jsonSchemaSuite, release } from './json-schema-suite.ts'
import { reasons } from './oasdiff-facts.ts'
import { gradedPairs, module, oasdiffData } from './oasdiff.ts'
import { lintedFiles } from './openapi-files.ts'

const folders = process.argv.slice(2)
const isOasdiff = folders.join() === 'oasdiff'
const lines = isOasdiff ? ofOasdiff() : folders.length > 0 ? await ofFiles(folders) : await ofSuite()
process.stdout.write(`${lines.join('\n')}\n`)

async function ofSuite(): Promise<string[]> {
  const all = await standings(jsonSchemaSuite())
  if (all.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
  const rows = all.map(({ draft, cases, passed, refused, onPurpose, wrong }) => {
    const [no, other] = [refused, onPurpose].map((counts) => [...counts.values()].reduce((sum, one) => sum + one, 0))
    return `| ${[draft, cases, passed, no, other, wrong.length].join(' | ')} |`
  })
  const details = all.flatMap(({ draft, refused, onPurpose, wrong }) => [
    ...['', `${draft}:`],
    ...Array.from(refused, ([reason, cases]) => `  refused, ${cases}: ${reason}`),
    ...Array.from(onPurpose, ([reason, cases]) => `  different, ${cases}: ${reason}`),
    ...wrong.map((name) => `  wrong: ${name}`),
  ])
  const head = '| Draft | Cases | Passed | Refused at the start | Different on purpose | Wrong |'
  return [
    `JSON Schema Test Suite of ${release}, mandatory cases:`,
    '',
    head,
    '|---|---|---|---|---|---|',
    ...rows,
    ...details,
  ]
}

function ofOasdiff(): string[] {
  const data = oasdiffData()
  if (data === undefined) throw new Error(`go cannot fetch ${module}. Install go, or let it reach its module proxy.`)
  const all = gradedPairs(data)
  const wrong = all.filter(({ isExpected }) => !isExpected)
  if (wrong.length > 0) process.exitCode = 1
  const same = all.filter(({ theirs, ours }) => theirs === ours)
  const rows = Object.entries(reasons).map(([reason, why]) => {
    const pairs = all.filter((one) => one.reason === reason)
    return `| ${[pairs.length, why].join(' | ')} |`
  })
  return [
    `Pairs of ${module}: ${all.length}, of which ${same.length} have the same grade and ${wrong.length} are wrong.`,
    '',
    '| Pairs | Why our grade is another one |',
    '|---|---|',
    ...rows,
    ...wrong.map(({ name, theirs, ours }) => `  wrong: ${name}: ${ours}, and oasdiff says ${theirs}`),
  ]
}

async function ofFiles(all: readonly string[]): Promise<string[]> {
  const rows: string[] = []
  const details: string[] = []
  for (const folder of all) {
    const { pass, fail } = await lintedFiles(folder)
    const sound = pass.filter(({ errors }) => errors.length === 0)
    const found = fail.filter(({ errors }) => errors.length > 0)
    if (found.length < fail.length) process.exitCode = 1
    rows.push(`| ${folder} | ${sound.length} of ${pass.length} | ${found.length} of ${fail.length} |`)
    for (const { file, errors } of pass) if (errors.length > 0) details.push(`  pass/${file}: ${errors.join(' ')}`)
    for (const { file, errors } of fail) if (errors.length === 0) details.push(`  fail/${file}: no error`)
  }
  return ['| Folder | pass without an error | fail with an error |', '|---|---|---|', ...rows, '', ...details]
}
