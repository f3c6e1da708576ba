import { graded, of31, withAnswer, withBody, withParameters, withWebhook, type Graded } from './grade.ts'

const done = "responses: { '204': { description: Done. } }"
const cat = 'Cat: { type: object, properties: { n: { type: integer } } }'

/** A contract of one webhook; its body is of this schema. */
function withSent(schema: string): string {
  return withWebhook(`requestBody: { content: { application/json: { schema: ${schema} } } }, ${done}`)
}

/** The versions of a contract before and after it moved to OpenAPI 3.1. */
function moved(write: (text: string) => string, rows: readonly (readonly [string, string, string])[]): Graded[] {
  return rows.map(([change, before, after]) => ({
    change: `moved to 3.1: ${change}`,
    right: 'none',
    base: write(before),
    head: of31(write)(after),
  }))
}

const moves = [
  ['nullable to a list of types', '{ type: string, nullable: true }', "{ type: [string, 'null'] }"],
  [
    'nullable beside an enum with null',
    '{ type: string, nullable: true, enum: [a, null] }',
    "{ type: [string, 'null'], enum: [a, null] }",
  ],
  [
    'nullable beside an allOf to anyOf with null',
    `{ nullable: true, allOf: [{ $ref: '#/components/schemas/Cat' }] } | ${cat}`,
    `{ anyOf: [{ $ref: '#/components/schemas/Cat' }, { type: 'null' }] } | ${cat}`,
  ],
  [
    'the same to oneOf with null first',
    `{ nullable: true, allOf: [{ $ref: '#/components/schemas/Cat' }] } | ${cat}`,
    `{ oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Cat' }] } | ${cat}`,
  ],
  [
    'nullable beside anyOf to one alternative more',
    '{ nullable: true, anyOf: [{ type: string }, { type: integer }] }',
    "{ anyOf: [{ type: string }, { type: integer }, { type: 'null' }] }",
  ],
  [
    'exclusive limits to numbers',
    '{ type: integer, minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true }',
    '{ type: integer, exclusiveMinimum: 0, exclusiveMaximum: 9 }',
  ],
  ['an enum of one to const', '{ type: string, enum: [a] }', '{ const: a, type: string }'],
  ['example to examples', '{ type: string, example: a }', '{ type: string, examples: [a] }'],
  ['format byte to contentEncoding', '{ type: string, format: byte }', '{ type: string, contentEncoding: base64 }'],
  [
    'format binary to contentMediaType',
    '{ type: string, format: binary }',
    '{ type: string, contentMediaType: application/octet-stream }',
  ],
  [
    'a $ref in an allOf to one with siblings',
    `{ allOf: [{ $ref: '#/components/schemas/Cat' }], description: A cat. } | ${cat}`,
    `{ $ref: '#/components/schemas/Cat', description: A cat. } | ${cat}`,
  ],
  [
    'limits beside a $ref in an allOf to siblings of it',
    `{ allOf: [{ $ref: '#/components/schemas/Cat' }], minProperties: 1 } | ${cat}`,
    `{ $ref: '#/components/schemas/Cat', minProperties: 1 } | ${cat}`,
  ],
] as const

const list = (keywords: string): string => `{ type: array, ${keywords} }`
const object = (keywords: string): string => `{ type: object, ${keywords} }`

/** Pairs of contracts of OpenAPI 3.1. A request must not accept less, and an answer not contain more. */
export const jsonSchema: Graded[] = [
  ...moved(withBody, moves),
  ...moved(withAnswer, moves),
  ...graded(of31(withBody), [
    ['a type added to the list', 'compatible', '{ type: [string] }', '{ type: [string, integer] }'],
    ['a type taken from the list', 'breaking', '{ type: [string, integer] }', '{ type: string }'],
    ['null taken from the list', 'breaking', "{ type: [string, 'null'] }", '{ type: string }'],
    ['the order of the list', 'none', "{ type: [string, 'null'] }", "{ type: ['null', string] }"],
    [
      'null added to anyOf',
      'compatible',
      '{ anyOf: [{ type: string }] }',
      "{ anyOf: [{ type: string }, { type: 'null' }] }",
    ],
    [
      'null taken from anyOf',
      'breaking',
      "{ anyOf: [{ type: string }, { type: 'null' }] }",
      '{ anyOf: [{ type: string }] }',
    ],
    ['another const', 'breaking', '{ const: a }', '{ const: b }'],
    ['a const of more digits', 'breaking', '{ const: 9007199254740993 }', '{ const: 9007199254740992 }'],
    ['const to an enum with it', 'compatible', '{ const: a }', '{ enum: [a, b] }'],
    ['a const added', 'breaking', '{ type: string }', '{ type: string, const: a }'],
    ['an exclusive limit raised', 'breaking', '{ exclusiveMinimum: 1 }', '{ exclusiveMinimum: 2 }'],
    ['an exclusive limit made inclusive', 'compatible', '{ exclusiveMinimum: 1 }', '{ minimum: 1 }'],
    ['a limit beside a stricter one', 'none', '{ exclusiveMinimum: 5 }', '{ exclusiveMinimum: 5, minimum: 5 }'],
    [
      'a first item added',
      'breaking',
      list('prefixItems: [{ type: string }]'),
      list('prefixItems: [{ type: string }, { type: string }]'),
    ],
    [
      'a first item of another type',
      'breaking',
      list('prefixItems: [{ type: string }]'),
      list('prefixItems: [{ type: integer }]'),
    ],
    ['further items refused', 'breaking', list('prefixItems: [{}]'), list('prefixItems: [{}], items: false')],
    [
      'the first item told apart, of the same type',
      'none',
      list('items: { type: string }'),
      list('prefixItems: [{ type: string }], items: { type: string }'),
    ],
    ['contains added', 'breaking', list('items: {}'), list('items: {}, contains: { type: string }')],
    [
      'what is contained may be more',
      'compatible',
      list('contains: { type: integer }'),
      list('contains: { type: number }'),
    ],
    ['minContains raised', 'breaking', list('contains: {}, minContains: 1'), list('contains: {}, minContains: 2')],
    [
      'properties of a pattern narrowed',
      'breaking',
      object("patternProperties: { '^a': { type: string } }"),
      object("patternProperties: { '^a': { type: string, maxLength: 3 } }"),
    ],
    [
      'a pattern of properties added',
      'breaking',
      object('properties: {}'),
      object("patternProperties: { '^a': { type: string } }"),
    ],
    ['names of properties limited', 'breaking', object('properties: {}'), object('propertyNames: { maxLength: 3 }')],
    [
      'a property required beside another one',
      'breaking',
      object('properties: {}'),
      object('dependentRequired: { a: [b] }'),
    ],
    [
      'a condition added',
      'breaking',
      object('properties: {}'),
      object('if: { required: [a] }, then: { required: [b] }'),
    ],
    [
      'a condition removed',
      'compatible',
      object('if: { required: [a] }, then: { required: [b] }'),
      object('properties: {}'),
    ],
    [
      'unevaluatedProperties: false added',
      'breaking',
      object('properties: { a: {} }'),
      object('properties: { a: {} }, unevaluatedProperties: false'),
    ],
    [
      'additionalProperties: false to unevaluatedProperties: false',
      'none',
      object('properties: { a: {} }, additionalProperties: false'),
      object('properties: { a: {} }, unevaluatedProperties: false'),
    ],
    ['a schema of true to an empty one', 'none', object('properties: { a: true }'), object('properties: { a: {} }')],
    ['a property refused by false', 'breaking', object('properties: { a: true }'), object('properties: { a: false }')],
    [
      'a limit beside a $ref',
      'breaking',
      `{ $ref: '#/components/schemas/Cat' } | ${cat}`,
      `{ $ref: '#/components/schemas/Cat', minProperties: 1 } | ${cat}`,
    ],
    [
      'a description beside a $ref',
      'none',
      `{ $ref: '#/components/schemas/Cat' } | ${cat}`,
      `{ $ref: '#/components/schemas/Cat', description: A cat. } | ${cat}`,
    ],
  ]),
  ...graded(of31(withAnswer), [
    ['null added to the list of types', 'breaking', '{ type: string }', "{ type: [string, 'null'] }"],
    [
      'null added to oneOf',
      'breaking',
      `{ oneOf: [{ $ref: '#/components/schemas/Cat' }] } | ${cat}`,
      `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { type: 'null' }] } | ${cat}`,
    ],
    [
      'a reference that may be null',
      'breaking',
      `{ $ref: '#/components/schemas/Cat' } | ${cat}`,
      `{ anyOf: [{ $ref: '#/components/schemas/Cat' }, { type: 'null' }] } | ${cat}`,
    ],
    ['const to an enum with it, in an answer', 'risky', '{ const: a }', '{ enum: [a, b] }'],
    [
      'further items refused, in an answer',
      'compatible',
      list('prefixItems: [{}]'),
      list('prefixItems: [{}], items: false'),
    ],
  ]),
  ...graded(of31(withParameters), [
    [
      'a parameter that may be a text as well',
      'compatible',
      '{ in: query, name: a, schema: { type: integer } }',
      '{ in: query, name: a, schema: { type: [integer, string] } }',
    ],
  ]),
  ...graded(of31(withSent), [
    [
      'a webhook with a property more',
      'compatible',
      object('properties: { a: {} }'),
      object('properties: { a: {}, b: {} }'),
    ],
    [
      'a webhook with a property less',
      'breaking',
      object('properties: { a: {}, b: {} }'),
      object('properties: { a: {} }'),
    ],
    [
      'a webhook with another type',
      'breaking',
      object('properties: { a: { type: string } }'),
      object('properties: { a: { type: integer } }'),
    ],
    ['a webhook that may be null', 'breaking', '{ type: string }', "{ type: [string, 'null'] }"],
  ]),
  {
    change: 'a webhook removed',
    right: 'breaking',
    base: of31(withSent)('{}'),
    head: of31(withSent)('{}').replace('told:', 'other:'),
  },
  {
    change: 'a webhook added',
    right: 'compatible',
    base: of31(withSent)('{}').replace(/webhooks: .*\n/, ''),
    head: of31(withSent)('{}'),
  },
]
