import fc from 'fast-check'

/** A request as it is generated. */
export interface Sent {
  method: string
  /** Path and query, as in the request line. */
  target: string
  /** By lower-case name. A request without `authorization` is sent with a valid key. */
  headers: Record<string, string>
  body?: Buffer
}

export const jsonTypes = [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json ; charset=utf8',
]

/* Each request is a valid one of the three operations with up to three changes. */

const names = fc.constantFrom(
  '"Rex"',
  '"\\ud83d\\ude00"',
  '"é"',
  '"a\\u0009b"',
  '"\\\\ud800"',
  '" x "',
  `"${'n'.repeat(255)}"`,
)
const categoryIds = fc.constantFrom('7', '0', '-0', '-1', '1.0', '1e2', '9007199254740993', '9223372036854775000')
const pets = fc
  .tuple(names, categoryIds, fc.constantFrom('', ',"status":"sold"', ', "status" : "pending" '))
  .map(([name, categoryId, status]) => `{"name":${name},"categoryId":${categoryId}${status}}`)

const ids = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('1', '7', '%31', '-1', '0') },
  { weight: 1, arbitrary: fc.constantFrom('9007199254740993', '-9007199254740993') },
  { weight: 1, arbitrary: fc.integer().map(String) },
)
const goodPairs = fc.constantFrom(
  'limit=1',
  'limit=100',
  'limit=%32',
  'status=sold',
  'status=p%65nding',
  'cursor=AAAAAAAAABQ',
  'cursor=-_-_-_-_-_-',
  '',
)
const goodQueries = fc
  .uniqueArray(goodPairs, { maxLength: 3, selector: (pair) => pair.split('=')[0] })
  .map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''))

const proper: fc.Arbitrary<Sent> = fc.oneof(
  goodQueries.map((query) => ({ method: 'GET', target: `/v1/pets${query}`, headers: {} })),
  ids.map((id) => ({ method: 'GET', target: `/v1/pets/${id}`, headers: {} })),
  fc.tuple(pets, fc.constantFrom(...jsonTypes)).map(([pet, type]) => ({
    method: 'POST',
    target: '/v1/pets',
    headers: { 'content-type': type },
    body: Buffer.from(pet),
  })),
)

function words(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(...text.trim().split(/\s+/))
}

function lines(text: string): fc.Arbitrary<string> {
  return fc.constantFrom(...text.trim().split('\n'))
}

type Change = (request: Sent) => Sent

const badIds = words(`
  01 1.0 1e1 0x10 0b1 +1 %2B1 %201 1%20 %20 %0A -0 1.5 abc 1_0 NaN Infinity mine {petId} %00 1,2 1;a=b 1#x . .. %2e%2e
  1%2F2 % %zz %FF %c0%ae 1% %E0%A4%A 1e400 99999999999999999999 9223372036854775296 9223372036854775807
  9223372036854775808 -9223372036854775808 -9223372036854775809 -9223372036854776832 -9223372036854776833`)
const badPairs = words(`
  limit=0 limit=101 limit= limit limit=abc limit=1&limit=2 limit=1&limit=1 limit=1.5 limit=true limit=Infinity limit=01
  limit=1.0 limit=1e1 limit=0x10 limit=%2B1 limit=+1 limit=1+ limit=%201 limit=%20 limit=-0 limit[]=1 limit[a]=1
  limit=9223372036854775807 limit=%zz limit=%FF limit=1? limit=1?x=2 Limit=1 status= status=gone status=SOLD
  status=sold%20 status=sold&status=sold status=sold,pending status=null status=%00 status=sold? cursor=
  cursor=AAAAAAAAAB cursor=AAAAAAAAABQA cursor=AAAAAAAAAB%2B cursor=AAAAAAAAABQ%0A x=1 x =1 = & && ? ?limit=1
  __proto__=1 toString=1 constructor=1 hasOwnProperty a[b]=1`)
const badCategoryIds = words(`
  "7" true null 1.5 01 1.0000000000000000000000001 7e-450 1e400 1e22 [7] {} NaN 9223372036854775807 9223372036854775808
  9223372036854775807.0 -9223372036854775808 -9223372036854775809 -9223372036854776832 -9223372036854776833`)
const badPets = lines(`
null
true
5
"Rex"
[]
{}
[{"name":"Rex","categoryId":7}]
name=Rex
{"name":"Rex"}
{"categoryId":7}
{"name":"","categoryId":7}
{"name":"  ","categoryId":7}
{"name":5,"categoryId":7}
{"name":null,"categoryId":7}
{"name":"a\\u0000b","categoryId":7}
{"name":"a\\ud800","categoryId":7}
{"name":"\\udc00a","categoryId":7}
{"name":"A","name":"B","categoryId":7}
{"name":"A","\\u006eame":"B","categoryId":7}
{"name":"A","name":"A","categoryId":7}
{"name":"Rex","categoryId":7,"x":1}
{"name":"Rex","categoryId":7,"id":1}
{"name":"Rex","categoryId":7,"status":"gone"}
{"name":"Rex","categoryId":7,"status":null}
{"name":"Rex","categoryId":7,"__proto__":{"status":"sold"}}
{"name":"Rex","categoryId":7,"constructor":1}
{"name":"Rex","categoryId":7,}
{"name":"Rex" "categoryId":7}
{"name":"Rex","categoryId":7
{"name":"Rex","categoryId":7}}`)
const badBodies = fc.oneof(
  { weight: 3, arbitrary: badPets },
  { weight: 2, arbitrary: badCategoryIds.map((categoryId) => `{"name":"Rex","categoryId":${categoryId}}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['', ' ', '\ufeff{"name":"Rex","categoryId":7}'],
      ...['n'.repeat(256), '😀'.repeat(255), '😀'.repeat(256)].map((name) => `{"name":"${name}","categoryId":7}`),
    ),
  },
)
const badBytes = fc
  .constantFrom('ff', 'c0af', 'eda080', 'e9', 'f4908080', 'e282')
  .map((hex) => Buffer.concat([Buffer.from('{"categoryId":7,"name":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]))
const largeBodies = fc
  .constantFrom(99_999, 100_000, 100_001, 150_000)
  .chain((size) =>
    fc.constantFrom(
      Buffer.from('{"name":"Rex","categoryId":7}'.padEnd(size)),
      Buffer.from(`{"categoryId":7,"name":"${'n'.repeat(size - 26)}"}`),
    ),
  )

const badPaths = words(`
  /v1/pets/ /v1/pets// /v1/pets/1/ /v1/pets/1// /v1/pets/1/2 /v1/ /v1 /v1//pets //v1/pets /v1/Pets /V1/pets /v1pets /pets
  /v2/pets /v1/p%65ts /v1%2Fpets /v1/pets%20 /v1/store/nothing /v1/% /v1/pets% /v1/pets/1/%zz /v1/pets#x /v1/pets/{petId}
  /v1/constructor /v1/__proto__`)
const contentTypes = fc.oneof(
  fc.constantFrom('', ...jsonTypes),
  lines(`
text/plain
text/json
application/json5
application/jsonx
application/vnd.api+json
application/x-www-form-urlencoded
application/json; charset=latin1
application/json; charset=utf-16
application/json, text/plain
*/*`),
)
const headerLines = lines(`
content-encoding: gzip
content-encoding: identity
accept: text/html
cookie: a=%zz; limit=5
x-http-method-override: DELETE
x-original-url: /v1/none
range: bytes=0-1
if-none-match: *`).map((line) => line.split(': ', 2))

const withBody =
  (body: Buffer): Change =>
  (request) => ({
    ...request,
    body,
    headers: { 'content-type': 'application/json', ...request.headers },
  })
const asCreation =
  (body: Buffer): Change =>
  (request) =>
    withBody(body)({ ...request, method: 'POST', target: '/v1/pets' })
const withHeader =
  (name: string, value: string): Change =>
  (request) => ({ ...request, headers: { ...request.headers, [name]: value } })

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: badIds.map((id): Change => (request) => ({ ...request, target: `/v1/pets/${id}` })),
  },
  {
    weight: 5,
    arbitrary: badPairs.map((pair): Change => (request) => {
      return { ...request, target: request.target + (request.target.includes('?') ? '&' : '?') + pair }
    }),
  },
  { weight: 5, arbitrary: badBodies.map((text): Change => asCreation(Buffer.from(text))) },
  { weight: 1, arbitrary: badBodies.map((text): Change => withBody(Buffer.from(text))) },
  { weight: 1, arbitrary: badBytes.map(asCreation) },
  {
    weight: 2,
    // a character of the body is removed or replaced
    arbitrary: fc
      .tuple(fc.nat(), fc.constantFrom('', '"', '\\', '}', ',', '0', ' ', 'x', '\u0000', 'é'))
      .map(([at, letter]): Change => (request) => {
        if (!request.body) return request
        const text = request.body.toString()
        const start = at % text.length
        return { ...request, body: Buffer.from(text.slice(0, start) + letter + text.slice(start + 1)) }
      }),
  },
  {
    weight: 2,
    arbitrary: badPaths.map((path): Change => (request) => ({
      ...request,
      target: request.target.replace(/^[^?]*/, () => path),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        'GET',
        'GET',
        'POST',
        'HEAD',
        'HEAD',
        'OPTIONS',
        'PUT',
        'DELETE',
        'PATCH',
        'TRACE',
        'PROPFIND',
        'SEARCH',
      )
      .map((method): Change => (request) => ({ ...request, method })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('', 'Bearer', 'Bearer x', `Bearer ak_${'0'.repeat(49)}`, 'Basic dTpw')
      .map((value): Change => withHeader('authorization', value)),
  },
  {
    weight: 3,
    arbitrary: contentTypes.map((type): Change => withHeader('content-type', type)),
  },
  {
    weight: 2,
    arbitrary: headerLines.map(([name = '', value = '']): Change => withHeader(name, value)),
  },
  { weight: 1, arbitrary: fc.constant<Change>(withHeader('transfer-encoding', 'chunked')) },
)

const rarely: fc.Arbitrary<Change> = largeBodies.map(asCreation)

export const requests: fc.Arbitrary<Sent> = fc
  .tuple(
    proper,
    fc.oneof(
      { weight: 40, arbitrary: fc.array(change, { maxLength: 3 }) },
      { weight: 1, arbitrary: rarely.map((one) => [one]) },
    ),
  )
  .map(([request, changes]) => changes.reduce<Sent>((changed, apply) => apply(changed), request))
