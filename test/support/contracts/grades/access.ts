import { contract } from '../diff.ts'
import { graded, withRoot, type Graded } from './grade.ts'

const flows = (text: string): string => `auth: { type: oauth2, flows: { ${text} } }`
const code = (token = 'https://a/token', scopes = 'read: Reads., write: Writes.'): string =>
  `authorizationCode: { authorizationUrl: https://a/auth, tokenUrl: ${token}, scopes: { ${scopes} } }`
const oauth = (text: string, scopes = 'read'): string => `security: [{ auth: [${scopes}] }], | | ${flows(text)}`
const bearer = 'security: [{ key: [] }],'
const schemes = 'key: { type: http, scheme: bearer }, other: { type: apiKey, in: header, name: X-Key }'
const key = (scheme: string): string => `${bearer} | | key: { ${scheme} }`
const demand = (list: string): string => `security: [${list}], | | ${schemes}`
const servers = (list: string): string => ` | servers: [${list}]`
const region = (more: string): string => servers(`{ url: 'https://{region}.test', variables: { region: { ${more} } } }`)
const answer = "responses: { '204': { description: Done. } }"
const addressed = (server: string, path: string, own = ''): string =>
  contract({ [path]: `{ ${own}get: { ${answer} } }` }, '{}', server === '' ? '' : `servers: [{ url: ${server} }]\n`)

export const access: Graded[] = [
  ...graded(withRoot, [
    ['security given to an operation', 'breaking', ` | | ${schemes}`, demand('{ key: [] }')],
    ['security taken from an operation', 'compatible', demand('{ key: [] }'), demand('')],
    ['security: [] written as [{}]', 'none', 'security: [],', 'security: [{}],'],
    ['an alternative added', 'compatible', demand('{ key: [] }'), demand('{ key: [] }, { other: [] }')],
    ['an alternative removed', 'breaking', demand('{ key: [] }, { other: [] }'), demand('{ key: [] }')],
    ['a second scheme demanded', 'breaking', demand('{ key: [] }'), demand('{ key: [], other: [] }')],
    ['anonymous callers no longer accepted', 'breaking', demand('{}, { key: [] }'), demand('{ key: [] }')],
    ['a scope demanded', 'breaking', oauth(code()), oauth(code(), 'read, write')],
    ['a scope no longer demanded', 'compatible', oauth(code(), 'read, write'), oauth(code())],
    [
      'bearerFormat changed',
      'compatible',
      key('type: http, scheme: bearer'),
      key('type: http, scheme: bearer, bearerFormat: JWT'),
    ],
    [
      'scheme written in another letter case',
      'none',
      key('type: http, scheme: bearer'),
      key('type: http, scheme: Bearer'),
    ],
    ['http bearer to basic', 'breaking', key('type: http, scheme: bearer'), key('type: http, scheme: basic')],
    [
      'key moved from a header to the query',
      'breaking',
      key('type: apiKey, in: header, name: X-Key'),
      key('type: apiKey, in: query, name: X-Key'),
    ],
    [
      'name of a key header changed',
      'breaking',
      key('type: apiKey, in: header, name: X-Key'),
      key('type: apiKey, in: header, name: X-Api-Key'),
    ],
    [
      'component of a scheme renamed',
      'none',
      key('type: http, scheme: bearer'),
      'security: [{ token: [] }], | | token: { type: http, scheme: bearer }',
    ],
    [
      'tokenUrl written relative to the server',
      'none',
      oauth(code()).replace('| |', '| servers: [{ url: https://a }] |'),
      oauth(code('/token')).replace('| |', '| servers: [{ url: https://a }] |'),
    ],
    [
      'tokenUrl written relative to another server',
      'breaking',
      oauth(code()).replace('| |', '| servers: [{ url: https://b }] |'),
      oauth(code('/token')).replace('| |', '| servers: [{ url: https://b }] |'),
    ],
    ['tokenUrl changed', 'breaking', oauth(code()), oauth(code('https://b/token'))],
    [
      'flow replaced',
      'breaking',
      oauth(code()),
      oauth('clientCredentials: { tokenUrl: https://a/token, scopes: { read: Reads. } }'),
    ],
    [
      'flow added',
      'compatible',
      oauth(code()),
      oauth(`${code()}, clientCredentials: { tokenUrl: https://a/token, scopes: { read: Reads. } }`),
    ],
    ['scope removed that is demanded', 'breaking', oauth(code()), oauth(code('https://a/token', 'write: Writes.'))],
    [
      'scope added',
      'compatible',
      oauth(code()),
      oauth(code('https://a/token', 'read: Reads., write: Writes., all: All.')),
    ],
    [
      'openIdConnectUrl changed',
      'breaking',
      key('type: openIdConnect, openIdConnectUrl: https://a/x'),
      key('type: openIdConnect, openIdConnectUrl: https://b/x'),
    ],
    ['server replaced', 'breaking', servers('{ url: https://a.test }'), servers('{ url: https://b.test }')],
    [
      'server added',
      'compatible',
      servers('{ url: https://a.test }'),
      servers('{ url: https://a.test }, { url: https://b.test }'),
    ],
    [
      'server removed',
      'breaking',
      servers('{ url: https://a.test }, { url: https://b.test }'),
      servers('{ url: https://a.test }'),
    ],
    [
      'server given to one operation',
      'breaking',
      servers('{ url: https://a.test }'),
      'servers: [{ url: https://b.test }], | servers: [{ url: https://a.test }]',
    ],
    [
      'slash at the end of a server',
      'none',
      servers('{ url: https://a.test/v1 }'),
      servers('{ url: https://a.test/v1/ }'),
    ],
    [
      'description of a server',
      'none',
      servers('{ url: https://a.test }'),
      servers('{ url: https://a.test, description: Here. }'),
    ],
    [
      'slash at the end of the default of a server variable',
      'none',
      servers("{ url: 'https://a.test{base}', variables: { base: { default: /v1 } } }"),
      servers("{ url: 'https://a.test{base}', variables: { base: { default: /v1/ } } }"),
    ],
    ['default of a server variable changed', 'breaking', region('default: eu'), region('default: us')],
    [
      'enum of a server variable loses a value',
      'breaking',
      region('default: eu, enum: [eu, us]'),
      region('default: eu, enum: [eu]'),
    ],
    [
      'enum of a server variable gains a value',
      'compatible',
      region('default: eu, enum: [eu]'),
      region('default: eu, enum: [eu, us]'),
    ],
  ]),
  {
    change: 'server moved from the root to the path',
    right: 'none',
    base: addressed('https://a.test', '/things'),
    head: addressed('', '/things', 'servers: [{ url: https://a.test }], '),
  },
  {
    change: 'base path moved from the server to the paths',
    right: 'none',
    base: addressed('https://a.test/v1', '/things'),
    head: addressed('https://a.test', '/v1/things'),
  },
  {
    change: 'base path moved, and another than before',
    right: 'breaking',
    base: addressed('https://a.test/v1', '/things'),
    head: addressed('https://a.test', '/v2/things'),
  },
  {
    change: 'server of a path replaced',
    right: 'breaking',
    base: addressed('https://a.test', '/things', 'servers: [{ url: https://b.test }], '),
    head: addressed('https://a.test', '/things', 'servers: [{ url: https://c.test }], '),
  },
]
