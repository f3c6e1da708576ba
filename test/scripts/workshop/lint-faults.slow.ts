import { createServer } from 'node:http'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import type { Finding } from '../../../scripts/workshop/finding.ts'
import { lintContract } from '../../../scripts/workshop/lint/lint.ts'
import { edited } from '../../support/contracts/pairs.ts'

const folder = mkdtempSync(join(tmpdir(), 'contract-faults-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** A sound contract of somebody else. */
const sound = `openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: 'https://api.test{base}', variables: { base: { default: /v1 } } }]
tags: [{ name: things }]
security: [{ bearerAuth: [] }]
paths:
  /things/{id}:
    get:
      operationId: getThing
      tags: [things]
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: size, in: query, schema: { type: integer, minimum: 1, maximum: 9, default: 5 } }
      responses:
        '200':
          description: The thing.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
              example: { name: Rex, kind: big }
components:
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
  schemas:
    Thing:
      type: object
      required: [name]
      properties:
        name: { $ref: '#/components/schemas/Name' }
        kind: { type: string, enum: [big, small] }
    Name: { type: string, maxLength: 9 }
`

async function lint(text: string | Buffer, name = 'contract.yaml'): Promise<Finding[]> {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return lintContract(file, { today: '2026-11-28' })
}

/** The findings as lines without the folder. */
async function told(text: string | Buffer, name?: string): Promise<string[]> {
  const findings = await lint(text, name)
  return findings.map(({ place, severity, message, fix }) => {
    return `${place.file.slice(folder.length + 1)}:${place.line} ${severity} ${message} ${fix}`
  })
}

const at = (text: string, mark: string): number => text.slice(0, text.indexOf(mark)).split('\n').length

test('a contract of somebody else has no faults by the house rules of this project', async () => {
  expect(await told(sound)).toEqual([])
})

test('what OpenAPI does not know is told beside other faults, in the same run', async () => {
  const text = sound
    .replace('type: string, maxLength', 'type: strin, maxLength')
    .replace("'200':", '2xx:')
    .replace('tags: [{ name: things }]', 'tags: [{ name: things, sort: 1 }]')
  const refused = 'Correct it; the service does not start with it.'
  expect(await told(text)).toEqual([
    'contract.yaml:4 error Property `sort` is not expected here. Take it away, or correct its name.',
    `contract.yaml:15 error OpenAPI 3.0: responses.2xx must be a status such as 404, a range such as 4XX, or default. ${refused}`,
    'contract.yaml:31 error There is no type "strin". Did you mean string?',
  ])
})

describe('one fault is one finding, at its line', () => {
  const thing = "{ $ref: '#/components/schemas/Name' }"
  const size = 'minimum: 1, maximum: 9, default: 5'
  test.each<[string, [string, string], string]>([
    ['default outside its enum', [size, 'enum: [1, 2], default: 5'], 'The default must be one of 1, 2.'],
    ['default of another type', ['default: 5', "default: '5'"], 'The default must be an integer.'],
    ['default above the maximum', ['default: 5', 'default: 10'], 'The default must be <= 9.'],
    ['default null', ['default: 5', 'default: null'], 'The default must be an integer.'],
    ['minimum above maximum', ['minimum: 1', 'minimum: 10'], 'minimum 10 leaves nothing below maximum 9'],
    ['minLength above maxLength', ['maxLength: 9 }', 'maxLength: 9, minLength: 10 }'], 'minLength 10 leaves nothing'],
    ['multipleOf 0', ['default: 5', 'default: 5, multipleOf: 0'], 'multipleOf 0 is not above 0.'],
    ['unknown type', ['Name: { type: string', 'Name: { type: str'], 'There is no type "str". Did you mean string?'],
    [
      'int for integer',
      ['size, in: query, schema: { type: integer', 'size, in: query, schema: { type: int'],
      'There is no type "int". Did you mean integer?',
    ],
    ['array without items', [thing, '{ type: array }'], 'The array has no items.'],
    [
      'pattern that is none',
      ['maxLength: 9 }', "pattern: '[a-' }"],
      'The pattern is no regular expression: Unterminated',
    ],
    ['empty enum', ['[big, small]', '[]'], 'The enum has no values'],
    [
      'property __proto__',
      ['        kind:', '        __proto__: { type: string }\n        kind:'],
      'A property cannot have the name __proto__.',
    ],
    [
      'discriminator without its property',
      ['      required: [name]', '      discriminator: { propertyName: sort }\n      required: [name]'],
      'The discriminator names the property sort',
    ],
    [
      'closed part of an allOf',
      [thing, '{ allOf: [{ additionalProperties: false, properties: { a: {} } }, { properties: { b: {} } }] }'],
      'This part of the allOf is closed and refuses b',
    ],
    [
      'path parameter that is not required',
      ['in: path, required: true', 'in: path'],
      'The path parameter id of GET /things/{id} must be required.',
    ],
    ['place of a parameter that is none', ['in: query', 'in: querry'], 'Did you mean query?'],
    [
      'reference to nothing',
      [thing, "{ $ref: '#/components/schemas/Nam' }"],
      'The $ref "#/components/schemas/Nam" leads to nothing. Did you mean "#/components/schemas/Name"?',
    ],
    [
      'reference to itself',
      ['Name: { type: string, maxLength: 9 }', "Name: { $ref: '#/components/schemas/Name' }"],
      'leads back to itself',
    ],
    ['reference that is a number', [thing, '{ $ref: 5 }'], 'The $ref is not a text.'],
    ['ref instead of $ref', [thing, "{ ref: '#/components/schemas/Name' }"], 'ref is no keyword. Write $ref.'],
    [
      'reference to another file that is not there',
      [thing, "{ $ref: 'none.yaml#/Name' }"],
      'The $ref "none.yaml#/Name" leads to a file that is not there. Add the file, or correct its name.',
    ],
    [
      'unknown security scheme',
      ['security: [{ bearerAuth: [] }]', 'security: [{ bearer: [] }]'],
      'There is no security scheme bearer. Did you mean bearerAuth?',
    ],
    ['paths that are a list', ['  /things/{id}:', '  - /things/{id}:'], ''],
  ])('%s', async (_, edit, message) => {
    const text = edited(sound, [edit])
    const findings = (await lint(text)).filter(({ severity }) => severity === 'error')
    expect(findings.map(({ message, fix }) => `${message} ${fix}`)).toEqual([expect.stringContaining(message)])
    const line = text.split('\n').findIndex((one, index) => one !== sound.split('\n')[index]) + 1
    expect(Math.abs((findings[0]?.place.line ?? 0) - line)).toBeLessThan(2)
  })

  test.each<[string, [string, string], string]>([
    [
      'body of a GET',
      [
        '      tags: [things]',
        '      requestBody: { content: { application/json: { schema: {} } } }\n      tags: [things]',
      ],
      'GET /things/{id} declares a body, which a GET does not have.',
    ],
    [
      'tag that is not declared',
      ['tags: [things]', 'tags: [thing]'],
      'The tag thing of GET /things/{id} is not declared. Did you mean things?',
    ],
    ['value of an enum twice', ['[big, small]', '[big, small, big]'], 'The enum has the value "big" twice.'],
    ['slash at the end of a server', ['default: /v1', 'default: /v1/'], 'The address of the server ends in a slash'],
  ])('of use rather than of OpenAPI is a warning: %s', async (_, edit, message) => {
    const findings = await lint(edited(sound, [edit]))
    expect(findings.map(({ severity, message, fix }) => [severity, `${message} ${fix}`])).toEqual([
      ['warning', expect.stringContaining(message)],
    ])
  })

  test('that many places use is told once, with their number', async () => {
    const text = edited(sound, [
      ['kind: { type: string, enum: [big, small] }', "kind: { $ref: '#/components/schemas/Nam' }"],
    ])
    const twice = text.replace(
      "name: { $ref: '#/components/schemas/Name' }",
      "name: { $ref: '#/components/schemas/Nam' }",
    )
    const [only, ...more] = (await told(twice)).filter((line) => line.includes(' error '))
    expect(only).toContain('leads to nothing. It is used 2 times. Did you mean')
    expect(more).toEqual([])
  })

  test('beside a reference is a warning', async () => {
    const text = edited(sound, [['name: { $ref:', 'name: { description: Its name., $ref:']])
    expect((await told(text)).filter((line) => line.includes('warning'))).toEqual([
      `contract.yaml:${at(text, 'Its name')} warning description beside $ref has no effect. Take it away, or put the $ref alone into an allOf.`,
    ])
  })
})

describe('a file that is no contract', () => {
  test.each<[string, string | Buffer, string[]]>([
    [
      'UTF-16',
      Buffer.from(`\uFEFF${sound}`, 'utf16le'),
      ['contract.yaml:1 error The file is not UTF-8, but UTF-16. Save it in UTF-8.'],
    ],
    [
      'Latin-1',
      Buffer.from(sound.replace('Things', 'Müll'), 'latin1'),
      ['contract.yaml:1 error The file is not UTF-8. Save it in UTF-8.'],
    ],
    ['empty', '', ['contract.yaml:1 error The file is empty. Begin the file with "openapi: 3.0.3".']],
    ['a comment', '# nothing\n', ['contract.yaml:1 error The file is empty. Begin the file with "openapi: 3.0.3".']],
    [
      'a list',
      '- a\n',
      ['contract.yaml:1 error The file is not an OpenAPI document. Begin the file with "openapi: 3.0.3".'],
    ],
    [
      'Swagger 2.0',
      "swagger: '2.0'\n",
      ['contract.yaml:1 error The file is a document of Swagger 2.0. Convert it to OpenAPI 3.0 first.'],
    ],
    [
      'without a version',
      'info: {}\n',
      ['contract.yaml:1 error The file names no version of OpenAPI. Begin the file with "openapi: 3.0.3".'],
    ],
    [
      'of version 3.0',
      sound.replace('3.0.3', '3.0'),
      ['contract.yaml:1 error The version 3.0 is incomplete; it has three parts. Write "openapi: 3.0.3".'],
    ],
    [
      'two documents',
      `${sound}---\na: 1\n`,
      [
        `contract.yaml:${sound.split('\n').length} error The file has more than one YAML document. Take away what begins with the line "---", or move it to a file of its own.`,
      ],
    ],
    [
      'with a key twice',
      `${sound}paths: {}\n`,
      [
        `contract.yaml:${sound.split('\n').length} error The key paths is not unique. It stands in line 6 already. Take one away, or join them.`,
      ],
    ],
  ])('is told why: %s', async (_, text, lines) => {
    expect(await told(text)).toEqual(lines)
  })

  test('has all its YAML faults told, with the lines around them and not what follows from them', async () => {
    const text = edited(sound, [
      ['      tags: [things]', '       tags: [things]'],
      ['description: The thing.', 'description: The: thing.'],
      ['title: Things', "title: 'Things, kind: @x"],
    ])
    const [first, ...more] = await lint(edited(sound, [['      tags: [things]', '       tags: [things]']]))
    expect(more).toEqual([])
    expect(first).toMatchObject({ message: 'The line is not indented like its neighbours.', place: { line: 10 } })
    expect(first?.excerpt).toBe(
      [
        '     8 |     get:',
        '     9 |       operationId: getThing',
        '>   10 |        tags: [things]',
        '    11 |       parameters:',
      ].join('\n'),
    )
    expect((await lint(text)).length).toBeGreaterThan(0)
    const two = edited(sound, [
      ['in: query', 'in: @query'],
      ['in: path', 'in: @path'],
    ])
    expect((await lint(two)).map(({ place }) => place.line)).toEqual([12, 13])
  })
})

describe('what the service cannot serve', () => {
  const more = `  /a/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, style: simple, schema: { type: object, properties: { b: { type: array, items: { type: string } } } } }]
      responses: { '204': { description: Done. } }
  /b:
    put:
      requestBody: { content: { multipart/mixed: { schema: { type: object } } } }
      responses: { '204': { description: Done. } }
  /c:
    get: { responses: { '200': { description: A., content: { application/json: { schema: { $ref: '#/components/schemas/Nam' } } } } } }
`
  const text = edited(sound, [['components:\n', `${more}components:\n`]])
  const told = async (text: string, house: boolean): Promise<[string, number, string][]> => {
    const file = join(folder, 'engine.yaml')
    writeFileSync(file, text)
    return (await lintContract(file, { today: '2026-11-28', house }))
      .filter(({ rule }) => rule === 'engine')
      .map(({ severity, place, message }) => [severity, place.line, message])
  }
  const faults = (severity: string): unknown[] => [
    [severity, at(text, 'name: id, in: path, required: true, style'), expect.stringContaining('must not have lists')],
    [severity, at(text, 'multipart/mixed'), 'putB: the body multipart/mixed cannot be read.'],
  ]

  test('and OpenAPI allows is a warning, in one run, also beside a reference to nothing', async () => {
    expect(await told(text, false)).toEqual(faults('warning'))
  })

  test('is an error, and in a way of its own a warning, where the house rules apply', async () => {
    const note = 'Without x-plans, keys have one plan without limits to speak of.'
    expect(await told(text, true)).toEqual(expect.arrayContaining([['warning', 1, note], ...faults('error')]))
  })
})

test('findings are not cut off', async () => {
  const many = Array.from({ length: 1200 }, (_, index) => `    S${index}: { type: string, nonsense: 1 }\n`).join('')
  expect((await lint(sound + many)).filter(({ rule }) => rule === 'struct')).toHaveLength(1200)
})

test('spaces and # in a path change nothing', async () => {
  expect(await told(sound, 'a #1 b/my #2 contract.yaml')).toEqual([])
  const text = edited(sound, [['in: query', 'in: querry']])
  expect(await told(text, 'a #1 b/my #2 contract.yaml')).toEqual([
    expect.stringMatching(/^a #1 b\/my #2 contract\.yaml:13 error /),
  ])
})

test('a fault in another file is told with its name', async () => {
  writeFileSync(join(folder, 'item.yaml'), 'Name:\n  type: strin\n')
  const text = edited(sound, [["{ $ref: '#/components/schemas/Name' }", "{ $ref: 'item.yaml#/Name' }"]])
  expect(await told(text)).toEqual([
    expect.stringMatching(/^item\.yaml:2 error There is no type "strin"\. Did you mean string\?/),
  ])
})

test('nothing is fetched, and what looks like a reference in an extension is left alone', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('Name: { type: string }')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.yaml`
  const lines = await told(edited(sound, [["{ $ref: '#/components/schemas/Name' }", `{ $ref: '${address}#/Name' }`]]))
  const extension = await told(`${sound}x-more: { $ref: '${address}#/Name' }\n`)
  await new Promise((closed) => server.close(closed))
  expect(lines.filter((line) => / (error|warning) The \$ref/.test(line))).toEqual([
    expect.stringContaining('leads to an address of the network, and nothing is fetched.'),
  ])
  expect(extension.filter((line) => line.includes('no-unresolved-refs'))).toEqual([])
  expect(asked).toEqual([])
})

test('the redocly.yaml beside a contract decides on the house rules', async () => {
  const rules = async (config: string): Promise<boolean> => {
    mkdirSync(join(folder, 'configured'), { recursive: true })
    writeFileSync(join(folder, 'configured/redocly.yaml'), config)
    return (await lint(sound, 'configured/contract.yaml')).some(({ rule }) => rule === 'declared-statuses')
  }
  expect(await rules('extends: [minimal]\nx-house-rules: true\n')).toBe(true)
  expect(await rules('extends: [minimal]\n')).toBe(false)
})
