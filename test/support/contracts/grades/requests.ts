import { contract } from '../diff.ts'
import { graded, withBody, withOperation, type Graded } from './grade.ts'

const open = (properties: string, more = ''): string => `{ type: object, ${more}properties: { ${properties} } }`
const a = 'a: { type: string }'
const b = 'b: { type: string }'
const body = (content: string, more = ''): string => `requestBody: { ${more}content: { ${content} } }`
const json = (schema: string): string => body(`application/json: { schema: ${schema} }`)
const shapes =
  'Car: { type: object, properties: { kind: { type: string }, wheels: { type: integer } } }, Boat: { type: object, properties: { kind: { type: string } } }'
const either = (
  more = '',
  list = "{ $ref: '#/components/schemas/Car' }, { $ref: '#/components/schemas/Boat' }",
): string => `{ oneOf: [${list}]${more} } | ${shapes}`
const told = (mapping: string): string => either(`, discriminator: { propertyName: kind, mapping: { ${mapping} } }`)

export const requests: Graded[] = [
  ...graded(withBody, [
    ['optional property removed, object open', 'risky', open(`${a}, ${b}`), open(a)],
    [
      'optional property removed, object closed',
      'breaking',
      open(`${a}, ${b}`, 'additionalProperties: false, '),
      open(a, 'additionalProperties: false, '),
    ],
    ['required property removed, object open', 'risky', open(`${a}, ${b}`, 'required: [b], '), open(a)],
    ['optional property renamed, object open', 'risky', open(`${a}, ${b}`), open(`${a}, c: { type: string }`)],
    [
      'deprecated property removed after its sunset',
      'compatible',
      open(`${a}, b: { type: string, deprecated: true, x-sunset: '2026-01-01' }`),
      open(a),
    ],
    ['optional property added', 'compatible', open(a), open(`${a}, ${b}`)],
    ['required property added', 'breaking', open(a), open(`${a}, ${b}`, 'required: [b], ')],
    [
      'typed property added beside typed additionalProperties',
      'breaking',
      open(a, 'additionalProperties: { type: string }, '),
      open(`${a}, b: { type: integer }`, 'additionalProperties: { type: string }, '),
    ],
    [
      'property of the same type added beside typed additionalProperties',
      'compatible',
      open(a, 'additionalProperties: { type: string }, '),
      open(`${a}, ${b}`, 'additionalProperties: { type: string }, '),
    ],
    ['object closed', 'breaking', open(a), open(a, 'additionalProperties: false, ')],
    ['object opened', 'compatible', open(a, 'additionalProperties: false, '), open(a)],
    [
      'additionalProperties: true and {} written out',
      'none',
      open(a, 'additionalProperties: true, '),
      open(a, 'additionalProperties: {}, '),
    ],
    [
      'values of additionalProperties narrowed',
      'breaking',
      open(a, 'additionalProperties: { type: string }, '),
      open(a, 'additionalProperties: { type: string, maxLength: 3 }, '),
    ],
    [
      'optional property became readOnly',
      'risky',
      open(`${a}, ${b}`),
      open(`${a}, b: { type: string, readOnly: true }`),
    ],
    [
      'readOnly property narrowed',
      'none',
      open('a: { type: string, readOnly: true }'),
      open('a: { type: string, readOnly: true, maxLength: 3 }'),
    ],
    [
      'readOnly taken from a required property',
      'breaking',
      open('a: { type: string, readOnly: true }', 'required: [a], '),
      open(a, 'required: [a], '),
    ],
    ['nullable taken', 'breaking', open('a: { type: string, nullable: true }'), open(a)],
    ['nullable given', 'compatible', open(a), open('a: { type: string, nullable: true }')],
    [
      'default of an optional property changed',
      'risky',
      open('a: { type: string, default: x }'),
      open('a: { type: string, default: y }'),
    ],
    [
      'format that nobody knows changed',
      'risky',
      open('a: { type: string, format: sku }'),
      open('a: { type: string, format: sku-2 }'),
    ],
    ['known format given', 'breaking', open(a), open('a: { type: string, format: uuid }')],
    ['known format taken', 'compatible', open('a: { type: string, format: uuid }'), open(a)],
    [
      'date to date-time',
      'breaking',
      open('a: { type: string, format: date }'),
      open('a: { type: string, format: date-time }'),
    ],
    [
      'pattern widened to a superset',
      'risky',
      open("a: { type: string, pattern: '^[a-z]+$' }"),
      open("a: { type: string, pattern: '^[a-zA-Z]+$' }"),
    ],
    [
      'pattern narrowed',
      'breaking',
      open("a: { type: string, pattern: '^[a-zA-Z]+$' }"),
      open("a: { type: string, pattern: '^[a-z]+$' }"),
    ],
    ['pattern taken', 'compatible', open("a: { type: string, pattern: '^a' }"), open(a)],
    ['not given', 'breaking', open(a), open('a: { type: string, not: { enum: [x] } }')],
    [
      'required: [] and the like written out',
      'none',
      open(a),
      open(
        'a: { type: string, nullable: false, deprecated: false, readOnly: false }',
        'required: [], uniqueItems: false, ',
      ),
    ],
    [
      'wrapped in oneOf beside what it overlaps',
      'breaking',
      "{ $ref: '#/components/schemas/Car' } | " + shapes,
      either(),
    ],
    [
      'oneOf reduced to one of its alternatives',
      'breaking',
      either(),
      "{ $ref: '#/components/schemas/Car' } | " + shapes,
    ],
    ['inline schema wrapped in oneOf', 'compatible', open(a), `{ oneOf: [${open(a)}, { type: string }] }`],
    ['wrapped in oneOf without what it was', 'breaking', open(a), '{ oneOf: [{ type: integer }, { type: string }] }'],
    ['alternative removed', 'breaking', either(), either('', "{ $ref: '#/components/schemas/Car' }")],
    ['alternative added that overlaps', 'breaking', either('', "{ $ref: '#/components/schemas/Car' }"), either()],
    ['oneOf to anyOf of the same', 'compatible', either(), either().replace('oneOf', 'anyOf')],
    ['anyOf to oneOf of the same', 'breaking', either().replace('oneOf', 'anyOf'), either()],
    [
      'alternatives in another order',
      'none',
      either(),
      either('', "{ $ref: '#/components/schemas/Boat' }, { $ref: '#/components/schemas/Car' }"),
    ],
    [
      'inline alternative gains an optional property',
      'compatible',
      `{ oneOf: [${open(a)}, { type: string }] }`,
      `{ oneOf: [${open(`${a}, ${b}`)}, { type: string }] }`,
    ],
    [
      'inline alternative of anyOf gains a required property',
      'breaking',
      `{ anyOf: [${open(a)}, { type: string }] }`,
      `{ anyOf: [${open(`${a}, ${b}`, 'required: [b], ')}, { type: string }] }`,
    ],
    [
      'discriminator value of an alternative changed',
      'breaking',
      told("car: '#/components/schemas/Car'"),
      told("auto: '#/components/schemas/Car'"),
    ],
    ['discriminator value given that was the name anyway', 'none', told(''), told('Car: Car')],
    [
      'discriminator value added',
      'compatible',
      told("car: '#/components/schemas/Car'"),
      told("car: '#/components/schemas/Car', auto: '#/components/schemas/Car'"),
    ],
    [
      'property of the discriminator changed',
      'breaking',
      told(''),
      told('').replace('propertyName: kind', 'propertyName: wheels'),
    ],
    [
      'part of an allOf gains an optional property',
      'compatible',
      `{ allOf: [${open(a)}, ${open(b)}] }`,
      `{ allOf: [${open(`${a}, c: { type: string }`)}, ${open(b)}] }`,
    ],
    [
      'part of an allOf gains a required property',
      'breaking',
      `{ allOf: [${open(a)}, ${open(b)}] }`,
      `{ allOf: [${open(`${a}, c: { type: string }`, 'required: [c], ')}, ${open(b)}] }`,
    ],
    [
      'part with a required property added to an allOf',
      'breaking',
      `{ allOf: [${open(a)}] }`,
      `{ allOf: [${open(a)}, ${open(b, 'required: [b], ')}] }`,
    ],
    [
      'reference wrapped in an allOf of one',
      'none',
      "{ $ref: '#/components/schemas/Boat' } | " + shapes,
      "{ description: A boat., allOf: [{ $ref: '#/components/schemas/Boat' }] } | " + shapes,
    ],
    [
      'part of an allOf narrowed by another',
      'breaking',
      `{ allOf: [${open('a: { type: integer, maximum: 9 }')}] }`,
      `{ allOf: [${open('a: { type: integer, maximum: 9 }')}, ${open('a: { maximum: 5 }')}] }`,
    ],
    [
      'schema that contains itself narrowed',
      'breaking',
      "{ $ref: '#/components/schemas/Tree' } | Tree: { type: object, properties: { size: { type: integer }, next: { $ref: '#/components/schemas/Tree' } } }",
      "{ $ref: '#/components/schemas/Tree' } | Tree: { type: object, properties: { size: { type: integer, maximum: 3 }, next: { $ref: '#/components/schemas/Tree' } } }",
    ],
  ]),
  ...graded(withOperation, [
    [
      'required body added',
      'breaking',
      'summary: x',
      `requestBody: { required: true, content: { application/json: { schema: { type: string } } } }, summary: x`,
    ],
    ['optional body added', 'compatible', 'summary: x', `${json('{ type: string }')}, summary: x`],
    ['body removed', 'breaking', `${json('{ type: string }')}, summary: x`, 'summary: x'],
    [
      'body became optional',
      'compatible',
      body('application/json: {}', 'required: true, '),
      body('application/json: {}'),
    ],
    ['schema given to a body', 'breaking', body('application/json: {}'), json('{ type: object }')],
    ['schema taken from a body', 'compatible', json('{ type: object }'), body('application/json: {}')],
    [
      'media type written with a charset',
      'compatible',
      json('{ type: object }'),
      body("'application/json; charset=utf-8': { schema: { type: object } }"),
    ],
    ['media type added', 'compatible', body('application/json: {}'), body('application/json: {}, text/plain: {}')],
    ['media type widened to a range', 'compatible', body('image/png: {}'), body("'image/*': {}")],
    ['range narrowed to a media type', 'breaking', body("'image/*': {}"), body('image/png: {}')],
    [
      'content type of a part changed',
      'breaking',
      body('multipart/form-data: { schema: { type: object }, encoding: { file: { contentType: image/png } } }'),
      body('multipart/form-data: { schema: { type: object }, encoding: { file: { contentType: image/jpeg } } }'),
    ],
    [
      'content types of a part added',
      'compatible',
      body('multipart/form-data: { schema: { type: object }, encoding: { file: { contentType: image/png } } }'),
      body(
        "multipart/form-data: { schema: { type: object }, encoding: { file: { contentType: 'image/png, image/jpeg' } } }",
      ),
    ],
  ]),
  {
    change: 'one of two operations swaps its reference',
    right: 'breaking',
    base: contract(
      {
        '/a': `{ post: { ${json("{ $ref: '#/components/schemas/Boat' }")}, responses: { default: { description: Any. } } } }`,
      },
      `{ schemas: { ${shapes} } }`,
    ),
    head: contract(
      {
        '/a': `{ post: { ${json("{ $ref: '#/components/schemas/Car' }")}, responses: { default: { description: Any. } } } }`,
      },
      `{ schemas: { ${shapes.replace('type: object, properties', 'type: object, required: [wheels], properties')} } }`,
    ),
  },
]
