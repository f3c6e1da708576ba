import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'

const top = mkdtempSync(join(tmpdir(), 'lint configuration '))
let folders = 0
afterAll(() => {
  rmSync(top, { recursive: true })
})

const contract = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://api.test/v1' }]
security: [{ key: [] }]
paths:
  /things: { $ref: things.yaml }
components: { securitySchemes: { key: { type: http, scheme: bearer } } }
`
const things = `get:
  operationId: getThings
  responses: { '200': { description: Done. } }
`

/** What lint says of `api/openapi.yaml` beside these files: file, line, rule and severity. */
async function told(files: Readonly<Record<string, string>>): Promise<string[]> {
  folders += 1
  const folder = join(top, String(folders))
  for (const [name, text] of Object.entries({ 'api/openapi.yaml': contract, 'api/things.yaml': things, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const options = { today: '2026-11-28' }
  try {
    const findings = await lintContract(join(folder, 'api/openapi.yaml'), options)
    return findings.map(({ rule, severity, place, message }) => {
      const said = rule === 'configuration' ? ` ${message}` : ''
      return `${place.file.slice(folder.length + 1)}:${place.line} ${severity} ${rule}${said}`
    })
  } catch (error) {
    return [(error as Error).message.replaceAll(`${folder}/`, '')]
  }
}

const beside = 'api/redocly.yaml'
const license = 'api/openapi.yaml:2 error info-license'
const summary = 'api/things.yaml:1 warning operation-summary'

test.each<[string, Record<string, string>, string[]]>([
  [
    'rules that are off, warnings and errors',
    { [beside]: 'rules: { info-license: error, operation-summary: warn, no-ambiguous-paths: off }' },
    [license, summary],
  ],
  [
    'a set of rules, one of which is off',
    { [beside]: 'extends: recommended\nrules: { operation-summary: off, info-license: off }' },
    ['api/things.yaml:3 warning operation-4xx-response'],
  ],
  [
    'rules of another file',
    { [beside]: 'extends: [../rules/own.yaml]', 'rules/own.yaml': 'rules: { info-license: error }' },
    [license],
  ],
  [
    'rules of the contract among apis',
    {
      [beside]:
        'rules: { info-license: off, operation-summary: warn }\napis:\n  a: { root: other.yaml, rules: { operation-4xx-response: error } }\n  b: { root: openapi.yaml, rules: { info-license: error } }',
    },
    [license, summary],
  ],
  [
    'apis further up',
    {
      'redocly.yaml': 'apis: { b: { root: ./api/openapi.yaml, extends: [./own.yaml] } }',
      'own.yaml': 'rules: { info-license: error }',
    },
    [license],
  ],
  ['a file further up that does not name the contract', { 'redocly.yaml': 'rules: { info-license: error }' }, []],
  ['no rules', { [beside]: 'theme: { openapi: {} }' }, []],
  [
    'places to ignore',
    {
      [beside]: 'rules: { info-license: error, operation-summary: warn }',
      'api/.redocly.lint-ignore.yaml':
        "openapi.yaml: { info-license: ['#/info'] }\nthings.yaml: { operation-summary: ['#/get'] }",
    },
    [],
  ],
  [
    'places to ignore of other rules and files',
    {
      [beside]: 'rules: { info-license: error, operation-summary: warn }',
      'api/.redocly.lint-ignore.yaml':
        "openapi.yaml: { info-contact: ['#/info'] }\nother.yaml: { operation-summary: ['#/get'] }",
    },
    [license, summary],
  ],
  [
    'an unknown rule, and an unknown severity',
    { [beside]: 'rules:\n  info-licence: error\n  info-license: fatal\n' },
    [
      'api/openapi.yaml:2 warning info-license',
      'api/redocly.yaml:2 warning configuration There is no rule info-licence.',
      'api/redocly.yaml:3 warning configuration `info-license` can be one of the following only: "error", "warn", "off".',
    ],
  ],
  [
    'rules from the network',
    { [beside]: 'extends:\n  - https://rules.test/own.yaml\nrules: { info-license: error }' },
    [license, 'api/redocly.yaml:2 warning configuration Nothing is fetched from the network.'],
  ],
])('lint reads %s', async (_, files, expected) => {
  expect(await told(files)).toEqual(expected)
})

test.each([
  [
    'rules:\n  a: [\n',
    /^api\/redocly\.yaml:2:6 The configuration is not YAML: What begins here with \[ does not end\. Add the \] that is missing\.$/,
  ],
  ['- a\n', /^api\/redocly\.yaml:1:1 The configuration must be a mapping, such as "extends: \[recommended\]"\.$/],
  ['x-house-rules: yes\n', /^api\/redocly\.yaml:1:1 x-house-rules must be true or false\.$/],
  [
    'extends: [own.yaml]\n',
    /^api\/redocly\.yaml:1:11 There is no file api\/own\.yaml\. Add it, or correct its name\.$/,
  ],
  [
    'extends: [strict]\n',
    /^api\/redocly\.yaml:1:1 Invalid config strict: there is no such built-in config\. Correct the configuration\.$/,
  ],
])('a configuration that cannot be read is told in one sentence: %j', async (text, sentence) => {
  expect(await told({ [beside]: text })).toEqual([expect.stringMatching(sentence)])
})
