import { contract } from '../diff.ts'
import {
  graded,
  of31,
  withAnswer,
  withBody,
  withOperation,
  withParameters,
  withResponses,
  withRoot,
  type Graded,
} from './grade.ts'

const done = "responses: { '204': { description: Done. } }"
const open = (properties: string, more = ''): string => `{ type: object, ${more}properties: { ${properties} } }`
const query = (schema: string, more = '', name = 'q'): string =>
  `{ name: ${name}, in: query, ${more}schema: ${schema} }`
const header = (more: string): string => `'200': { description: Fine., headers: { X-Total: { ${more} } } }`
const body = (media: string): string => `requestBody: { content: { ${media} } }`
const fine = (media: string): string => `'200': { description: Fine., content: { ${media} } }`
const json = '{ schema: { type: object } }'
const [a, b] = ['a: { type: string }', 'b: { type: string }']
const schemes = 'key: { type: apiKey, in: header, name: X-Key }, other: { type: http, scheme: basic }'
const demand = (list: string, more = schemes): string => `security: [${list}], | | ${more}`
const cat = 'Cat: { type: object, properties: { kind: { type: string } } }'
const dog = 'Dog: { type: object, properties: { kind: { type: string } } }'
const either = (mapping: string): string =>
  `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind, mapping: { ${mapping} } } } | ${cat}, ${dog}`
const cats = "cat: '#/components/schemas/Cat'"
const paths = (path: string, item: string, components = '{}', more = ''): string =>
  contract({ [path]: item }, components, more)
const page = '{ name: page, in: query, schema: { type: integer } }'

function edit(change: string, right: Graded['right'], base: string, head: string): Graded {
  return { change, right, base, head }
}

/** Edits that reviewers meet, one for each field of OpenAPI and keyword of JSON Schema that none of the others has. */
export const edits: Graded[] = [
  edit(
    'parameter of one operation moved to the path, which has two',
    'compatible',
    paths('/a', `{ get: { parameters: [${page}], ${done} }, put: { ${done} } }`),
    paths('/a', `{ parameters: [${page}], get: { ${done} }, put: { ${done} } }`),
  ),
  edit(
    'parameter of the path narrowed by one of the operation',
    'breaking',
    paths('/a', `{ parameters: [${page}], get: { ${done} } }`),
    paths(
      '/a',
      `{ parameters: [${page}], get: { parameters: [${page.replace('integer', 'integer, maximum: 5')}], ${done} } }`,
    ),
  ),
  edit(
    'literal part of a path changed',
    'breaking',
    paths('/things', `{ get: { ${done} } }`),
    paths('/thing', `{ get: { ${done} } }`),
  ),
  edit(
    'slash at the end of a path',
    'breaking',
    paths('/things', `{ get: { ${done} } }`),
    paths('/things/', `{ get: { ${done} } }`),
  ),
  edit('method changed', 'breaking', paths('/a', `{ put: { ${done} } }`), paths('/a', `{ patch: { ${done} } }`)),
  edit(
    'order of operations',
    'none',
    paths('/a', `{ get: { ${done} }, put: { ${done} } }`),
    paths('/a', `{ put: { ${done} }, get: { ${done} } }`),
  ),
  edit('x-extension', 'none', paths('/a', `{ get: { ${done} } }`), paths('/a', `{ get: { x-owner: us, ${done} } }`)),
  edit(
    'parameter component renamed',
    'none',
    paths(
      '/a',
      `{ get: { parameters: [{ $ref: '#/components/parameters/Page' }], ${done} } }`,
      `{ parameters: { Page: ${page} } }`,
    ),
    paths(
      '/a',
      `{ get: { parameters: [{ $ref: '#/components/parameters/P' }], ${done} } }`,
      `{ parameters: { P: ${page} } }`,
    ),
  ),
  edit(
    'body put into a component',
    'none',
    paths('/a', `{ post: { ${body(`application/json: ${json}`)}, ${done} } }`),
    paths(
      '/a',
      `{ post: { requestBody: { $ref: '#/components/requestBodies/A' }, ${done} } }`,
      `{ requestBodies: { A: { content: { application/json: ${json} } } } }`,
    ),
  ),
  edit(
    'operations put into a path item component',
    'none',
    of31((text) => paths('/a', text))(`{ get: { ${done} } }`),
    of31((text) => paths('/a', text, `{ pathItems: { A: { get: { ${done} } } } }`))(
      "{ $ref: '#/components/pathItems/A' }",
    ),
  ),
  edit(
    'security of all removed from one',
    'compatible',
    paths('/a', `{ get: { ${done} } }`, `{ securitySchemes: { ${schemes} } }`, 'security: [{ key: [] }]\n'),
    paths(
      '/a',
      `{ get: { security: [], ${done} } }`,
      `{ securitySchemes: { ${schemes} } }`,
      'security: [{ key: [] }]\n',
    ),
  ),
  edit(
    'exception from the security of all removed',
    'breaking',
    paths(
      '/a',
      `{ get: { security: [], ${done} } }`,
      `{ securitySchemes: { ${schemes} } }`,
      'security: [{ key: [] }]\n',
    ),
    paths('/a', `{ get: { ${done} } }`, `{ securitySchemes: { ${schemes} } }`, 'security: [{ key: [] }]\n'),
  ),
  ...graded(withParameters, [
    ['query parameter written with another letter case', 'breaking', query('{}'), query('{}', '', 'Q')],
    [
      'cookie written with another letter case',
      'risky',
      '{ name: sid, in: cookie, schema: {} }',
      '{ name: SID, in: cookie, schema: {} }',
    ],
    [
      'deprecated parameter removed after its sunset',
      'compatible',
      query('{}', "deprecated: true, x-sunset: '2026-01-01', "),
      '',
    ],
    ['allowEmptyValue given', 'compatible', query('{}'), query('{}', 'allowEmptyValue: true, ')],
    ['allowEmptyValue taken', 'breaking', query('{}', 'allowEmptyValue: true, '), query('{}')],
    ['explode of a single value', 'none', query('{ type: string }'), query('{ type: string }', 'explode: false, ')],
    [
      'explode of a list in a header',
      'none',
      '{ name: X-A, in: header, schema: { type: array, items: {} } }',
      '{ name: X-A, in: header, explode: true, schema: { type: array, items: {} } }',
    ],
    [
      'explode of an object in a header',
      'breaking',
      '{ name: X-A, in: header, schema: { type: object } }',
      '{ name: X-A, in: header, explode: true, schema: { type: object } }',
    ],
    [
      'multipleOf of fractions widened',
      'compatible',
      query('{ type: number, multipleOf: 0.1 }'),
      query('{ type: number, multipleOf: 0.01 }'),
    ],
    [
      'multipleOf of fractions narrowed',
      'breaking',
      query('{ type: number, multipleOf: 0.01 }'),
      query('{ type: number, multipleOf: 0.1 }'),
    ],
    [
      'multipleOf: 1 written to an integer',
      'none',
      query('{ type: integer }'),
      query('{ type: integer, multipleOf: 1 }'),
    ],
    ['example of a parameter', 'none', query('{}'), query('{}', 'example: 1, ')],
    [
      'media type of the content of a parameter',
      'breaking',
      '{ name: q, in: query, content: { application/json: {} } }',
      '{ name: q, in: query, content: { application/xml: {} } }',
    ],
  ]),
  ...graded(withBody, [
    [
      'required property became readOnly',
      'risky',
      open(a, 'required: [a], '),
      open('a: { type: string, readOnly: true }', 'required: [a], '),
    ],
    [
      'required readOnly property added',
      'none',
      open(a),
      open(`${a}, b: { type: string, readOnly: true }`, 'required: [b], '),
    ],
    ['property became writeOnly', 'none', open(a), open('a: { type: string, writeOnly: true }')],
    [
      'property removed beside additionalProperties of its type',
      'risky',
      open(`${a}, ${b}`, 'additionalProperties: { type: string }, '),
      open(a, 'additionalProperties: { type: string }, '),
    ],
    [
      'property removed beside additionalProperties of another type',
      'breaking',
      open(`${a}, b: { type: integer }`, 'additionalProperties: { type: string }, '),
      open(a, 'additionalProperties: { type: string }, '),
    ],
    ['name that no property has became required', 'breaking', open(a), open(a, 'required: [c], ')],
    ['enum gains and loses', 'breaking', '{ enum: [a, b] }', '{ enum: [a, c] }'],
    ['enum of another type', 'breaking', '{ enum: [1] }', "{ enum: ['1'] }"],
    ['enum in another order', 'none', '{ enum: [a, b] }', '{ enum: [b, a] }'],
    ['format password, a hint to pages', 'compatible', '{ type: string }', '{ type: string, format: password }'],
    ['email to idn-email', 'compatible', '{ type: string, format: email }', '{ type: string, format: idn-email }'],
    [
      'pattern written in another way',
      'risky',
      "{ type: string, pattern: '^a+$' }",
      "{ type: string, pattern: '^aa*$' }",
    ],
    ['uniqueItems taken', 'compatible', '{ type: array, uniqueItems: true }', '{ type: array }'],
    ['minProperties raised', 'breaking', open(a, 'minProperties: 1, '), open(a, 'minProperties: 2, ')],
    ['maxProperties raised', 'compatible', open(a, 'maxProperties: 1, '), open(a, 'maxProperties: 2, ')],
    ['minProperties: 0 written out', 'none', open(a), open(a, 'minProperties: 0, ')],
    [
      'minProperties: 1 beside a required property',
      'none',
      open(a, 'required: [a], '),
      open(a, 'required: [a], minProperties: 1, '),
    ],
    ['nullable without a type', 'none', '{}', '{ nullable: true }'],
    ['exclusiveMinimum: false written out', 'none', '{ minimum: 1 }', '{ minimum: 1, exclusiveMinimum: false }'],
    ['limit written as a fraction', 'none', '{ maximum: 10 }', '{ maximum: 10.0 }'],
    [
      'default of a required property changed',
      'none',
      open('a: { default: 1 }', 'required: [a], '),
      open('a: { default: 2 }', 'required: [a], '),
    ],
    ['part of an allOf written twice', 'none', `{ allOf: [${open(a)}] }`, `{ allOf: [${open(a)}, ${open(a)}] }`],
    [
      'null in an enum that is nullable',
      'compatible',
      '{ type: string, nullable: true, enum: [a] }',
      '{ type: string, nullable: true, enum: [a, null] }',
    ],
    [
      'XML name of a JSON property',
      'compatible',
      open('a: { type: string, xml: { name: x } }'),
      open('a: { type: string, xml: { name: y } }'),
    ],
    ['property renamed and its old name kept as optional', 'compatible', open(a), open(`${a}, ${b}`)],
  ]),
  ...graded(of31(withBody), [
    ['list of one type to the type', 'none', '{ type: [string] }', '{ type: string }'],
    ['integer beside number in the list', 'none', '{ type: [integer, number] }', '{ type: number }'],
    ['$comment and $defs', 'none', '{ type: string }', '{ type: string, $comment: x, $defs: { A: {} } }'],
    [
      'contentEncoding changed',
      'breaking',
      '{ type: string, contentEncoding: base64url }',
      '{ type: string, contentEncoding: quoted-printable }',
    ],
    [
      'contentMediaType changed',
      'breaking',
      '{ type: string, contentMediaType: application/json }',
      '{ type: string, contentMediaType: application/xml }',
    ],
    ['contentMediaType given', 'risky', '{ type: string }', '{ type: string, contentMediaType: application/json }'],
  ]),
  ...graded(withAnswer, [
    ['answer: property no longer writeOnly', 'compatible', open('a: { type: string, writeOnly: true }'), open(a)],
    [
      'answer: additionalProperties narrowed',
      'compatible',
      '{ type: object, additionalProperties: { type: number } }',
      '{ type: object, additionalProperties: { type: integer } }',
    ],
    [
      'answer: additionalProperties widened',
      'breaking',
      '{ type: object, additionalProperties: { type: integer } }',
      '{ type: object, additionalProperties: { type: number } }',
    ],
    ['answer: enum gains and loses', 'risky', '{ enum: [a, b] }', '{ enum: [a, c] }'],
    ['answer: format password taken', 'compatible', '{ type: string, format: password }', '{ type: string }'],
    [
      'answer: email to idn-email',
      'breaking',
      '{ type: string, format: email }',
      '{ type: string, format: idn-email }',
    ],
    ['answer: uniqueItems taken', 'breaking', '{ type: array, uniqueItems: true }', '{ type: array }'],
    [
      'answer: items that may be null',
      'breaking',
      '{ type: array, items: { type: string } }',
      '{ type: array, items: { type: string, nullable: true } }',
    ],
    [
      'answer: string to a component of an enum',
      'compatible',
      '{ type: string } | Kind: { type: string, enum: [a] }',
      "{ $ref: '#/components/schemas/Kind' } | Kind: { type: string, enum: [a] }",
    ],
    ['answer: property deprecated', 'compatible', open(a), open('a: { type: string, deprecated: true }')],
    ['answer: mapping gains a value', 'risky', either(cats), either(`${cats}, kitten: '#/components/schemas/Cat'`)],
    ['answer: default of a property removed', 'risky', open('a: { default: 1 }'), open(a.replace('type: string', ''))],
    ['answer: order of properties', 'none', open(`${a}, ${b}`), open(`${b}, ${a}`)],
  ]),
  ...graded(withResponses, [
    ['answer: 200 to 201', 'breaking', "'200': { description: Fine. }", "'201': { description: Fine. }"],
    [
      'answer: 4XX to 404',
      'compatible',
      "'200': { description: Fine. }, 4XX: { description: No. }",
      "'200': { description: Fine. }, '404': { description: No. }",
    ],
    [
      'answer: media types in another order',
      'none',
      fine(`application/json: ${json}, text/plain: {}`),
      fine(`text/plain: {}, application/json: ${json}`),
    ],
    ['answer: any type narrowed to JSON', 'compatible', fine(`'*/*': ${json}`), fine(`application/json: ${json}`)],
    ['answer: JSON widened to any type', 'risky', fine(`application/json: ${json}`), fine(`'*/*': ${json}`)],
    [
      'answer: JSON to a type that ends in +json',
      'breaking',
      fine(`application/json: ${json}`),
      fine(`application/vnd.a+json: ${json}`),
    ],
    [
      'answer: XML name',
      'breaking',
      fine('application/xml: { schema: { type: object, properties: { a: { xml: { name: x } } } } }'),
      fine('application/xml: { schema: { type: object, properties: { a: { xml: { name: y } } } } }'),
    ],
    [
      'answer: link removed',
      'compatible',
      "'200': { description: Fine., links: { next: { operationId: a } } }",
      "'200': { description: Fine. }",
    ],
    [
      'answer: header of a wider type',
      'breaking',
      header('schema: { type: integer }'),
      header('schema: { type: number }'),
    ],
    [
      'answer: header of JSON changed',
      'breaking',
      header('content: { application/json: { schema: { type: integer } } }'),
      header('content: { application/json: { schema: { type: string } } }'),
    ],
    [
      'answer: header written as JSON',
      'breaking',
      header('schema: { type: object }'),
      header('content: { application/json: { schema: { type: object } } }'),
    ],
    [
      'answer: header exploded',
      'breaking',
      header('schema: { type: object }'),
      header('explode: true, schema: { type: object }'),
    ],
    ['answer: header deprecated', 'compatible', header('schema: {}'), header('deprecated: true, schema: {}')],
  ]),
  ...graded(withOperation, [
    [
      'one of two media types removed',
      'breaking',
      body(`application/json: ${json}, application/xml: ${json}`),
      body(`application/json: ${json}`),
    ],
    [
      'required: false of a body written out',
      'none',
      'requestBody: { content: { text/plain: {} } }',
      'requestBody: { required: false, content: { text/plain: {} } }',
    ],
    [
      'a part must have a header',
      'breaking',
      body(
        'multipart/form-data: { schema: { type: object, properties: { a: {} } }, encoding: { a: { contentType: text/plain } } }',
      ),
      body(
        'multipart/form-data: { schema: { type: object, properties: { a: {} } }, encoding: { a: { contentType: text/plain, headers: { X-A: { required: true, schema: {} } } } } }',
      ),
    ],
    [
      'callback added',
      'compatible',
      'summary: x',
      `callbacks: { told: { '{$request.query.url}': { post: { ${done} } } } }`,
    ],
    [
      'address of a callback changed',
      'breaking',
      `callbacks: { told: { '{$request.query.url}': { post: { ${done} } } } }`,
      `callbacks: { told: { '{$request.query.to}': { post: { ${done} } } } }`,
    ],
    ['tags and documents', 'none', 'tags: [x]', 'tags: [y], externalDocs: { url: https://a.test }'],
  ]),
  ...graded(withRoot, [
    [
      'both of two schemes to one of them',
      'compatible',
      demand('{ key: [], other: [] }'),
      demand('{ key: [] }, { other: [] }'),
    ],
    [
      'requirements in another order',
      'none',
      demand('{ key: [] }, { other: [] }'),
      demand('{ other: [] }, { key: [] }'),
    ],
    [
      'scheme that is not used removed',
      'none',
      demand('{ key: [] }'),
      demand('{ key: [] }', schemes.split(', other')[0]),
    ],
    [
      'name of a key in a header in another letter case',
      'none',
      demand('{ key: [] }'),
      demand('{ key: [] }', 'key: { type: apiKey, in: header, name: x-key }'),
    ],
    [
      'name of a key in the query in another letter case',
      'breaking',
      demand('{ key: [] }', 'key: { type: apiKey, in: query, name: key }'),
      demand('{ key: [] }', 'key: { type: apiKey, in: query, name: KEY }'),
    ],
    [
      'servers in another order',
      'none',
      ' | servers: [{ url: https://a.test }, { url: https://b.test }]',
      ' | servers: [{ url: https://b.test }, { url: https://a.test }]',
    ],
    ['server / written out', 'none', '', ' | servers: [{ url: / }]'],
    [
      'part of a server put into a variable',
      'none',
      ' | servers: [{ url: https://api.test }]',
      " | servers: [{ url: 'https://{name}.test', variables: { name: { default: api } } }]",
    ],
    ['http to https', 'breaking', ' | servers: [{ url: http://a.test }]', ' | servers: [{ url: https://a.test }]'],
  ]),
]
