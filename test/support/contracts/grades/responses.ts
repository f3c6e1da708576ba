import { graded, withAnswer, withResponses, type Graded } from './grade.ts'

const open = (properties: string, more = ''): string => `{ type: object, ${more}properties: { ${properties} } }`
const a = 'a: { type: string }'
const b = 'b: { type: string }'
const shapes = `Car: ${open(`kind: { type: string }, ${a}`)}, Boat: ${open('kind: { type: string }')}, Home: ${open('street: { type: string }')}`
const car = "{ $ref: '#/components/schemas/Car' }"
const boat = "{ $ref: '#/components/schemas/Boat' }"
const home = "{ $ref: '#/components/schemas/Home' }"
const fine = (schema: string): string => `description: Fine., content: { application/json: { schema: ${schema} } }`
const header = (more: string): string =>
  `'200': { description: Fine., headers: { X-Total: { ${more}schema: { type: integer } } } }`

export const responses: Graded[] = [
  ...graded(withAnswer, [
    ['optional property added', 'compatible', open(a), open(`${a}, ${b}`)],
    ['property removed', 'breaking', open(`${a}, ${b}`), open(a)],
    ['property became writeOnly', 'breaking', open(`${a}, ${b}`), open(`${a}, b: { type: string, writeOnly: true }`)],
    ['writeOnly property removed', 'none', open(`${a}, b: { type: string, writeOnly: true }`), open(a)],
    ['readOnly taken from a property', 'none', open('a: { type: string, readOnly: true }'), open(a)],
    ['property became required', 'compatible', open(a), open(a, 'required: [a], ')],
    ['property became optional', 'breaking', open(a, 'required: [a], '), open(a)],
    ['closed object opened', 'risky', open(a, 'additionalProperties: false, '), open(a)],
    [
      'closed object with typed additionalProperties',
      'risky',
      open(a, 'additionalProperties: false, '),
      open(a, 'additionalProperties: { type: string }, '),
    ],
    ['open object closed', 'compatible', open(a), open(a, 'additionalProperties: false, ')],
    ['int64 to int32', 'compatible', '{ type: integer, format: int64 }', '{ type: integer, format: int32 }'],
    ['int32 to int64', 'breaking', '{ type: integer, format: int32 }', '{ type: integer, format: int64 }'],
    ['integer to number', 'breaking', '{ type: integer }', '{ type: number }'],
    ['number to integer', 'compatible', '{ type: number }', '{ type: integer }'],
    ['integer to string', 'breaking', '{ type: integer }', '{ type: string }'],
    ['maxLength taken', 'breaking', '{ type: string, maxLength: 5 }', '{ type: string }'],
    ['enum taken', 'risky', '{ type: string, enum: [a] }', '{ type: string }'],
    ['nullable given', 'breaking', '{ type: string }', '{ type: string, nullable: true }'],
    [
      'nullable given to a reference by allOf',
      'breaking',
      `${open(`home: ${home}`)} | ${shapes}`,
      `${open(`home: { nullable: true, allOf: [${home}] }`)} | ${shapes}`,
    ],
    [
      'nullable taken from a reference with allOf',
      'compatible',
      `${open(`home: { nullable: true, allOf: [${home}] }`)} | ${shapes}`,
      `${open(`home: ${home}`)} | ${shapes}`,
    ],
    [
      'properties moved into a part of an allOf',
      'none',
      open(`${a}, ${b}`, 'required: [a], '),
      `{ allOf: [${open(a, 'required: [a], ')}, ${open(b)}] }`,
    ],
    [
      'properties moved into a component',
      'none',
      `${open(`kind: { type: string }, ${a}`)} | ${shapes}`,
      `{ allOf: [${boat}, ${open(a)}] } | ${shapes}`,
    ],
    [
      'reference wrapped in an allOf of one',
      'none',
      `${open(`home: ${home}`)} | ${shapes}`,
      `${open(`home: { description: Where., allOf: [${home}] }`)} | ${shapes}`,
    ],
    ['component inlined', 'none', `${home} | ${shapes}`, `${open('street: { type: string }')} | ${shapes}`],
    [
      'component renamed',
      'none',
      `${home} | ${shapes}`,
      `{ $ref: '#/components/schemas/House' } | ${shapes.replace('Home:', 'House:')}`,
    ],
    [
      'component renamed that a discriminator tells by its name',
      'breaking',
      `{ oneOf: [${car}, ${boat}], discriminator: { propertyName: kind } } | ${shapes}`,
      `{ oneOf: [{ $ref: '#/components/schemas/Auto' }, ${boat}], discriminator: { propertyName: kind } } | ${shapes.replace('Car:', 'Auto:')}`,
    ],
    [
      'part of an allOf gains a property',
      'compatible',
      `{ allOf: [${open(a)}, ${home}] } | ${shapes}`,
      `{ allOf: [${open(`${a}, ${b}`)}, ${home}] } | ${shapes}`,
    ],
    [
      'part taken from an allOf',
      'breaking',
      `{ allOf: [${open(a)}, ${home}] } | ${shapes}`,
      `{ allOf: [${open(a)}] } | ${shapes}`,
    ],
    [
      'inline alternative gains a property',
      'compatible',
      `{ oneOf: [${open(a)}, { type: string }] }`,
      `{ oneOf: [${open(`${a}, ${b}`)}, { type: string }] }`,
    ],
    ['alternative added', 'breaking', `{ oneOf: [${car}] } | ${shapes}`, `{ oneOf: [${car}, ${boat}] } | ${shapes}`],
    [
      'alternative removed',
      'compatible',
      `{ oneOf: [${car}, ${boat}] } | ${shapes}`,
      `{ oneOf: [${car}] } | ${shapes}`,
    ],
    [
      'reference to oneOf of it and another',
      'breaking',
      `${car} | ${shapes}`,
      `{ oneOf: [${car}, ${home}] } | ${shapes}`,
    ],
    [
      'oneOf reduced to one of its alternatives',
      'compatible',
      `{ oneOf: [${car}, ${home}] } | ${shapes}`,
      `${car} | ${shapes}`,
    ],
    ['reference to another component', 'breaking', `${car} | ${shapes}`, `${boat} | ${shapes}`],
    [
      'items of a list widened',
      'breaking',
      '{ type: array, items: { type: integer } }',
      '{ type: array, items: { type: number } }',
    ],
    ['items of a list any longer', 'breaking', '{ type: array, items: { type: integer } }', '{ type: array }'],
  ]),
  ...graded(withResponses, [
    [
      'range 2XX narrowed to 200',
      'compatible',
      `2XX: { ${fine('{ type: string }')} }`,
      `'200': { ${fine('{ type: string }')} }`,
    ],
    [
      '200 widened to the range 2XX',
      'risky',
      `'200': { ${fine('{ type: string }')} }`,
      `2XX: { ${fine('{ type: string }')} }`,
    ],
    [
      '200 widened to 2XX with another body',
      'breaking',
      `'200': { ${fine('{ type: string }')} }`,
      `2XX: { ${fine('{ type: integer }')} }`,
    ],
    [
      '200 written beside 2XX',
      'compatible',
      `2XX: { ${fine('{ type: string }')} }`,
      `2XX: { ${fine('{ type: string }')} }, '200': { ${fine('{ type: string }')} }`,
    ],
    [
      'only response default replaced by 200',
      'compatible',
      `default: { ${fine('{ type: string }')} }`,
      `'200': { ${fine('{ type: string }')} }`,
    ],
    [
      'only response default replaced by 200 with another body',
      'breaking',
      `default: { ${fine('{ type: string }')} }`,
      `'200': { ${fine('{ type: integer }')} }`,
    ],
    [
      'success removed',
      'breaking',
      "'200': { description: Fine. }, '201': { description: Made. }",
      "'200': { description: Fine. }",
    ],
    [
      'redirect 302 removed',
      'compatible',
      "'200': { description: Fine. }, '302': { description: There. }",
      "'200': { description: Fine. }",
    ],
    [
      'default removed beside 200',
      'compatible',
      "'200': { description: Fine. }, default: { description: Failed. }",
      "'200': { description: Fine. }",
    ],
    [
      'schema of the body removed',
      'breaking',
      `'200': { ${fine('{ type: string }')} }`,
      "'200': { description: Fine., content: { application/json: {} } }",
    ],
    [
      'schema given to a body',
      'compatible',
      "'200': { description: Fine., content: { application/json: {} } }",
      `'200': { ${fine('{ type: string }')} }`,
    ],
    ['body removed', 'breaking', `'200': { ${fine('{ type: string }')} }`, "'200': { description: Fine. }"],
    ['body added', 'compatible', "'200': { description: Fine. }", `'200': { ${fine('{ type: string }')} }`],
    [
      'media type replaced',
      'breaking',
      "'200': { description: Fine., content: { application/json: {} } }",
      "'200': { description: Fine., content: { application/xml: {} } }",
    ],
    [
      'media type written with a charset',
      'compatible',
      "'200': { description: Fine., content: { text/plain: {} } }",
      "'200': { description: Fine., content: { 'text/plain;charset=utf-8': {} } }",
    ],
    ['header required to optional', 'breaking', header('required: true, '), header('')],
    ['header optional to required', 'compatible', header(''), header('required: true, ')],
    ['header removed', 'breaking', header(''), "'200': { description: Fine. }"],
    ['header added', 'compatible', "'200': { description: Fine. }", header('')],
    ['header written with another letter case', 'none', header(''), header('').replace('X-Total', 'x-total')],
    ['type of a header changed', 'breaking', header(''), header('').replace('integer', 'string')],
  ]),
]
