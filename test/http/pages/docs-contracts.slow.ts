import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Locator, Page } from 'playwright-core'
import { describeBrowser, openPage, startBrowser, type WatchedPage } from '../../support/browser.ts'
import { startContract } from '../../support/contracts/echo.ts'
import { authorize, isAtTop } from '../../support/docs-page.ts'
import type { TestService } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'

const done = `responses: { '204': { description: Done. } }`

/** Security of every kind, bodies of every kind, parameters of several styles, names that are hard to link to. */
const older = `openapi: 3.0.3
info: { title: Older, version: '1', description: 'Is <b>bold</b>. <script>ran = 1</script>' }
servers: [{ url: 'https://example.test/api/v1' }]
security: [{ Bearer: [] }]
paths:
  /public: { get: { operationId: open, security: [], ${done} } }
  /either: { get: { operationId: either, security: [{}, { Bearer: [] }], ${done} } }
  /bearer: { get: { operationId: bearer, ${done} } }
  /basic: { get: { operationId: basic, security: [{ Basic: [] }], ${done} } }
  /header: { get: { operationId: header, security: [{ Header: [] }, { Bearer: [] }], ${done} } }
  /query:
    get:
      operationId: query
      security: [{ Query: [] }]
      parameters: [{ name: q, in: query, required: true, schema: { type: string, example: 'a b&c' } }]
      ${done}
  /cookie: { get: { operationId: cookie, security: [{ Cookie: [] }], ${done} } }
  /oauth: { get: { operationId: oauth, security: [{ Oauth: [] }], ${done} } }
  /all:
    post:
      operationId: all
      security: [{ Header: [], Query: [] }]
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties: { name: { type: string, example: Rex }, photo: { type: string, format: binary } }
      ${done}
  /form:
    post:
      operationId: form
      security: []
      requestBody:
        content:
          application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string, example: b } } } }
      ${done}
    put:
      operationId: bytes
      security: []
      requestBody: { content: { application/octet-stream: { schema: { type: string, format: binary } } } }
      ${done}
    patch:
      operationId: number
      security: []
      requestBody: { content: { application/json: { schema: { type: integer, minimum: 3, exclusiveMinimum: true } } } }
      ${done}
  /trees:
    post:
      operationId: tree
      security: []
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }
      responses:
        '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }
  /named/{some.id}:
    get:
      tags: [a/b & <i>c</i>]
      security: []
      parameters:
        - { name: some.id, in: path, required: true, schema: { type: integer, minimum: 5 } }
        - { name: ids, in: query, required: true, schema: { type: array, items: { type: integer }, example: [1, 9007199254740993] } }
        - { name: filter, in: query, required: true, style: deepObject, schema: { type: object, properties: { color: { type: string, example: red } } } }
      ${done}
components:
  securitySchemes:
    Bearer: { type: http, scheme: bearer }
    Basic: { type: http, scheme: basic }
    Header: { type: apiKey, in: header, name: X-Key }
    Query: { type: apiKey, in: query, name: key }
    Cookie: { type: apiKey, in: cookie, name: sid }
    Oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://example.test/token', scopes: {} } } }
  schemas:
    Tree:
      type: object
      required: [name]
      properties:
        name: { type: string, example: root }
        left: { $ref: '#/components/schemas/Tree' }
        children: { type: array, items: { $ref: '#/components/schemas/Tree' } }
        pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Tree' }] }
    Cat: { type: object, properties: { lives: { type: integer, example: 9 } } }
`
const olderNames = 'open either bearer basic header query cookie oauth all form bytes number tree getNamedSomeId'.split(
  ' ',
)

const newer = `openapi: 3.1.0
info: { title: Newer, version: '1', summary: All that is new. }
servers: [{ url: 'https://example.test/v1' }]
paths:
  /things:
    get:
      operationId: list
      security: [{ Key: [] }]
      parameters:
        - { name: size, in: query, schema: { type: integer, exclusiveMinimum: 0, exclusiveMaximum: 9007199254740993 } }
        - { name: limit, in: query, schema: { type: [integer, 'null'], minimum: 1, maximum: 100 } }
        - { name: kind, in: query, required: true, schema: { const: fixed } }
        - { name: day, in: query, required: true, schema: { type: [string, 'null'], examples: ['2026-01-02'] } }
      ${done}
    post:
      operationId: add
      security: [{ Key: [] }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      ${done}
webhooks:
  added: { post: { responses: { '204': { description: Done. } } } }
components:
  securitySchemes: { Key: { type: apiKey, in: cookie, name: sid } }
  schemas:
    Thing:
      type: object
      properties:
        id: { type: integer, examples: [9007199254740993] }
        name: { type: [string, 'null'], examples: [Rex] }
        kind: { const: fixed }
        parent: { $ref: '#/components/schemas/Thing', description: Beside a reference. }
`

const services: TestService[] = []
let browser: Browser

describeBrowser('the reference of another contract', () => {
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    for (const service of services) await service.stop()
  })

  test('has a request for each operation with its own security, parameters and body', async () => {
    const { page, faults, samples } = await openAll(await serve(older, olderNames))
    expect(samples).toEqual({
      'GET /public': "curl -i 'A/public'",
      'GET /either': "curl -i 'A/either'",
      'GET /bearer': `curl -i 'A/bearer' -H "Authorization: Bearer $API_KEY"`,
      'GET /basic': `curl -i 'A/basic' -u ":$API_KEY"`,
      'GET /header': `curl -i 'A/header' -H "X-Key: $API_KEY"`,
      'GET /query': `curl -i 'A/query?q=a%20b%26c''&key='"$API_KEY"`,
      'GET /cookie': `curl -i 'A/cookie' -b "sid=$API_KEY"`,
      'GET /oauth': `curl -i 'A/oauth' -H "Authorization: Bearer $API_KEY"`,
      'POST /all': `curl -i -X POST 'A/all''?key='"$API_KEY" -H "X-Key: $API_KEY" --form-string 'name=Rex' -F 'photo=@FILE'`,
      'POST /form': `curl -i -X POST 'A/form' --data-urlencode 'a=b'`,
      'PUT /form': `curl -i -X PUT 'A/form' -H 'Content-Type: application/octet-stream' --data-binary @FILE`,
      'PATCH /form': `curl -i -X PATCH 'A/form' -H 'Content-Type: application/json' -d '4'`,
      'POST /trees': `curl -i -X POST 'A/trees' -H 'Content-Type: application/json' -d '{ "name": "root", "children": [], "pet": { "lives": 9 } }'`,
      'GET /named/{some.id}': `curl -i 'A/named/5?ids=1&ids=9007199254740993&filter%5Bcolor%5D=red'`,
    })
    expect(await page.locator('main').innerText()).toContain('Is <b>bold</b>. <script>ran = 1</script>')
    expect(await page.evaluate('typeof ran')).toBe('undefined')
    expect(await pythonOf(page, '/all')).toBe(`import os
import requests

answer = requests.post(
    "A/all",
    params={
        "key": os.environ['API_KEY'],
    },
    headers={
        "X-Key": os.environ['API_KEY'],
    },
    files=[
        ("name", (None, "Rex")),
        ("photo", open("FILE", "rb")),
    ],
)
print(answer.status_code, answer.text)`)
    expect(await pythonOf(page, '/basic')).toContain(`\n    auth=("", os.environ['API_KEY']),\n`)
    expect(await pythonOf(page, '/public')).toBe(
      'import requests\n\nanswer = requests.get(\n    "A/public",\n)\nprint(answer.status_code, answer.text)',
    )
    expect(faults).toEqual([])
  })

  test('shows what OpenAPI 3.1 has', async () => {
    const { page, faults, samples } = await openAll(await serve(newer, ['list', 'add']))
    expect(samples).toEqual({
      'GET /things': `curl -i 'A/things?kind=fixed&day=2026-01-02' -b "sid=$API_KEY"`,
      'POST /things': `curl -i -X POST 'A/things' -b "sid=$API_KEY" -H 'Content-Type: application/json' -d '{ "id": 9007199254740993, "name": "Rex", "kind": "fixed" }'`,
    })
    const text = (name: string): Promise<string> => page.locator(`[data-parameter=${name}]`).innerText()
    expect(await text('size')).toMatch(/More than: 0\s+Less than: 9007199254740993/)
    expect(await text('limit')).toMatch(/integer or null[^]*At least: 1\s+At most: 100/)
    expect(await text('kind')).toContain('Always: fixed')
    expect(faults).toEqual([])
  })

  test('fits on a phone with words that are longer than its lines', async () => {
    const long = `https://example.test/${'long'.repeat(30)}`
    const name = 'name'.repeat(30)
    const service = await serve(
      `openapi: 3.0.3
info: { title: ${name}, version: '1', description: '${long}' }
tags: [{ name: ${name}, description: '${long}' }]
paths:
  /${name}:
    post:
      operationId: add
      tags: [${name}]
      summary: ${name}
      description: '${long}'
      parameters: [{ name: ${name}, in: query, description: '${long}', schema: { type: string, enum: [${name}] } }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } } }
      responses:
        '204': { description: '${long}', headers: { X-${name}: { description: '${long}', schema: { type: string } } } }
components:
  schemas:
    ${name}: { type: object, description: '${long}', properties: { ${name}: { type: string, description: '${long}' } } }
`,
      ['add'],
    )
    const { page } = await open(service)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('#contents-box > summary').click()
    await page.locator('.answer summary').click()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  })

  test('leads to any of many operations', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `get${index}`)
    const { page, faults } = await open(
      await serve(
        `openapi: 3.0.3
info: { title: Many, version: '1' }
paths:
${names.map((name) => `  /${name}: { get: { operationId: ${name}, ${done} } }`).join('\n')}
`,
        names,
      ),
    )
    const isThere = (name: string): Promise<void> => eventually(() => isAtTop(page, `[id="/default/${name}"]`))
    for (const name of ['get150', 'get0', 'get199']) {
      await page.locator(`#contents a[href$="/${name}"]`).click()
      await isThere(name)
    }
    await page.goto(`${page.url().replace(/#.*/, '')}?again#/default/get120`)
    await isThere('get120')
    expect(faults).toEqual([])
  })

  test.each([
    ['Basic', 'Key: { type: http, scheme: basic }'],
    ['the query', 'Key: { type: apiKey, in: query, name: key }'],
    ['a cookie', 'Key: { type: apiKey, in: cookie, name: sid }'],
  ])('takes a key that is sent in %s', async (_, scheme) => {
    // the first operation is public, and cannot tell whether a key is a right one
    const service = await serve(
      `openapi: 3.0.3
info: { title: Keys, version: '1' }
paths:
  /public: { get: { operationId: open, ${done} } }
  /things/{id}:
    servers: [{ url: /v2 }]
    get:
      operationId: thing
      security: [{ Key: [] }]
      parameters: [{ name: id, in: path, required: true, schema: { type: string, example: '1' } }]
      ${done}
components: { securitySchemes: { ${scheme} } }
`,
      ['open', 'thing'],
    )
    const { page } = await open(service)
    expect(await authorize(page, 'wrong')).toBe('The service does not accept this key. No key is used.')
    expect(await authorize(page, service.key)).toBe(`The key ${service.key.slice(0, 6)}… is used.`)
    await page.reload()
    const thing = page.locator('[id="/default/thing"]')
    const answered = page.waitForResponse((response) => response.url().includes('/v2/things/1'))
    await thing.locator('.execute').click()
    expect((await answered).status()).toBe(204)
  })
})

async function serve(contract: string, names: readonly string[]): Promise<TestService> {
  const service = await startContract(contract, names, () => Promise.resolve({ status: 204 }))
  services.push(service)
  return service
}

async function open({ port }: TestService): Promise<WatchedPage> {
  const watched = await openPage(browser)
  const { page, faults } = watched
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(`http://127.0.0.1:${port}/docs`)
  await page.locator('html.with-script').waitFor()
  return watched
}

/** Opens a contract, and gives the sample of each operation, in one line with the address as `A`. */
async function openAll(service: TestService): Promise<WatchedPage & { samples: Record<string, string> }> {
  const watched = await open(service)
  const samples: Record<string, string> = {}
  for (const one of await watched.page.locator('.operation').all()) {
    const [method, path] = [one.locator('.address .method'), one.locator('.address code')]
    const name = `${await method.innerText()} ${(await path.innerText()).replace(/^(\/api)?\/v1/, '')}`
    samples[name] = (await sampleOf(one)).replaceAll(/ \\\n +/g, ' ')
  }
  return { ...watched, samples }
}

async function sampleOf(operation: Locator): Promise<string> {
  return (await operation.locator('.sample').innerText()).replace(/http:\/\/127\.0\.0\.1:\d+(\/api)?\/v1/, 'A')
}

async function pythonOf(page: Page, path: string): Promise<string> {
  const one = page.locator('.operation', { hasText: path }).first()
  await one.getByRole('button', { name: 'Python' }).click()
  return sampleOf(one)
}
