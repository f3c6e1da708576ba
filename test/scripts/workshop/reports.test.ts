import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, describe, test, beforeAll } from '@jest/globals'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { DiffReport } from '../../../scripts/workshop/diff/diff.ts'
import { reports as ofDiff } from '../../../scripts/workshop/diff/report.ts'
import type { Finding } from '../../../scripts/workshop/finding.ts'
import { reports as ofLint } from '../../../scripts/workshop/lint/report.ts'
import { compare } from '../../support/contracts/diff.ts'
import { edited, store } from '../../support/contracts/pairs.ts'

const require = createRequire(import.meta.url)
const schema = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
formats.default(ajv)
// nothing in it is of draft 4 alone but its names
const { $schema: _, id: __, ...sarif } = JSON.parse(readFileSync(schema, 'utf8')) as Record<string, unknown>
const isSarif = ajv.compile(sarif)

const nasty = `<script>alert("a" & 'b')</script>\u0000\n]]> é 🐕`
const findings: Finding[] = [
  {
    rule: 'struct',
    severity: 'error',
    place: { file: 'my api/openapi.yaml', line: 3, column: 5, pointer: '/paths/~1pets' },
    message: `Wrong: ${nasty}.`,
    fix: 'Correct it.',
  },
  {
    rule: 'tags',
    severity: 'warning',
    place: { file: '/tmp/openapi.yaml', line: 1, column: 1 },
    message: 'Odd.',
    fix: 'Leave it.',
  },
]

let diff: DiffReport
beforeAll(async () => {
  diff = await compare(
    store,
    edited(store, [
      ['maximum: 100', 'maximum: 50'],
      ['default: 20', 'default: 10'],
      ['color: { type: string }', 'color: { type: string }\n        race: { type: string }'],
    ]),
  )
  diff.notes.push('approvals.yaml:1:1 The approval of 0123456789ab matches no change.')
  const [first] = diff.changes
  if (first) Object.assign(first, { excused: 'approved until 2027-01-31: <b>nobody</b> asks' })
})

interface Shape {
  verdict: string
  summary: string
  findings: { rule: string; level: string; message: string; place: { line: number; pointer?: string } }[]
}

describe('JSON', () => {
  test('of lint and of diff has one shape, with the verdict', () => {
    const lint = JSON.parse(ofLint.json('openapi.yaml', findings)) as Shape & { contract: string }
    expect(lint).toMatchObject({ contract: 'openapi.yaml', verdict: 'failed', summary: '1 error, 1 warning.' })
    expect(lint.findings[0]).toEqual({
      rule: 'struct',
      level: 'error',
      place: { file: 'my api/openapi.yaml', line: 3, column: 5, pointer: '/paths/~1pets' },
      message: `Wrong: ${nasty}.`,
      fix: 'Correct it.',
    })
    expect(JSON.parse(ofLint.json('openapi.yaml', []))).toEqual({
      contract: 'openapi.yaml',
      verdict: 'passed',
      summary: 'The contract is sound.',
      findings: [],
    })

    const told = JSON.parse(ofDiff.json(diff)) as Shape & { base: string; head: string }
    expect(told).toMatchObject({ base: 'base.yaml', head: 'head.yaml', verdict: 'failed' })
    expect(told.summary).toMatch(
      /^The version did not grow enough \(1 breaking, 1 risky, 1 compatible, 0 editorial; 1 excused\)/,
    )
    expect(told.findings.map(({ rule, level }) => `${level} ${rule}`)).toEqual([
      'breaking schema-constraint-changed',
      'risky default-changed',
      'compatible property-added',
      'breaking version',
      'warning approvals',
    ])
    expect(told.findings.map(({ place }) => place.pointer)).toEqual([
      '/paths/~1pets/get/parameters/0/schema/maximum',
      '/paths/~1pets/get/parameters/0/schema/default',
      '/components/schemas/NewPet/properties/race',
      '/info/version',
      undefined,
    ])
  })
})

interface Log {
  runs: {
    tool: { driver: { name: string; rules: { id: string }[] } }
    results: {
      ruleId: string
      ruleIndex: number
      level: string
      message: { text: string }
      suppressions?: { justification: string }[]
      locations: { physicalLocation: { artifactLocation: { uri: string }; region: object } }[]
    }[]
  }[]
}

describe('SARIF', () => {
  test.each([
    ['lint', () => ofLint.sarif('openapi.yaml', findings)],
    ['lint without findings', () => ofLint.sarif('openapi.yaml', [])],
    ['diff', () => ofDiff.sarif(diff)],
  ])('of %s is as its schema says, and its rules are listed', (_, write) => {
    const log = JSON.parse(write()) as Log
    expect(isSarif(log) ? [] : isSarif.errors).toEqual([])
    for (const { tool, results } of log.runs) {
      for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
    }
  })

  test('has places as URIs, levels, and what is excused', () => {
    const [lint] = (JSON.parse(ofLint.sarif('openapi.yaml', findings)) as Log).runs
    expect(lint?.results.map(({ level }) => level)).toEqual(['error', 'warning'])
    expect(lint?.results[0]?.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'my%20api/openapi.yaml' },
      region: { startLine: 3, startColumn: 5 },
    })
    expect(lint?.results[0]?.message.text).toBe(`Wrong: ${nasty}. Correct it.`)
    expect(lint?.results[1]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('file:///tmp/openapi.yaml')
    const [run] = (JSON.parse(ofDiff.sarif(diff)) as Log).runs
    expect(run?.results.map(({ level }) => level)).toEqual(['note', 'warning', 'note', 'error', 'warning'])
    expect(run?.results[0]?.suppressions).toEqual([
      { kind: 'external', justification: 'approved until 2027-01-31: <b>nobody</b> asks' },
    ])
  })
})

/** An element of an XML document without comments, CDATA and processing instructions. */
interface Element {
  name: string
  attributes: Record<string, string>
  text: string
  children: Element[]
}

/** Parses XML. What is not well-formed throws. */
function xml(document: string): Element {
  const [, body = ''] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n([^]*)$/.exec(document) ?? []
  const top: Element = { name: '', attributes: {}, text: '', children: [] }
  const open = [top]
  const token = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/gy
  let end = 0
  for (const [all, closing, name = '', attributes = '', single, text] of body.matchAll(token)) {
    end += all.length
    const current = open.at(-1)
    if (!current) throw new Error(`${all} is after the end`)
    if (text !== undefined) current.text += plain(text)
    else if (closing === '/') {
      if (open.pop()?.name !== name) throw new Error(`${all} closes another element`)
    } else {
      const pairs = Array.from(attributes.matchAll(/ ([a-z]+)="([^"]*)"/g), ([, key = '', value = '']) => [
        key,
        plain(value),
      ])
      const element = { name, attributes: Object.fromEntries(pairs) as Record<string, string>, text: '', children: [] }
      current.children.push(element)
      if (single !== '/') open.push(element)
    }
  }
  const [root, ...more] = top.children
  if (end !== body.length || open.length !== 1 || !root || more.length > 0)
    throw new Error(`no XML: ${body.slice(end)}`)
  return root
}

function plain(text: string): string {
  if (/&(?!(amp|lt|gt|quot|#10|#13);)|[\0-\x08\x0b\x0c\x0e-\x1f]/.test(text)) throw new Error(`no XML: ${text}`)
  const signs = { amp: '&', lt: '<', gt: '>', quot: '"', '#10': '\n', '#13': '\r' }
  return text.replaceAll(/&([^;]+);/g, (_, name: keyof typeof signs) => signs[name])
}

describe('JUnit', () => {
  test('has a suite with a case for each finding, of which errors fail', () => {
    const root = xml(ofLint.junit('openapi.yaml', findings))
    const counts = { tests: '2', failures: '1', errors: '0', time: '0' }
    expect([root.name, root.attributes]).toEqual(['testsuites', { name: 'contract lint', ...counts }])
    const [suite] = root.children
    expect([suite?.name, suite?.attributes]).toEqual(['testsuite', { name: 'openapi.yaml', ...counts, skipped: '0' }])
    const [error, warning] = suite?.children ?? []
    expect(error?.attributes).toEqual({
      name: 'struct at my api/openapi.yaml:3:5',
      classname: 'contract lint.struct',
      file: 'my api/openapi.yaml',
      line: '3',
      time: '0',
    })
    const shown = nasty.replace('\0', '\uFFFD')
    expect(error?.children).toEqual([
      {
        name: 'failure',
        attributes: { type: 'struct', message: `Wrong: ${shown}.` },
        text: `my api/openapi.yaml:3:5 error Wrong: ${shown}. Correct it.`,
        children: [],
      },
    ])
    expect(warning?.children.map(({ name }) => name)).toEqual(['system-out'])
  })

  test('of diff fails for what breaks, and not for what is excused', () => {
    const [suite] = xml(ofDiff.junit(diff)).children
    expect(suite?.attributes).toMatchObject({ name: 'head.yaml', tests: '5', failures: '1' })
    expect(suite?.children.map(({ attributes, children }) => [attributes.classname, children[0]?.name])).toEqual([
      ['contract diff.schema-constraint-changed', 'system-out'],
      ['contract diff.default-changed', 'system-out'],
      ['contract diff.property-added', 'system-out'],
      ['contract diff.version', 'failure'],
      ['contract diff.approvals', 'system-out'],
    ])
  })

  test('without findings has one case, which passes', () => {
    const [suite] = xml(ofLint.junit('openapi.yaml', [])).children
    expect(suite?.attributes).toMatchObject({ tests: '1', failures: '0' })
    expect(suite?.children[0]).toMatchObject({ attributes: { name: 'The contract is sound.' }, children: [] })
  })
})

test('HTML is a page that stands alone, with everything escaped', () => {
  const page = ofDiff.html({ ...diff, head: nasty })
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  expect(page).not.toContain('\0')
  expect(page).not.toMatch(/<script|<b>|<link|\bsrc=|\bhref=|https?:/)
  expect(page).toContain('&lt;script&gt;alert(&quot;a&quot; &amp; ')
  expect(page).toContain('Excused: approved until 2027-01-31: &lt;b&gt;nobody&lt;/b&gt; asks')
  expect(page).toContain('upper bound changed from &lt;= 100 to &lt;= 50.')
  expect([...page.matchAll(/<h2>(.*)<\/h2>/g)].map(([, heading]) => heading)).toEqual([
    'Breaking (1)',
    'Risky (1)',
    'Compatible (1)',
  ])
  expect(page).toContain('info.version stayed 1.0.0; these changes need the next major version.')
})
