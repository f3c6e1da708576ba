/** Keys of a contract beside `openapi` and `info`, in YAML, and what they are about. */
type Fact = [about: string, keys: string]

const component = (section: string, part: string): string => `components: { ${section}: { A: ${part} } }`
const body = (media: string): string => component('requestBodies', `{ content: { multipart/mixed: { ${media} } } }`)
const querystring = (name: string): string =>
  `{ name: ${name}, in: querystring, content: { application/json: { schema: {} } } }`
const inQuery = '{ name: a, in: query, schema: {} }'
const item = (keys: string): string => component('pathItems', `{ ${keys} }`)

/** What OpenAPI 3.1 and 3.2 forbid, of what the files in `tests/schema/fail` of its repository are about. */
export const forbidden: readonly Fact[] = [
  ['no paths, components or webhooks', 'tags: []'],
  ['a key that there is not at the top', 'components: {}\noverlays: {}'],
  ['servers that are no list', 'components: {}\nservers: { url: /v1 }'],
  [
    'an enum of a server variable without values',
    "components: {}\nservers: [{ url: 'https://a/{b}', variables: { b: { enum: [], default: a } } }]",
  ],
  ['a schema that is null', component('schemas', 'null')],
  ['a schema that is a number', component('schemas', '0')],
  ['a schema that is a list', component('schemas', '[]')],
  [
    'an example and examples',
    component('parameters', '{ name: a, in: header, schema: {}, example: b, examples: { c: { value: b } } }'),
  ],
  ['a value and an external value', component('examples', "{ value: a, externalValue: 'https://a/b' }")],
  [
    'allowReserved in a header of an answer',
    component('headers', '{ schema: { type: array }, style: simple, allowReserved: true }'),
  ],
  [
    'allowReserved in a header parameter',
    component('parameters', '{ name: a, in: header, allowReserved: false, schema: {} }'),
  ],
  ['a link with a key that there is not', component('links', '{ operationRef: "#/x", body: a }')],
]

/** What OpenAPI 3.2 forbids beyond that. */
export const forbiddenSince32: readonly Fact[] = [
  ['a value and its serialization', component('examples', '{ value: a, serializedValue: a }')],
  ['a value and its data', component('examples', '{ value: a, dataValue: a }')],
  [
    'a serialization and an external value',
    component('examples', "{ serializedValue: a, externalValue: 'https://a/b' }"),
  ],
  ['encodings by name and of all items', body('encoding: {}, itemEncoding: {}')],
  ['encodings by name and by position', body('encoding: {}, prefixEncoding: []')],
  ['encodings by name and of all items within one', body('prefixEncoding: [{ encoding: {}, itemEncoding: {} }]')],
  ['encodings by name and by position within one', body('itemEncoding: { encoding: {}, prefixEncoding: [] }')],
  [
    'a header whose name is no token',
    "paths: { /a: { get: { responses: { default: { headers: { 'A=B': { schema: {} } } } } } } }",
  ],
  ['a header parameter whose name is no token', component('parameters', "{ name: 'A[B]', in: header, schema: {} }")],
  [
    'a path parameter with a brace in its name',
    component('parameters', "{ name: 'A{B}', in: path, required: true, schema: {} }"),
  ],
  ['a whole query with a schema', component('parameters', '{ name: a, in: querystring, schema: {} }')],
  [
    'a whole query with a style',
    component('parameters', '{ name: a, in: querystring, style: simple, content: { application/json: {} } }'),
  ],
  [
    'allowReserved in the style cookie',
    component('parameters', '{ name: a, in: cookie, style: cookie, allowReserved: true, schema: {} }'),
  ],
  ['two whole queries of an operation', item(`get: { parameters: [${querystring('a')}, ${querystring('b')}] }`)],
  ['two whole queries of a path', item(`parameters: [${querystring('a')}, ${querystring('b')}], get: {}`)],
  [
    'a whole query beside a part of it',
    item(`get: { parameters: [${querystring('a')}, ${inQuery.replace('a', 'b')}] }`),
  ],
  [
    'a whole query of a path beside a part of it',
    item(`parameters: [${querystring('a')}, ${inQuery.replace('a', 'b')}], get: {}`),
  ],
  ['another method that has a key', item('additionalOperations: { POST: {} }')],
  [
    'XML with a node type and as an attribute',
    component('schemas', '{ xml: { nodeType: attribute, attribute: true } }'),
  ],
  ['XML with a node type and wrapped', component('schemas', '{ xml: { nodeType: element, wrapped: true } }')],
]

/** What OpenAPI 3.1 and 3.2 allow, of what the files in `tests/schema/pass` of its repository are about. */
export const allowed: readonly Fact[] = [
  ['components alone', 'components: {}'],
  ['webhooks alone', 'webhooks: {}'],
  ['path items as components', item('get: {}')],
  ['another dialect by default', "jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base'\ncomponents: {}"],
  ['true as a schema', component('schemas', 'true')],
  ['false as a schema', component('schemas', 'false')],
  ['a schema that accepts nothing', component('schemas', '{ not: {} }')],
  ['an operation without responses', 'paths: { /a: { get: {} } }'],
  ['mutualTLS', component('securitySchemes', '{ type: mutualTLS }')],
  ['keys of extensions', 'components: {}\nx-a: { b: null }'],
  ['a server without variables', 'components: {}\nservers: [{ url: / }]'],
  [
    'a path with servers and parameters of its own',
    'paths: { "/a/{b}": { servers: [{ url: / }], parameters: [{ name: b, in: path, required: true, schema: {} }], get: {} } }',
  ],
  [
    'every style of the query',
    component(
      'parameters',
      '{ name: a, in: query, style: deepObject, explode: false, allowReserved: true, schema: {} }',
    ),
  ],
  ['a matrix parameter', component('parameters', '{ name: a, in: path, required: true, style: matrix, schema: {} }')],
  ['keywords that JSON Schema does not know', component('schemas', '{ unknown: 1 }')],
]
