import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { readContract, type ContractDocument } from '../../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../../src/contract/model/model.ts'
import { judge } from '../../../../src/contract/rules/judge.ts'
import { references } from '../../../../src/contract/rules/references.ts'

const top = mkdtempSync(join(tmpdir(), 'contract-files-'))
afterAll(() => {
  rmSync(top, { recursive: true })
})
let contracts = 0

/** Writes a contract of several files, and reads it. */
function read(files: Record<string, string>, name = 'api/openapi.yaml'): ContractDocument {
  contracts += 1
  const folder = join(top, `contract-${contracts}`)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return readContract(join(folder, name), { outsideFiles: true })
}

const told = (contract: ContractDocument): string[] =>
  judge(modelOf(contract), { references: [references] }).map(
    ({ at, message, fix }) => `${contract.place(at)} ${message} ${fix ?? ''}`,
  )

const pet = 'type: object\nproperties:\n  name: { type: string }\n'
const schemas = (lines: string): string =>
  `openapi: 3.0.3\ninfo: { title: A, version: '1' }\npaths: {}\ncomponents:\n  schemas:\n${lines}`

describe('a contract of several files', () => {
  const contract = read({
    'api/openapi.yaml': `openapi: 3.0.3
info: { title: A, version: '1' }
paths:
  /pets: { $ref: paths/pets.yaml }
  /dogs: { $ref: 'paths/pets.yaml' }
components:
  schemas:
    Error: { $ref: '../common.yaml#/components/schemas/Error' }
    Name: { type: string }
`,
    'api/paths/pets.yaml': `get:
  parameters: [{ $ref: '../parameters/my%20%23%25.yaml' }]
  responses:
    '200': { $ref: '../responses.json#/Pets' }
    default: { $ref: '../../common.yaml#/components/responses/Failure' }
`,
    'api/parameters/my #%.yaml': 'name: limit\nin: query\nschema: { type: integer, maximum: 9007199254740993 }\n',
    'api/responses.json': `{
  "Pets": {
    "description": "Pets.",
    "headers": { "X-A": { "$ref": "#/Count" } },
    "content": {
      "application/json": {
        "schema": { "type": "array", "items": { "$ref": "schemas/pet.yaml" } },
        "examples": { "one": { "$ref": "examples/one.yaml" } }
      }
    }
  },
  "Count": { "schema": { "type": "integer", "minimum": 9007199254740993 } }
}
`,
    'api/examples/one.yaml': 'value: [{ $ref: nowhere.yaml }]\n',
    'api/schemas/pet.yaml': `type: object
properties:
  name: { $ref: '../openapi.yaml#/components/schemas/Name' }
  parent: { $ref: 'pet.yaml' }
  kind: { $ref: '#/definitions/Kind' }
  cause: { $ref: ../../common.yaml#/components/schemas/Error }
definitions:
  Kind: { enum: [a, b] }
`,
    'common.yaml': `components:
  schemas:
    Error: { type: object, properties: { first: { $ref: '#/components/schemas/Error' } } }
  responses:
    Failure:
      description: Failed.
      content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
`,
  })

  test('is one tree, in which parts of other files are components, and paths are in their place', () => {
    const item = {
      get: {
        parameters: [{ $ref: '#/components/parameters/my_' }],
        responses: {
          '200': { $ref: '#/components/responses/Pets' },
          default: { $ref: '#/components/responses/Failure' },
        },
      },
    }
    expect(contract.root).toEqual({
      openapi: '3.0.3',
      info: { title: 'A', version: '1' },
      paths: { '/pets': item, '/dogs': item },
      components: {
        schemas: {
          Error: { type: 'object', properties: { first: { $ref: '#/components/schemas/Error' } } },
          Name: { type: 'string' },
          pet: {
            type: 'object',
            properties: {
              name: { $ref: '#/components/schemas/Name' },
              parent: { $ref: '#/components/schemas/pet' },
              kind: { $ref: '#/components/schemas/Kind' },
              cause: { $ref: '#/components/schemas/Error' },
            },
            definitions: { Kind: { enum: ['a', 'b'] } },
          },
          Kind: { enum: ['a', 'b'] },
        },
        parameters: { my_: { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 9007199254740993n } } },
        responses: {
          Pets: {
            description: 'Pets.',
            headers: { 'X-A': { $ref: '#/components/headers/Count' } },
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/pet' } },
                examples: { one: { $ref: '#/components/examples/one' } },
              },
            },
          },
          Failure: {
            description: 'Failed.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        },
        headers: { Count: { schema: { type: 'integer', minimum: 9007199254740993n } } },
        examples: { one: { value: [{ $ref: 'nowhere.yaml' }] } },
      },
    })
    expect(told(contract)).toEqual([])
  })

  test('knows its files, and the file, line and column of each part', () => {
    expect(contract.files).toEqual([
      'openapi.yaml',
      '../common.yaml',
      'paths/pets.yaml',
      'parameters/my #%.yaml',
      'responses.json',
      'schemas/pet.yaml',
      'examples/one.yaml',
    ])
    const place = (...path: string[]): string => contract.place(path)
    expect(place('paths', '/dogs')).toBe('openapi.yaml:5:3')
    expect(place('paths', '/dogs', 'get', 'responses', '200')).toBe('paths/pets.yaml:4:5')
    expect(place('components', 'schemas', 'Error')).toBe('openapi.yaml:8:5')
    expect(place('components', 'schemas', 'Error', 'type')).toBe('../common.yaml:3:14')
    expect(place('components', 'schemas', 'pet', 'properties', 'kind')).toBe('schemas/pet.yaml:5:3')
    expect(place('components', 'schemas', 'Kind', 'enum')).toBe('schemas/pet.yaml:8:11')
    expect(place('components', 'headers', 'Count', 'schema', 'minimum')).toBe('responses.json:12:45')
    expect(place('components', 'parameters', 'my_', 'in')).toBe('parameters/my #%.yaml:2:1')
    expect(place('components', 'schemas', 'Name')).toBe('openapi.yaml:9:5')
  })
})

describe('files', () => {
  test('change the digest, also when the first one stays the same', () => {
    const digest = (text: string): string =>
      read({ 'api/openapi.yaml': schemas('    Pet: { $ref: pet.yaml }\n'), 'api/pet.yaml': text }).digest
    expect(digest(`# a note\n${pet}`)).toBe(digest(pet))
    expect(digest(pet.replace('string', 'integer'))).not.toBe(digest(pet))
  })

  test('give unique names to what they have under one name', () => {
    const { root } = read({
      'api/openapi.yaml': schemas(
        `    Pet: { type: string }\n    All: { items: { $ref: 'a/Pet.yaml' }, not: { $ref: b/Pet.yaml#/x/Pet } }\n`,
      ),
      'api/a/Pet.yaml': pet,
      'api/b/Pet.yaml': 'x: { Pet: { type: integer } }\n',
    })
    expect(root.components?.schemas).toMatchObject({
      Pet: { type: 'string' },
      All: { items: { $ref: '#/components/schemas/Pet2' }, not: { $ref: '#/components/schemas/Pet3' } },
      Pet2: { type: 'object' },
      Pet3: { type: 'integer' },
    })
  })

  test('may refer to each other in a circle', () => {
    const contract = read({
      'api/openapi.yaml': schemas('    A: { $ref: a.yaml }\n'),
      'api/a.yaml': 'properties: { b: { $ref: b.yaml } }\n',
      'api/b.yaml': 'properties: { a: { $ref: a.yaml } }\n',
    })
    expect(told(contract)).toEqual([])
    expect(contract.root.components?.schemas).toEqual({
      A: { properties: { b: { $ref: '#/components/schemas/b' } } },
      b: { properties: { a: { $ref: '#/components/schemas/A' } } },
    })
  })

  test('name the alternatives of a discriminator', () => {
    const { root } = read({
      'api/openapi.yaml': schemas(
        '    A:\n      oneOf: [{ $ref: dog.yaml }]\n      discriminator: { propertyName: kind, mapping: { dog: dog.yaml, cat: Cat } }\n',
      ),
      'api/dog.yaml': pet,
    })
    expect(root.components?.schemas?.A).toMatchObject({
      oneOf: [{ $ref: '#/components/schemas/dog' }],
      discriminator: { mapping: { dog: '#/components/schemas/dog', cat: 'Cat' } },
    })
  })

  test('may hold all paths, or all schemas', () => {
    const { root } = read({
      'api/openapi.yaml': `openapi: 3.0.3\ninfo: {}\npaths: { $ref: paths.yaml }\ncomponents: { schemas: { $ref: schemas/all.yaml } }\n`,
      'api/paths.yaml': '/a: { $ref: a.yaml }\n',
      'api/a.yaml': 'get: { responses: {} }\n',
      'api/schemas/all.yaml': 'Pet: { $ref: pet.yaml }\n',
      'api/schemas/pet.yaml': pet,
    })
    expect(root.paths).toEqual({ '/a': { get: { responses: {} } } })
    expect(root.components?.schemas).toMatchObject({ Pet: { type: 'object' } })
  })
})

describe('a reference to a file', () => {
  const one = (reference: string): string[] =>
    told(
      read({
        'api/openapi.yaml': schemas(
          `    A: { items: { $ref: '${reference}' } }\n    B: { items: { $ref: '${reference}' } }\n`,
        ),
        'api/schemas/pet.yaml': `${pet}definitions: { Kind: {}, Round: { $ref: '#/definitions/Round' } }\n`,
        'api/empty.yaml': '',
      }),
    )
  test.each([
    ['schemas/pte.yaml', 'leads to a file that is not there. It is used 2 times. Did you mean "schemas/pet.yaml"?'],
    ['schemas/unlike', 'leads to a file that is not there. It is used 2 times. Add the file, or correct its name.'],
    ['schemas', 'leads to a file that is not there. It is used 2 times. Add the file, or correct its name.'],
    [
      'schemas/pet.yaml#/definitions/Kinds',
      'leads to nothing. It is used 2 times. Did you mean "schemas/pet.yaml#/definitions/Kind"?',
    ],
    ['empty.yaml', 'leads to nothing. It is used 2 times. Add that part to empty.yaml, or correct the name.'],
    [
      'http://127.0.0.1/pet.yaml',
      'leads to an address of the network, and nothing is fetched. It is used 2 times. Save that part in a file, and refer to the file.',
    ],
  ])('%j that leads to nothing is one fault', (reference, message) => {
    expect(one(reference)).toEqual([`openapi.yaml:6:19 The $ref "${reference}" ${message}`])
  })

  test('within a file that leads to nothing there is a fault, also if the first file has such a part', () => {
    const contract = read({
      'api/openapi.yaml': schemas('    Name: { type: string }\n    Pet: { $ref: pet.yaml }\n'),
      'api/pet.yaml': "properties:\n  name: { $ref: '#/components/schemas/Name' }\n",
    })
    expect(told(contract)).toEqual([
      'pet.yaml:2:11 The $ref "#/components/schemas/Name" leads to nothing. Add that part to pet.yaml, or correct the name.',
    ])
  })

  test('that leads back to itself is a fault', () => {
    const contract = read({
      'api/openapi.yaml': 'openapi: 3.0.3\ninfo: {}\npaths:\n  /a: { $ref: a.yaml }\n',
      'api/a.yaml': '$ref: b.yaml\n',
      'api/b.yaml': '$ref: a.yaml\n',
    })
    expect(told(contract)).toEqual([
      expect.stringMatching(/^\w+\.yaml:\d+:\d+ The \$ref leads back to itself, so it stands for nothing\./),
    ])
  })

  test('that is no YAML is told at its line', () => {
    expect(() =>
      read({ 'api/openapi.yaml': schemas('    A: { $ref: a/b.yaml }\n'), 'api/a/b.yaml': 'a: 1\na: 2\n' }),
    ).toThrow(new Error('a/b.yaml:2:1 The key a is not unique. Take one away, or join them.'))
  })
})
