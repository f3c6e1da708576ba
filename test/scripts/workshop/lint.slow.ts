import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'
import { placeText, type Finding } from '../../../scripts/workshop/finding.ts'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'animal-store-lint-'))
const today = '2026-11-28'
let files = 0

afterAll(() => {
  rmSync(folder, { recursive: true })
})

interface Run {
  code: number
  stdout: string
  stderr: string
}

function lint(file: string, ...more: string[]): Promise<Run> {
  const args = ['--import', 'tsx', 'scripts/contract-lint.ts', file, '--today', today, ...more]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

function written(text: string): string {
  files += 1
  const file = join(folder, `contract-${files}.yaml`)
  writeFileSync(file, text)
  return file
}

type Edit = (text: string) => string

/** Replaces one text, which must be there; with `after`, the first one behind that text. */
function replacing(from: string, to: string, after = ''): Edit {
  return (text) => {
    const start = text.indexOf(after)
    const at = text.indexOf(from, start)
    expect([after, start >= 0, from, at >= 0]).toEqual([after, true, from, true])
    return text.slice(0, at) + to + text.slice(at + from.length)
  }
}

function lineOf(text: string, mark: string): number {
  expect(text).toContain(mark)
  return text.slice(0, text.indexOf(mark)).split('\n').length
}

const inCreatePet = 'operationId: createPet'
const inGetPet = 'summary: Fetch one animal'

const without = (status: string, name: string, after: string): Edit =>
  replacing(`        ${status}:\n          $ref: '#/components/responses/${name}'\n`, '', after)

const withoutReset = replacing(
  "    X-RateLimit-Reset:\n      $ref: '#/components/headers/X-RateLimit-Reset'\n",
  '',
  'x-every-response',
)

interface Fault {
  rule: string
  edit: Edit
  /** A text that stands where the finding must be. */
  mark: string
  /** What it says. */
  message: RegExp
}

const undeclared: Fault[] = [
  [`'400'`, 'BadRequest'],
  [`'401'`, 'Unauthorized'],
  [`'413'`, 'PayloadTooLarge'],
  [`'415'`, 'UnsupportedMediaType'],
  [`'429'`, 'RateLimited'],
  ['default', 'Failure'],
].map(([status = '', name = '']) => ({
  rule: 'declared-statuses',
  edit: without(status, name, inCreatePet),
  mark: "responses:\n        '302'",
  message: new RegExp(`POST /pets does not declare ${status.replaceAll("'", '')}, `),
}))

/** Each breaks one rule. Those of one list are made in one contract, as they do not touch each other. */
const together: Fault[][] = [
  [
    ...undeclared,
    {
      rule: 'declared-statuses',
      edit: replacing("        '201':\n", "        '302':\n", inCreatePet),
      mark: "responses:\n        '302'",
      message: /POST \/pets does not declare how it succeeds\./,
    },
    {
      rule: 'declared-statuses',
      edit: without("'404'", 'NotFound', inGetPet),
      mark: "responses:\n        '200':\n          description: The animal.",
      message: /GET \/pets\/\{petId\} does not declare 404, /,
    },
    {
      rule: 'rate-limit-headers',
      edit: withoutReset,
      mark: "headers:\n    X-RateLimit-Limit:\n      $ref: '#/components/headers/X-RateLimit-Limit'\n    X-RateLimit-Remaining:",
      message: /The responses do not declare X-RateLimit-Reset\. .*x-every-response/,
    },
    {
      rule: 'stability',
      edit: replacing('      summary: Add an animal\n', '      summary: Add an animal\n      x-stability: alpha\n'),
      mark: 'x-stability: alpha',
      message: /not a known word.*experimental, beta, stable/,
    },
    {
      rule: 'operation-id-camel-case',
      edit: replacing('operationId: listPets', 'operationId: ListPets'),
      mark: 'operationId: ListPets',
      message: /ListPets of GET \/pets is not in lower camel case/,
    },
    {
      rule: 'pattern-message',
      edit: replacing('      x-pattern-message: must not be only white space, nor contain U+0000\n', ''),
      mark: 'pattern: ^\\s',
      message: /The pattern has no x-pattern-message beside it\..+must begin with a letter/,
    },
    {
      rule: 'pattern-message',
      edit: replacing('must be in lower snake case', 'It is in lower snake case.'),
      mark: 'x-pattern-message: It is',
      message: /is not a rule that begins with "must"/,
    },
    {
      rule: 'exact-integers',
      edit: replacing('categoryId: 9007199254740993,', 'categoryId: 9.1e+18,'),
      mark: '9.1e+18',
      message: /rounded to 9100000000000000000/,
    },
    {
      rule: 'exact-integers',
      edit: replacing(
        '      description: Identifier of the category',
        '      maximum: 9223372036854775807.0\n      minimum: -9223372036854775809\n      description: Identifier of the category',
      ),
      mark: '9223372036854775807.0',
      message: /rounded to 9223372036854775808/,
    },
    { rule: 'exact-integers', edit: (text) => text, mark: '-9223372036854775809', message: /outside 64 bits/ },
    {
      rule: 'anchors',
      edit: replacing('    PetStatus:\n', '    PetStatus: &status\n'),
      mark: 'PetStatus: &status',
      message: /anchor status/,
    },
    {
      rule: 'repeated-parameter',
      edit: replacing(
        '  /pets/{petId}:\n',
        '  /pets/{petId}:\n    parameters:\n      - { name: petId, in: path, required: true, schema: { type: integer } }\n',
      ),
      mark: '- name: petId',
      message: /repeats the path parameter petId of its path/,
    },
    {
      rule: 'read-only-in-request',
      edit: replacing(
        '      description: An animal to add.',
        '      readOnly: true\n      description: An animal to add.',
      ),
      mark: 'readOnly: true',
      message: /request of POST \/pets is readOnly/,
    },
    {
      rule: 'write-only-in-response',
      edit: replacing(
        '      description: An animal of the',
        '      writeOnly: true\n      description: An animal of the',
      ),
      mark: 'writeOnly: true',
      message: /writeOnly/,
    },
    {
      rule: 'callbacks',
      edit: replacing('      summary: Add an animal\n', '      summary: Add an animal\n      callbacks: {}\n'),
      mark: 'callbacks: {}',
      message: /declares callbacks/,
    },
    {
      rule: 'no-invalid-media-type-examples',
      edit: replacing('example: { name: Rex, categoryId: 7 }', 'example: { name: Rex }', inCreatePet),
      mark: '{ name: Rex }',
      message: /categoryId/,
    },
    {
      rule: 'no-invalid-schema-examples',
      edit: replacing('example: AAAAAAAAABQ', 'example: AA'),
      mark: 'AA\n',
      message: /must be taken from an X-Next-Cursor header/,
    },
    {
      rule: 'life-cycle',
      edit: replacing("x-deprecated-since: '2026-11-27'", "x-deprecated-since: '2026-11-27T00:00:00Z'"),
      mark: "x-deprecated-since: '2026-11-27T00:00:00Z'",
      message: /x-deprecated-since of GET \/pets\/\{petId\} is not a day/,
    },
  ],
  [
    {
      rule: 'life-cycle',
      edit: replacing("      x-deprecated-since: '2026-11-27'\n      x-sunset: '2030-12-05'\n", ''),
      mark: 'deprecated: true',
      message: /deprecated without x-deprecated-since/,
    },
    { rule: 'life-cycle', edit: (text) => text, mark: 'deprecated: true', message: /deprecated without x-sunset/ },
    {
      rule: 'engine',
      edit: replacing('operationId: createPet', 'operationId: listPets'),
      mark: 'operationId: listPets\n      tags: [pets]\n      summary: Add',
      message: /The operationId listPets of POST \/pets is taken by GET \/pets\./,
    },
  ],
  [
    {
      rule: 'life-cycle',
      edit: replacing('      deprecated: true\n', ''),
      mark: "x-sunset: '2030-12-05'",
      message: /has x-sunset but is not deprecated/,
    },
    {
      rule: 'engine',
      edit: replacing('operationId: createPet', 'operationId: listpets'),
      mark: 'operationId: listpets',
      message: /listpets of POST \/pets is taken by GET \/pets/,
    },
  ],
  [
    {
      rule: 'life-cycle',
      edit: replacing("x-sunset: '2030-12-05'", "x-sunset: '2026-11-26'"),
      mark: "x-sunset: '2026-11-26'",
      message: /The sunset of GET \/pets\/\{petId\} has passed\./,
    },
    { rule: 'life-cycle', edit: (text) => text, mark: "x-sunset: '2026-11-26'", message: /before its deprecation/ },
    {
      rule: 'plan-table',
      edit: replacing('| Pro | 300 | 10000 |', '| Pro | 300 | 1000 |'),
      mark: 'x-guide: |',
      message: /differs from x-plans\. .*\| pro \| 300 \| 10000 \|, .*\| enterprise \| set per key \|/,
    },
    {
      rule: 'engine',
      edit: replacing('in: path\n', 'in: path\n          style: form\n'),
      mark: 'style: form',
      message: /the path parameter petId has the style form/,
    },
  ],
  [
    {
      rule: 'plan-table',
      edit: replacing('perMinute: 300', 'perMinute: many'),
      mark: 'x-plans:',
      message: /The plan pro in x-plans must have perMinute and perDay/,
    },
  ],
  [
    {
      rule: 'struct',
      edit: replacing('enum: [available, pending, sold]', 'const: available'),
      mark: 'const: available',
      message: /`const` is not expected here/,
    },
  ],
  [
    {
      rule: 'references',
      edit: replacing("$ref: '#/components/schemas/PetName'", "$ref: '#/components/schemas/None'"),
      mark: "$ref: '#/components/schemas/None'",
      message: /^The \$ref "#\/components\/[^"]*" leads to nothing\./,
    },
  ],
  [
    {
      rule: 'contract',
      edit: replacing("description: The animal's availability.", 'description: *status'),
      mark: '*status',
      message: /alias/i,
    },
  ],
]

describe('contract:lint', () => {
  test.each(together)('breaks by one edit for each rule (%#)', async (...faults) => {
    const text = faults.reduce((edited, { edit }) => edit(edited), contract)
    const { code, stdout, stderr } = await lint(written(text), '--format', 'json', '--house')
    expect(stderr).toBe('')
    expect(code).toBe(1)
    const { verdict, findings } = JSON.parse(stdout) as { verdict: string; findings: Finding[] }
    expect(verdict).toBe('failed')
    for (const { rule, mark, message } of faults) {
      const right = findings.filter((one) => one.rule === rule && message.test(`${one.message} ${one.fix}`))
      expect(right.map(({ place, fix }) => [rule, place.line, /[.?]$/.test(fix)])).toEqual([
        [rule, lineOf(text, mark), true],
      ])
    }
  })

  test('finds nothing in our own contract', async () => {
    expect(await lint('openapi.yaml')).toEqual({ code: 0, stdout: 'The contract is sound.\n', stderr: '' })
  })

  test('prints places that editors follow, and annotations for GitHub', async () => {
    const file = written(contract.replace('3.0.3', '3.3.0'))
    expect((await lint(file)).stdout).toMatch(
      /contract-\d+\.yaml:1:1 error The version 3\.3\.0 is not of OpenAPI 3\.0, 3\.1 or 3\.2/,
    )
    const { stdout } = await lint(file, '--format', 'github')
    expect(stdout).toBe(
      `::error title=contract,file=${file},line=1,col=1::The version 3.3.0 is not of OpenAPI 3.0, 3.1 or 3.2. ` +
        'Write such as "openapi: 3.0.3".\n',
    )
  })

  const unreadable: [string, string, RegExp][] = [
    ['is no YAML', 'a: [1', /contract-\d+\.yaml:\d+:\d+ error /],
    ['has two documents', `${contract}---\na: 1\n`, /contract-\d+\.yaml:\d+:\d+ error .*document/],
    ['has a key twice', `${contract}paths: {}\n`, /contract-\d+\.yaml:\d+:1 error .*unique/],
    ['is indented by tabs', contract.replace('\n  title', '\n\ttitle'), /contract-\d+\.yaml:3:1 error .*tab/i],
    ['has another version', contract.replace('3.0.3', '3.3.0'), /contract-\d+\.yaml:1:1 error .*3\.0/],
    ['is empty', '', /contract-\d+\.yaml:1:1 error /],
  ]
  test.each(unreadable)('tells the place when the contract %s', async (_, text, message) => {
    const findings = await lintContract(written(text), { today })
    expect(findings.map((one) => `${placeText(one.place)} ${one.severity} ${one.message}`)).toEqual([
      expect.stringMatching(message),
    ])
  })

  test('exits with 2 when there is no such file, or an option is unknown', async () => {
    expect(await lint(join(folder, 'none.yaml'))).toMatchObject({ code: 2, stdout: '' })
    expect(await lint('openapi.yaml', '--format', 'xml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are text, json, github, junit, sarif.'),
    })
    expect(await lint('openapi.yaml', '--colour')).toMatchObject({ code: 2, stdout: '' })
  })
})
