import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { handlers } from '../../../generated/handlers.ts'
import type { Settings } from '../../../src/app.ts'
import {
  accessibilityFaults,
  describeBrowser,
  openPage,
  startBrowser,
  type WatchedPage,
} from '../../support/browser.ts'
import { authorize, execute, isAtTop, operation, tryOut } from '../../support/docs-page.ts'
import { startService, type TestService } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** A whole number that JavaScript would show as 9007199254740992. */
const large = '9007199254740993'

let service: TestService
let browser: Browser
const opened: WatchedPage[] = []
/** Stopped also after a test that failed. */
const services: TestService[] = []

describeBrowser('in a browser', () => {
  beforeAll(async () => {
    ;[browser, service] = await Promise.all([startBrowser(), serve()])
  })
  afterAll(async () => {
    await browser.close()
    for (const one of services) await one.stop()
  })

  /** What holds on every page: nothing is asked of others, and the policy allows all that is done. */
  afterEach(async () => {
    for (const { page, origins, faults } of opened.splice(0)) {
      const { origin } = new URL(page.url())
      await page.context().close()
      expect({ origins: [...origins], faults }).toEqual({ origins: [origin], faults: [] })
    }
  })

  async function open(path: string, options: BrowserContextOptions = {}, from = service): Promise<Page> {
    const watched = await openPage(browser, options)
    opened.push(watched)
    await watched.page.goto(`http://127.0.0.1:${from.port}${path}`)
    if (path.startsWith('/docs')) await watched.page.waitForSelector('.opblock')
    return watched.page
  }

  test('a visitor enters a key, adds an animal and finds it in the list, to the last digit', async () => {
    const page = await open('/docs')
    await authorize(page, service.key)
    const create = await tryOut(page, 'createPet')
    await create.locator('textarea').fill(`{"name":"Rex","categoryId":${large}}`)
    const created = await execute(create, 201)
    expect(created).toContain(`"categoryId": ${large},`)
    expect(await create.locator('.curl').innerText()).toContain(large)
    const list = await execute(await tryOut(page, 'listPets'), 200)
    expect(list).toContain(`"categoryId": ${large},`)
    const [, id = ''] = /"id": (\d+)/.exec(created) ?? []
    const get = await tryOut(page, 'getPet')
    await get.locator('tr[data-param-name=petId] input').fill(id)
    expect(await execute(get, 200)).toContain(`"categoryId": ${large},`)
  })

  test('a key that the service does not accept is told at Authorize, and not used', async () => {
    const page = await open('/docs')
    const wrong = `ak_${'x'.repeat(49)}`
    expect(await authorize(page, wrong)).toBe('The service does not accept this key. No key is used.')
    for (const entered of ['', '   ', 'ak with spaces', 'ключ']) {
      await page.locator('#api-key').fill(entered)
      await page.getByRole('button', { name: 'Authorize' }).click()
      await page.locator('#key-state.bad', { hasText: entered.trim() ? 'no spaces' : 'Enter a key.' }).waitFor()
    }
    const used = `The key ${service.key.slice(0, 6)}… is used.`
    expect(await authorize(page, ` Bearer ${service.key}\n`)).toBe(used)
    expect(await authorize(page, wrong)).toBe(`The service does not accept this key. ${used}`)
    await page.getByRole('button', { name: 'Forget' }).click()
    expect(await page.locator('#key-state').innerText()).toBe('No key is used.')
    const { key } = await service.addKey({ plan: 'enterprise', custom: { perMinute: 1, perDay: 1 } })
    await authorize(page, key)
    expect(await authorize(page, key)).toMatch(/^The key could not be tried: too many requests\./)
  })

  test('what is not filled in is not sent, and each Execute adds an animal', async () => {
    const page = await open('/docs')
    await authorize(page, service.key)
    const list = await tryOut(page, 'listPets')
    for (const field of await list.locator('.parameters :is(input, select)').all()) {
      expect(await field.inputValue()).toBe('')
    }
    const [listing] = await Promise.all([page.waitForRequest('**/v1/pets*'), execute(list, 200)])
    expect(new URL(listing.url()).search).toBe('')
    const create = await tryOut(page, 'createPet')
    const field = create.getByLabel('Idempotency-Key')
    expect(await field.inputValue()).toBe('')
    const add = async (): Promise<{ id: string | undefined; key: string | undefined }> => {
      const sent = page.waitForRequest((request) => request.method() === 'POST')
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await create.locator('.execute').click()
      const [, id] = /"id":(\d+)/.exec(await (await answered).text()) ?? []
      return { id, key: (await sent).headers()['idempotency-key'] }
    }
    const [first, second] = [await add(), await add()]
    expect(Number(second.id)).toBe(Number(first.id) + 1)
    expect(first.key).toMatch(/^[\da-f]{32}$/)
    expect(second.key).not.toBe(first.key)
    await field.fill(first.key ?? '')
    await field.blur()
    expect(await add()).toEqual(first)
  })

  test('the operations come first, and the side bar leads to all of the page', async () => {
    const page = await open('/docs', { viewport: { width: 1280, height: 800 } })
    expect((await operation(page, 'listPets').boundingBox())?.y).toBeLessThan(500)
    expect((await page.getByRole('button', { name: 'Authorize' }).boundingBox())?.y).toBeLessThan(200)
    const shown = async (): Promise<string[]> => {
      return (await page.locator('#contents a:visible').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    }
    expect((await shown()).slice(0, 6)).toEqual([
      'GET List animals',
      'POST Add an animal',
      'GET Fetch one animal',
      'Headers of every answer',
      'Authentication',
      'Plans and rate limits',
    ])
    for (const [link, target] of [
      ['Add an animal', '#operations-pets-createPet'],
      ['Errors', '#guide-errors'],
      ['Headers of every answer', '#headers'],
      // the same again
      ['Add an animal', '#operations-pets-createPet'],
    ] as const) {
      await page.locator('#contents').getByText(link, { exact: true }).click()
      if (target.includes('createPet')) await page.locator(`${target} .execute`).waitFor()
      await eventually(() => isAtTop(page, target))
    }
    const search = page.getByLabel('Search')
    await search.fill('banned KEY')
    expect(await shown()).toEqual(['When a request is refused', 'Errors'])
    await search.fill('getpet')
    expect(await shown()).toEqual(['GET Fetch one animal'])
    await search.press('Enter')
    await operation(page, 'getPet').locator('.execute').waitFor()
    await search.fill('xyzzy')
    await page.getByText('Nothing is found.').waitFor()
  })

  test('an address leads to a section of the guide', async () => {
    const page = await open('/docs#guide-errors')
    await eventually(() => isAtTop(page, '#guide-errors'))
  })

  test('an operation tells its bounds, an example and its answers, and nothing twice', async () => {
    const page = await open('/docs')
    const list = await tryOut(page, 'listPets')
    expect(await list.locator('[data-param-name=limit]').innerText()).toMatch(
      /Default: 20[^]*minimum: 1\s+maximum: 100/,
    )
    expect(await list.locator('[data-param-name=cursor]').innerText()).toContain('pattern: ^[A-Za-z0-9_-]{11}$')
    const create = await tryOut(page, 'createPet')
    expect((await create.boundingBox())?.height).toBeLessThan(2400)
    const address = `http://127.0.0.1:${service.port}/v1/pets`
    expect(await create.locator('.samples pre').innerText()).toBe(
      `curl -i -X POST '${address}' \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Idempotency-Key: $(date +%s)-$RANDOM" \\
  -H 'Content-Type: application/json' \\
  -d '{ "name": "Rex", "categoryId": 7 }'`,
    )
    await create.getByRole('button', { name: 'Python' }).click()
    expect(await create.locator('.samples pre').innerText()).toBe(`import os
import uuid
import requests

answer = requests.post(
    "${address}",
    headers={
        "Authorization": f"Bearer {os.environ['API_KEY']}",
        "Idempotency-Key": str(uuid.uuid4()),
    },
    json={
      "name": "Rex",
      "categoryId": 7
    },
)
print(answer.status_code, answer.text)`)
    await create.getByText('The body is larger than 100 kB.').click()
    await create.getByText('"payload_too_large"').waitFor()
    const text = await page.locator('#docs').innerText()
    for (const name of ['X-RateLimit-Remaining', 'RateLimit-Policy', 'X-Request-Id']) {
      expect(await page.locator('#docs :is(dt, .header-col)').getByText(name, { exact: true }).count()).toBe(1)
    }
    expect(text).toContain('Idempotency-Replayed')
    expect(text).not.toMatch(/Links|No links|Controls|Media type/)
  })

  test('refusals are shown with their codes and headers', async () => {
    const { key } = await service.addKey({ plan: 'enterprise', custom: { perMinute: 3, perDay: 3 } })
    const page = await open('/docs')
    const list = await tryOut(page, 'listPets')
    expect(await execute(list, 401)).toContain('"code": "unauthorized"')
    await authorize(page, key)
    const create = await tryOut(page, 'createPet')
    await create.locator('textarea').fill('{"name":"","categoryId":1}')
    expect(await execute(create, 400)).toContain('body.name must')
    await execute(list, 200)
    const refused = await execute(list, 429)
    expect(refused).toContain('"code": "rate_limited"')
    expect(refused).toMatch(/retry-after: [1-9]\d* /)
    expect(refused).toMatch(/x-ratelimit-limit: 3 \n x-ratelimit-remaining: 0 \n x-ratelimit-reset: \d+ /)
  })

  test('the key is remembered, and an address leads to its operation', async () => {
    const page = await open('/docs')
    await authorize(page, service.key)
    await operation(page, 'getPet').locator('.opblock-summary-control').click()
    expect(page.url()).toMatch(/\/docs#\/pets\/getPet$/)
    await page.reload()
    await operation(page, 'getPet').locator('.opblock-body').waitFor()
    expect(await operation(page, 'listPets').locator('.opblock-body').isVisible()).toBe(false)
    await execute(await tryOut(page, 'listPets'), 200)
  })

  test('operations carry their stability and their sunset, and numbers of the contract all their digits', async () => {
    const contractFile = `${service.folder}/openapi.yaml`
    const contract = readFileSync(`${root}/openapi.yaml`, 'utf8')
    const varied = contract
      .replace('operationId: createPet\n', '$&      x-stability: beta\n')
      .replace('            example: { name: Rex, categoryId: 7 }\n', '')
      .replace('      example: { name: Rex, categoryId: 7, status: available }\n', '')
      .replace('CategoryId:\n      type: integer\n', `$&      example: ${large}\n      maximum: 9223372036854775806\n`)
      .replace('            example: 1\n', `            example: ${large}\n`)
    writeFileSync(contractFile, varied)
    const other = await serve({ contractFile, handlers })
    const page = await open('/docs', {}, other)
    expect(await page.title()).toBe('Animal Store Service')
    const badges = (id: string): Promise<string[]> => operation(page, id).locator('.badge').allInnerTexts()
    expect(await badges('listPets')).toEqual([])
    expect(await badges('createPet')).toEqual(['beta'])
    expect(await badges('getPet')).toEqual(['deprecated, sunset 2030-12-05'])
    const examples = async (id: string): Promise<string> => {
      await operation(page, id).locator('.opblock-summary-control').click()
      await operation(page, id).locator('.answers .highlight-code').first().waitFor()
      return operation(page, id).locator('.opblock-body').innerText()
    }
    expect(await examples('listPets')).toContain(`"categoryId": ${large},\n    "status": "sold"`)
    expect(await examples('createPet')).toContain(`"categoryId": ${large}`)
    expect(await operation(page, 'createPet').locator('textarea').inputValue()).toContain(`"categoryId": ${large}`)
    expect(await operation(page, 'createPet').locator('.samples pre').innerText()).toContain(`"categoryId": ${large}`)
    const get = await tryOut(page, 'getPet')
    expect(await get.locator('tr[data-param-name=petId] input').inputValue()).toBe(large)
    await page.locator('.models-control').click()
    await page.locator('#model-CategoryId .model-box-control, [id$=CategoryId] button').first().click()
    const shown = await page.locator('#docs').innerText()
    expect(shown).toContain('9223372036854775806')
    expect(shown).not.toMatch(/900719925474099[24]|922337203685477[^5]/)
    expect(await page.locator('.guide table').first().innerText()).toMatch(
      /Free\s+60\s+1000\s[^]*Enterprise\s+set per key/,
    )
  })

  test('the page says when the contract cannot be loaded', async () => {
    const watched = await openPage(browser)
    opened.push(watched)
    const { page } = watched
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.goto(`http://127.0.0.1:${service.port}/docs`)
    await page.locator('#trouble:visible').waitFor()
    expect(await page.locator('#trouble').innerText()).toBe(
      'The contract could not be shown: /openapi.json answered 503. Reload the page; /readyz says whether the service is up.',
    )
  })

  test('where it follows the contract, the page shows a change by itself', async () => {
    const following = await serve({ followContract: true })
    const page = await open('/docs', {}, following)
    const changed = (await (await fetch(page.url().replace('/docs', '/openapi.json'))).text()).replace(
      'Animal Store Service',
      'Changed Service',
    )
    await page.route('**/openapi.json', (route) => route.fulfill({ body: changed }))
    await page.getByRole('heading', { name: 'Changed Service' }).waitFor()
  })

  test.each(['/', '/docs'])('%s follows the light and the dark of the system', async (path) => {
    const page = await open(path, { colorScheme: 'light' })
    const brightness =
      'getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).reduce((sum, one) => sum + Number(one), 0)'
    expect(await page.evaluate<number>(brightness)).toBeGreaterThan(700)
    await page.emulateMedia({ colorScheme: 'dark' })
    if (path === '/docs') await page.locator('html.dark-mode').waitFor()
    expect(await page.evaluate<number>(brightness)).toBeLessThan(120)
  })

  test.each(['/', '/docs'])('%s fits on a phone', async (path) => {
    const page = await open(path, { viewport: { width: 390, height: 800 } })
    if (path === '/docs') await openAll(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    await picture(page, path, 'phone')
  })

  test.each([
    ['/', 'light'],
    ['/', 'dark'],
    ['/docs', 'light'],
    ['/docs', 'dark'],
  ] as const)('%s can be used by everybody when it is %s', async (path, colorScheme) => {
    const page = await open(path, { colorScheme, bypassCSP: true })
    await picture(page, path, colorScheme)
    expect(await accessibilityFaults(page)).toEqual([])
    if (path === '/') return
    await openAll(page)
    await picture(page, path, `${colorScheme}-open`)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await authorize(page, 'wrong')).toContain('does not accept')
    for (const closed of ['.answer:not([open]) summary', '#schemas [aria-expanded=false]']) {
      while ((await page.locator(closed).count()) > 0) await page.locator(closed).first().click()
    }
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

async function serve(settings: Settings = {}): Promise<TestService> {
  const one = await startService({}, settings)
  services.push(one)
  return one
}

/** Opens every operation, and lists animals, so that an answer longer than its box is shown as well. */
async function openAll(page: Page): Promise<void> {
  for (const name of ['Rex', 'Mia', 'Ben', 'Ida']) {
    await service.stores.pets.add({ name, categoryId: BigInt(large), status: 'sold' })
  }
  await authorize(page, service.key)
  await tryOut(page, 'createPet')
  await tryOut(page, 'getPet')
  await execute(await tryOut(page, 'listPets'), 200)
}

/** Pictures to look at; nothing is compared with them. */
async function picture(page: Page, path: string, name: string): Promise<void> {
  mkdirSync(`${root}/coverage/pictures`, { recursive: true })
  await page.screenshot({
    path: `${root}/coverage/pictures${path === '/' ? '/home' : path}-${name}.png`,
    fullPage: true,
  })
}
