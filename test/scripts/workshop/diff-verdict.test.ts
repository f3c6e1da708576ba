import { beforeAll, describe, expect, test } from '@jest/globals'
import { approve, readApprovals } from '../../../scripts/workshop/diff/approvals.ts'
import { changeOf, type Change } from '../../../scripts/workshop/diff/change.ts'
import type { DiffReport } from '../../../scripts/workshop/diff/diff.ts'
import { reports } from '../../../scripts/workshop/diff/report.ts'
import { versionReport } from '../../../scripts/workshop/diff/version.ts'
import { compare } from '../../support/contracts/diff.ts'
import { edited, store } from '../../support/contracts/pairs.ts'
import { withBody } from '../../support/contracts/things.ts'

function change(bump: Change['bump'], level: Change['level'] = 'compatible'): Change {
  return changeOf(
    { rule: 'operation-added', level, bump, what: 'changed' },
    { where: 'GET /a', operations: ['GET /a'], place: { file: 'openapi.yaml', line: 1, column: 2 }, pointer: '' },
  )
}

describe('info.version', () => {
  test.each<[string, string, Change['bump'][], string, boolean]>([
    ['1.2.3', '1.2.3', [], 'none', true],
    ['1.2.3', '1.2.4', [], 'none', true],
    ['1.2.3', '1.2.2', [], 'none', false],
    ['1.2.3', '1.2.3', ['patch'], 'patch', false],
    ['1.2.3', '1.2.4', ['patch'], 'patch', true],
    ['1.2.3', '1.2.4', ['patch', 'minor'], 'minor', false],
    ['1.2.3', '1.3.0', ['patch', 'minor'], 'minor', true],
    ['1.2.3', '1.3.0', ['minor', 'major'], 'major', false],
    ['1.2.3', '2.0.0', ['minor', 'major'], 'major', true],
    ['1.2.3', '0.9.9', ['patch'], 'patch', false],
    ['0.2.3', '0.2.4', ['major'], 'minor', false],
    ['0.2.3', '0.3.0', ['major'], 'minor', true],
    ['2.0.0-beta.1', '2.0.0-beta.1', ['major'], 'major', false],
    ['2.0.0-beta.1', '2.0.0-beta.2', ['major'], 'major', true],
    ['2026-11-28', '2026-11-29', ['major'], 'major', true],
    ['v1', 'v1', ['patch'], 'patch', false],
  ])('from %s to %s with %j: %s is needed, enough %s', (base, head, bumps, needed, enough) => {
    const root = (version: string): unknown => ({ info: { version } })
    const changes = bumps.map((bump) => change(bump))
    expect(versionReport(root(base), root(head), changes)).toEqual({ base, head, needed, enough })
  })
})

describe('approvals', () => {
  const changes = (): Change[] => [change('major', 'breaking')]
  const fingerprint = changes()[0]?.fingerprint ?? ''
  const entry = (expires: string, of = fingerprint): string =>
    `- change: '${of}'\n  reason: no client sends it\n  expires: '${expires}'\n`

  test('excuse a change up to the day on which they expire', () => {
    const [approved] = changes()
    const list = readApprovals(entry('2026-11-28'), 'approvals.yaml')
    expect(approve(approved ? [approved] : [], list, '2026-11-28')).toEqual([])
    expect(approved?.excused).toBe('approved until 2026-11-28: no client sends it')
  })

  test('do not count afterwards, and it is said; nor do those of a change that is not there', () => {
    const [change] = changes()
    const list = readApprovals(`${entry('2026-11-27')}${entry('2027-01-01', '0123456789ab')}`, 'approvals.yaml')
    expect(approve(change ? [change] : [], list, '2026-11-28')).toEqual([
      `approvals.yaml:1:3 The approval of ${fingerprint} expired on 2026-11-27.`,
      'approvals.yaml:4:3 The approval of 0123456789ab matches no change.',
    ])
    expect(change?.excused).toBeUndefined()
  })

  test.each([
    ['change: x', 'a.yaml:1:1 Approvals are a list.'],
    ['- x', 'a.yaml:1:3 An approval has the keys change, reason and expires.'],
    ["- { change: '0123', reason: x, expires: '2027-01-01' }", 'a.yaml:1:3 "change" must be the fingerprint'],
    ["- { change: '0123456789ab', reason: ' ', expires: '2027-01-01' }", 'a.yaml:1:3 "reason" must say why'],
    ["- { change: '0123456789ab', reason: x, expires: '2027-02-30' }", 'a.yaml:1:3 "expires" must be a day'],
    ["- { change: '0123456789ab', reason: x }", 'a.yaml:1:3 "expires" must be a day'],
    ["- { change: '0123456789ab', reason: x, expires: '2027-01-01', by: me }", 'a.yaml:1:3 An approval has the keys'],
    ['- [', 'a.yaml:1:3 What begins here with [ does not end. Add the ] that is missing.'],
  ])('that are %j are refused with their place', (text, message) => {
    expect(() => readApprovals(text, 'a.yaml')).toThrow(message)
  })

  test('may be none', () => {
    expect(readApprovals('# none\n', 'a.yaml')).toEqual([])
  })
})

test('a fault of the YAML that makes thousands of others is told in seconds', async () => {
  const broken = `${store}x-more:\n  - { a:\n'b' }\n${'  - { c: d }\n'.repeat(200)}${'# a comment\n'.repeat(100_000)}`
  const start = performance.now()
  await expect(compare(broken, store)).rejects.toThrow(/^base\.yaml:\d+:\d+ /)
  expect(performance.now() - start).toBeLessThan(15_000)
})

describe('a report', () => {
  let report: DiffReport
  beforeAll(async () => {
    report = await compare(
      store,
      edited(store, [
        ['maximum: 100', 'maximum: 50'],
        ['default: 20', 'default: 10'],
        ['color: { type: string }', 'color: { type: string }\n        race: { type: string }'],
        ['description: Added.', 'description: It was added.'],
      ]),
    )
    report.notes.push('approvals.yaml:1:1 The approval of 0123456789ab matches no change.')
  })
  const prints = (): string[] => report.changes.map(({ fingerprint }) => fingerprint)

  test('as text groups the changes, the worst first, and ends with the verdict', () => {
    const [first = '', second = '', third = ''] = prints()
    expect(reports.text(report)).toBe(`Breaking (1)
  head.yaml:9:74 GET /pets, query parameter limit: upper bound changed from <= 100 to <= 50. [${first}]

Risky (1)
  head.yaml:9:87 GET /pets, query parameter limit: default changed from 20 to 10. [${second}]

Compatible (1)
  head.yaml:75:9 schema NewPet in requests, property race: added. [${third}]
      in POST /pets

approvals.yaml:1:1 The approval of 0123456789ab matches no change.
info.version stayed 1.0.0; these changes need the next major version.
The change of the contract breaks clients (1 breaking, 1 risky, 1 compatible, 1 editorial).`)
  })

  test('as Markdown has a table for each level', () => {
    const text = reports.markdown(report)
    expect(text).toContain('## Contract: base.yaml → head.yaml\n\n**The change of the contract breaks clients (')
    expect(text).toContain('### Breaking (1)\n\n| Place | Change | Operations | Fingerprint |\n|---|---|---|---|\n')
    expect(text).toContain(
      `| head.yaml:9:74 | GET /pets, query parameter limit: upper bound changed from &lt;= 100 to &lt;= 50. | GET /pets | \`${prints()[0]}\` |`,
    )
  })

  test('of edits of texts alone says so', async () => {
    const edits = await compare(store, edited(store, [['description: Added.', 'description: It was added.']]))
    expect(reports.text(edits)).toBe('Only texts for readers changed (0 breaking, 0 risky, 0 compatible, 1 editorial).')
  })

  test('of the message of a pattern says that texts alone changed, whether it is added, edited or removed', async () => {
    const schemas = ['', ', x-pattern-message: must begin with a', ', x-pattern-message: must not begin with b']
    const contracts = schemas.map((message) => withBody(`{ type: string, pattern: ^a${message} }`))
    for (const [before = '', after = ''] of [contracts, contracts.slice(1), contracts.slice(0, 2).toReversed()]) {
      expect(await compare(before, after)).toMatchObject({ editorial: 1, changes: [], version: { needed: 'none' } })
    }
  })

  test('for GitHub is annotations: an error, a warning and a notice, and the version at its place', () => {
    const lines = reports.github(report).split('\n')
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(
        /^::error title=breaking%3A schema-constraint-changed,file=head.yaml,line=9,col=74::GET \/pets/,
      ),
      expect.stringMatching(/^::warning title=risky%3A default-changed,file=head.yaml,line=9,col=87::/),
      expect.stringMatching(/^::notice title=compatible%3A property-added,file=head.yaml,line=75,col=9::/),
      expect.stringMatching(
        /^::error title=breaking%3A version,file=head.yaml,line=2,col=23::info.version stayed 1.0.0/,
      ),
    ])
  })

  test('keeps its fingerprints when lines move', async () => {
    const moved = await compare(
      store,
      edited(`# a comment\n\n${store}`, [
        ['maximum: 100', 'maximum: 50'],
        ['default: 20', 'default: 10'],
        ['color: { type: string }', 'color: { type: string }\n        race: { type: string }'],
      ]),
    )
    expect(moved.changes.map(({ fingerprint }) => fingerprint)).toEqual(prints())
    expect(moved.changes[0]?.place.line).toBe(11)
  })
})
