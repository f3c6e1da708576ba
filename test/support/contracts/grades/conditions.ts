import { graded, of31, withAnswer, withBody, withCallback, withWebhook, type Graded } from './grade.ts'

const list = (keywords: string): string => `{ type: array, ${keywords} }`
const object = (keywords: string): string => `{ type: object, ${keywords} }`
const condition = (then: string, first = 'required: [a]'): string => object(`if: { ${first} }, ${then}`)
const header = (more: string, type = 'integer'): string =>
  `parameters: [{ name: X-Try, in: header, ${more}schema: { type: ${type} } }],`
const ok = (more = ''): string => `responses: { '200': { description: Taken.${more} } }`

/** Keywords whose schemas hold under a condition, and the requests that a service sends. */
export const conditions: Graded[] = [
  ...graded(of31(withBody), [
    ['then demands more', 'breaking', condition('then: { required: [b] }'), condition('then: { required: [b, c] }')],
    ['then demands less', 'compatible', condition('then: { required: [b, c] }'), condition('then: { required: [b] }')],
    ['then removed', 'compatible', condition('then: { required: [b] }, else: {}'), condition('else: {}')],
    [
      'else added',
      'breaking',
      condition('then: { required: [b] }'),
      condition('then: { required: [b] }, else: { required: [c] }'),
    ],
    [
      'if changed',
      'risky',
      condition('then: { required: [b] }'),
      condition('then: { required: [b] }', 'required: [c]'),
    ],
    ['if without then and else added', 'none', object('properties: {}'), object('if: { required: [a] }')],
    [
      'if written with a $ref',
      'none',
      `${condition('then: { required: [b] }')} | Has: { required: [a] }`,
      `{ type: object, if: { $ref: '#/components/schemas/Has' }, then: { required: [b] } } | Has: { required: [a] }`,
    ],
    [
      'dependentRequired demands more',
      'breaking',
      object('dependentRequired: { a: [b] }'),
      object('dependentRequired: { a: [b, c] }'),
    ],
    [
      'dependentRequired demands less',
      'compatible',
      object('dependentRequired: { a: [b], c: [d] }'),
      object('dependentRequired: { a: [b] }'),
    ],
    [
      'dependentRequired in another order',
      'none',
      object('dependentRequired: { a: [b, c] }'),
      object('dependentRequired: { a: [c, b] }'),
    ],
    [
      'dependentSchemas narrowed',
      'breaking',
      object('dependentSchemas: { a: { maxProperties: 5 } }'),
      object('dependentSchemas: { a: { maxProperties: 3 } }'),
    ],
    [
      'dependentSchemas added',
      'breaking',
      object('properties: {}'),
      object('dependentSchemas: { a: { minProperties: 2 } }'),
    ],
    [
      'dependentSchemas removed',
      'compatible',
      object('dependentSchemas: { a: { minProperties: 2 } }'),
      object('properties: {}'),
    ],
    [
      'unevaluatedItems: false added',
      'breaking',
      list('prefixItems: [{}]'),
      list('prefixItems: [{}], unevaluatedItems: false'),
    ],
    [
      'unevaluatedItems: true written out',
      'none',
      list('prefixItems: [{}]'),
      list('prefixItems: [{}], unevaluatedItems: true'),
    ],
    [
      'unevaluatedItems opened',
      'compatible',
      list('prefixItems: [{}], unevaluatedItems: false'),
      list('prefixItems: [{}], unevaluatedItems: { type: string }'),
    ],
    [
      'items that were refused are texts',
      'compatible',
      list('prefixItems: [{}], items: false'),
      list('prefixItems: [{}], items: { type: string }'),
    ],
    [
      'unevaluatedItems narrowed',
      'breaking',
      list('unevaluatedItems: { type: string }'),
      list('unevaluatedItems: { type: string, maxLength: 3 }'),
    ],
    ['unevaluatedItems beside items', 'none', list('items: {}'), list('items: {}, unevaluatedItems: false')],
    [
      'unevaluatedProperties narrowed',
      'breaking',
      object('unevaluatedProperties: { type: string }'),
      object('unevaluatedProperties: { type: string, maxLength: 3 }'),
    ],
    ['contains narrowed', 'breaking', list('contains: { type: number }'), list('contains: { type: integer }')],
    [
      'contains narrowed beside maxContains',
      'risky',
      list('contains: { type: number }, maxContains: 2'),
      list('contains: { type: integer }, maxContains: 2'),
    ],
    [
      'minContains: 0 given',
      'compatible',
      list('contains: { type: string }'),
      list('contains: { type: string }, minContains: 0'),
    ],
    ['maxContains lowered', 'breaking', list('contains: {}, maxContains: 3'), list('contains: {}, maxContains: 2')],
    [
      'names of properties narrowed',
      'breaking',
      object('propertyNames: { maxLength: 5 }'),
      object('propertyNames: { maxLength: 3 }'),
    ],
    [
      'names of properties no longer limited',
      'compatible',
      object('propertyNames: { maxLength: 5 }'),
      object('properties: {}'),
    ],
    ['more not allowed', 'breaking', '{ not: { enum: [x] } }', '{ not: { enum: [x, y] } }'],
    ['less not allowed', 'compatible', '{ not: { enum: [x, y] } }', '{ not: { enum: [x] } }'],
    ['a wider type not allowed', 'breaking', '{ not: { type: integer } }', '{ not: { type: number } }'],
    ['other values not allowed', 'breaking', '{ not: { enum: [x] } }', '{ not: { enum: [y] } }'],
    [
      'more properties demanded by what is not allowed',
      'compatible',
      '{ not: { required: [a] } }',
      '{ not: { required: [a, b] } }',
    ],
  ]),
  ...graded(of31(withAnswer), [
    [
      'answer: then demands less',
      'breaking',
      condition('then: { required: [b, c] }'),
      condition('then: { required: [b] }'),
    ],
    [
      'answer: if changed',
      'risky',
      condition('then: { required: [b] }'),
      condition('then: { required: [b] }', 'required: [c]'),
    ],
    [
      'answer: dependentRequired demands less',
      'breaking',
      object('dependentRequired: { a: [b, c] }'),
      object('dependentRequired: { a: [b] }'),
    ],
    [
      'answer: dependentSchemas narrowed',
      'compatible',
      object('dependentSchemas: { a: { maxProperties: 5 } }'),
      object('dependentSchemas: { a: { maxProperties: 3 } }'),
    ],
    [
      'answer: unevaluatedItems: false removed',
      'breaking',
      list('prefixItems: [{}], unevaluatedItems: false'),
      list('prefixItems: [{}]'),
    ],
    ['answer: less not allowed', 'breaking', '{ not: { enum: [x, y] } }', '{ not: { enum: [x] } }'],
    [
      'answer: names of properties no longer limited',
      'breaking',
      object('propertyNames: { maxLength: 5 }'),
      object('properties: {}'),
    ],
  ]),
  ...['webhook', 'callback'].flatMap((kind) =>
    graded(kind === 'webhook' ? of31(withWebhook) : withCallback, [
      [`${kind}: parameter added`, 'compatible', ok(), header('') + ok()],
      [`${kind}: required parameter added`, 'compatible', ok(), header('required: true, ') + ok()],
      [`${kind}: parameter removed`, 'breaking', header('') + ok(), ok()],
      [`${kind}: parameter no longer always sent`, 'breaking', header('required: true, ') + ok(), header('') + ok()],
      [`${kind}: parameter always sent`, 'compatible', header('') + ok(), header('required: true, ') + ok()],
      [`${kind}: parameter of a wider type`, 'breaking', header('') + ok(), header('', 'number') + ok()],
      [`${kind}: parameter of a narrower type`, 'compatible', header('', 'number') + ok(), header('') + ok()],
      [
        `${kind}: value of a parameter added`,
        'risky',
        header('', 'string, enum: [a]') + ok(),
        header('', 'string, enum: [a, b]') + ok(),
      ],
      [
        `${kind}: another answer is taken`,
        'compatible',
        ok(),
        "responses: { '200': { description: Taken. }, '202': { description: Later. } }",
      ],
      [
        `${kind}: an answer is no longer taken`,
        'breaking',
        "responses: { '200': { description: Taken. }, '204': { description: Taken. } }",
        ok(),
      ],
      [
        `${kind}: a refusal is no longer taken`,
        'risky',
        "responses: { '200': { description: Taken. }, '410': { description: Gone. } }",
        ok(),
      ],
      [`${kind}: any answer is taken`, 'compatible', ok(), 'responses: { 2XX: { description: Taken. } }'],
      [`${kind}: not any answer is taken`, 'breaking', 'responses: { 2XX: { description: Taken. } }', ok()],
      [
        `${kind}: the answer must have another property`,
        'breaking',
        ok(', content: { application/json: { schema: { type: object, properties: { a: {} } } } }'),
        ok(
          ', content: { application/json: { schema: { type: object, required: [b], properties: { a: {}, b: {} } } } }',
        ),
      ],
      [
        `${kind}: the answer must have another header`,
        'breaking',
        ok(),
        ok(', headers: { X-Seen: { required: true, schema: { type: string } } }'),
      ],
      [
        `${kind}: a header of the answer is not read`,
        'risky',
        ok(', headers: { X-Seen: { schema: { type: string } } }'),
        ok(),
      ],
      [
        `${kind}: the body is sent at times only`,
        'breaking',
        `requestBody: { required: true, content: { application/json: {} } }, ${ok()}`,
        `requestBody: { content: { application/json: {} } }, ${ok()}`,
      ],
    ]),
  ),
]
