import { graded, of31, withAnswer, withBody, withOperation, type Graded } from './grade.ts'

const user = (more = ''): string => `User: { type: object, properties: { id: { type: integer }${more} } }`
const pet = 'Pet: { type: object, required: [kind], properties: { kind: { type: string } } }'
const [userRef, petRef] = ["{ $ref: '#/components/schemas/User' }", "{ $ref: '#/components/schemas/Pet' }"]
const form = (properties: string, encoding: string, type = 'application/x-www-form-urlencoded'): string =>
  `requestBody: { content: { ${type}: { schema: { type: object, properties: { ${properties} } }, encoding: { ${encoding} } } } }`
const field = 'a: { type: string }'

/** Kinds of changes between versions of public contracts. */
export const publicContracts: Graded[] = [
  ...graded(of31(withAnswer), [
    [
      'null or a schema to the schema, which gains a property',
      'compatible',
      `{ oneOf: [{ type: 'null' }, ${userRef}] } | ${user()}`,
      `${userRef} | ${user(', name: { type: string }')}`,
    ],
    [
      'a schema that gains a property to null or the schema',
      'breaking',
      `${userRef} | ${user()}`,
      `{ oneOf: [{ type: 'null' }, ${userRef}] } | ${user(', name: { type: string }')}`,
    ],
    [
      'alternatives beside null to alternatives in anyOf beside null',
      'none',
      "{ oneOf: [{ type: string }, { type: array }, { type: 'null' }] }",
      "{ anyOf: [{ oneOf: [{ type: string }, { type: array }] }, { type: 'null' }] }",
    ],
    [
      'an alternative of a narrower type',
      'compatible',
      '{ anyOf: [{ type: string }, { type: number }] }',
      '{ anyOf: [{ type: string }, { type: integer }] }',
    ],
    [
      'an alternative of a wider type',
      'breaking',
      '{ anyOf: [{ type: string }, { type: integer }] }',
      '{ anyOf: [{ type: string }, { type: number }] }',
    ],
    [
      'an alternative that another one had',
      'compatible',
      '{ anyOf: [{ type: string }, { type: array }] }',
      '{ anyOf: [{ type: string }, { type: array }, { type: string, enum: [a] }] }',
    ],
    [
      'oneOf of different types to anyOf',
      'none',
      '{ oneOf: [{ type: string }, { type: array }] }',
      '{ anyOf: [{ type: string }, { type: array }] }',
    ],
    [
      'oneOf of one type to anyOf',
      'breaking',
      `{ oneOf: [${userRef}, ${petRef}] } | ${user()}, ${pet}`,
      `{ anyOf: [${userRef}, ${petRef}] } | ${user()}, ${pet}`,
    ],
    [
      'oneOf of one to anyOf of it',
      'none',
      `{ oneOf: [${userRef}] } | ${user()}`,
      `{ anyOf: [${userRef}] } | ${user()}`,
    ],
    ['int64 written to an integer', 'compatible', '{ type: integer }', '{ type: integer, format: int64 }'],
    [
      'int64 taken from a limited integer',
      'compatible',
      '{ type: integer, format: int64, minimum: 1, maximum: 9 }',
      '{ type: integer, minimum: 1, maximum: 9 }',
    ],
    ['int64 taken from an integer', 'breaking', '{ type: integer, format: int64 }', '{ type: integer }'],
    ['uint32 to int64', 'breaking', '{ type: integer, format: uint32 }', '{ type: integer, format: int64 }'],
    ['int64 to uint32', 'compatible', '{ type: integer, format: int64 }', '{ type: integer, format: uint32 }'],
  ]),
  ...graded(withBody, [
    [
      'alternatives in an allOf to one of them',
      'breaking',
      `{ allOf: [{ oneOf: [${userRef}, ${petRef}] }, { description: Any. }] } | ${user()}, ${pet}`,
      `${userRef} | ${user()}, ${pet}`,
    ],
    [
      'alternatives in an allOf of many parts to a schema that takes all',
      'compatible',
      `{ allOf: [{ allOf: [{ anyOf: [{ type: string }, { type: integer }] }] }] }`,
      '{}',
    ],
    [
      'type written beside alternatives that have it',
      'none',
      `{ oneOf: [${userRef}, ${petRef}] } | ${user()}, ${pet}`,
      `{ type: object, oneOf: [${userRef}, ${petRef}] } | ${user()}, ${pet}`,
    ],
    [
      'type written beside alternatives, of which one has another',
      'breaking',
      `{ oneOf: [${userRef}, { type: string }] } | ${user()}`,
      `{ type: object, oneOf: [${userRef}, { type: string }] } | ${user()}`,
    ],
    ['type written beside an enum that has it', 'none', '{ enum: [a, b] }', '{ type: string, enum: [a, b] }'],
    [
      'type written beside properties',
      'breaking',
      `{ properties: { ${field} } }`,
      `{ type: object, properties: { ${field} } }`,
    ],
    [
      'alternatives in an allOf to a component of them',
      'none',
      `{ allOf: [{ oneOf: [${userRef}, ${petRef}] }, { description: Any. }] } | ${user()}, ${pet}`,
      `{ $ref: '#/components/schemas/Any' } | ${user()}, ${pet}, Any: { type: object, oneOf: [${petRef}, ${userRef}] }`,
    ],
    [
      'int32 given to an integer within it',
      'compatible',
      '{ type: integer, minimum: 1, maximum: 1000 }',
      '{ type: integer, minimum: 1, maximum: 1000, format: int32 }',
    ],
    ['int64 given to an integer', 'breaking', '{ type: integer }', '{ type: integer, format: int64 }'],
    [
      'an alternative narrowed',
      'breaking',
      '{ anyOf: [{ type: string }, { type: number }] }',
      '{ anyOf: [{ type: string }, { type: integer }] }',
    ],
    [
      'an alternative taken that another one has',
      'none',
      '{ anyOf: [{ type: string }, { type: string, enum: [a] }] }',
      '{ anyOf: [{ type: string }] }',
    ],
  ]),
  ...graded(withOperation, [
    [
      'a new part with an encoding',
      'compatible',
      form(field, ''),
      form(`${field}, b: { type: object }`, 'b: { style: deepObject, explode: true }'),
    ],
    [
      'a part removed with its encoding',
      'risky',
      form(`${field}, b: { type: object }`, 'b: { style: deepObject, explode: true }'),
      form(field, ''),
    ],
    [
      'the style of a part changed',
      'breaking',
      form('b: { type: object }', ''),
      form('b: { type: object }', 'b: { style: deepObject, explode: true }'),
    ],
    [
      'the usual style of a part written out',
      'none',
      form(field, ''),
      form(field, 'a: { style: form, explode: true, allowReserved: false }'),
    ],
    [
      'the usual content type of a part written out',
      'none',
      form(field, '', 'multipart/form-data'),
      form(field, 'a: { contentType: text/plain }', 'multipart/form-data'),
    ],
    [
      'another content type of a part written',
      'breaking',
      form(field, '', 'multipart/form-data'),
      form(field, 'a: { contentType: application/json }', 'multipart/form-data'),
    ],
    [
      'the style of a part of a multipart body, which has none',
      'none',
      form(field, '', 'multipart/form-data'),
      form(field, 'a: { style: deepObject }', 'multipart/form-data'),
    ],
  ]),
]
