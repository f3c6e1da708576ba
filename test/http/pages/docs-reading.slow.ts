import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { handlers } from '../../../generated/handlers.ts'
import type { Settings } from '../../../src/app.ts'
import { accessibilityFaults, describeBrowser } from '../../support/browser.ts'
import { startContract } from '../../support/contracts/echo.ts'
import { authorize, execute, isAtTop, operation, visits } from '../../support/docs-page.ts'
import { startService, type TestService } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** A whole number that JavaScript would show as 9007199254740992. */
const large = '9007199254740993'

let service: TestService
/** Stopped also after a test that failed. */
const services: TestService[] = []

describeBrowser('the pages, read', () => {
  const visit = visits()
  beforeAll(async () => {
    service = await serve()
  })
  afterAll(async () => {
    for (const one of services) await one.stop()
  })

  function open(path: string, options: BrowserContextOptions = {}, from = service): Promise<Page> {
    return visit(`http://127.0.0.1:${from.port}${path}`, options)
  }

  test('the operations come first, and the side bar leads to all of the page', async () => {
    const page = await open('/docs', { viewport: { width: 1280, height: 800 } })
    expect((await operation(page, 'listPets').boundingBox())?.y).toBeLessThan(300)
    expect((await page.getByRole('button', { name: 'Authorize' }).boundingBox())?.y).toBeLessThan(200)
    const shown = async (): Promise<string[]> => {
      return (await page.locator('#contents a:visible').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    }
    const headings = await page.locator('main :is(h2:not(.tag > h2), .tag h3)').allInnerTexts()
    const titles = (await shown()).map((text) => text.replace(/^(GET|POST) /, ''))
    expect(headings.map((text) => text.replace(/ deprecated, .*$/, ''))).toEqual(titles)
    expect(titles).toEqual([
      ...['List animals', 'Add an animal', 'Fetch one animal', 'Authentication', 'Plans and rate limits'],
      ...['When a request is refused', 'Pages', 'Repeating a request safely', 'Integers', 'Errors'],
      ...['Headers of every answer', 'Schemas'],
    ])
    for (const [link, target] of [
      ['Add an animal', '[id="/pets/createPet"]'],
      ['Errors', '#guide-errors'],
      ['Headers of every answer', '#headers'],
      // the same again
      ['Add an animal', '[id="/pets/createPet"]'],
    ] as const) {
      await page.locator('#contents').getByText(link, { exact: true }).click()
      await eventually(() => isAtTop(page, target))
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('banned KEY')
    const search = page.getByLabel('Search')
    expect(await shown()).toEqual(['When a request is refused', 'Errors'])
    await search.fill('getpet')
    expect(await shown()).toEqual(['GET Fetch one animal'])
    await search.press('Enter')
    await eventually(() => isAtTop(page, '[id="/pets/getPet"]'))
    await search.fill('xyzzy')
    await page.getByText('Nothing is found.').waitFor()
  })

  test('an address leads to a section of the guide', async () => {
    const page = await open('/docs#guide-errors')
    await eventually(() => isAtTop(page, '#guide-errors'))
  })

  test('an operation tells its bounds, an example and its answers, and nothing twice', async () => {
    const page = await open('/docs')
    const list = operation(page, 'listPets')
    expect(await list.locator('[data-parameter=limit]').innerText()).toMatch(
      /integer in query[^]*Default: 20\s+At least: 1\s+At most: 100/,
    )
    expect(await list.locator('[data-parameter=cursor]').innerText()).toContain('Pattern: ^[A-Za-z0-9_-]{11}$')
    const create = operation(page, 'createPet')
    expect((await create.boundingBox())?.height).toBeLessThan(2000)
    await create.getByText('The body is larger than 100 kB.').click()
    await create.getByText('"payload_too_large"').waitFor()
    for (const name of ['X-RateLimit-Remaining', 'RateLimit-Policy', 'X-Request-Id']) {
      expect(await page.locator('main dt').getByText(name, { exact: true }).count()).toBe(1)
    }
    expect(await create.innerText()).toContain('Idempotency-Replayed')
    const contract = operation(page, 'listPets').locator('.answers a', { hasText: 'Pets' })
    expect(await page.locator(`[id="${(await contract.getAttribute('href'))?.slice(1) ?? ''}"]`).innerText()).toBe(
      'Pets',
    )
  })

  test('the sample is at the right of its operation on a wide screen, and below it on a phone', async () => {
    const page = await open('/docs', { viewport: { width: 1280, height: 800 } })
    const create = operation(page, 'createPet')
    const places = async (): Promise<{ x: number; y: number }[]> => {
      const boxes = [create.locator('.about'), create.locator('.card')].map((part) => part.boundingBox())
      return (await Promise.all(boxes)).map((box) => ({ x: box?.x ?? 0, y: box?.y ?? 0 }))
    }
    const [about, card] = await places()
    expect(card?.x).toBeGreaterThan((about?.x ?? 0) + 300)
    expect(card?.y).toBe(about?.y)
    await page.setViewportSize({ width: 390, height: 844 })
    const [above, below] = await places()
    expect(below?.x).toBe(above?.x)
    expect(below?.y).toBeGreaterThan((above?.y ?? 0) + 100)
  })

  test('everything but trying out is there without a script', async () => {
    const page = await open('/docs', { javaScriptEnabled: false })
    // without a script the page cannot know the address that its reader uses
    expect(await operation(page, 'createPet').locator('.sample').innerText()).toBe(createSample)
    expect(await page.locator('.execute:visible, #key:visible, #search:visible, main input:visible').count()).toBe(0)
    expect(await page.locator('main').innerText()).toContain('A parameter or the body is missing')
    await page.getByRole('link', { name: 'Errors' }).click()
    expect(await page.locator('#guide-errors').innerText()).toBe('Errors')
  })

  test('a long page draws what is near, leads to the rest exactly, and prints all of it', async () => {
    const handle = (): Promise<{ status: 204 }> => Promise.resolve({ status: 204 })
    const long = await startContract(longContract, ['listThings'], handle)
    services.push(long)
    const page = await open('/docs#schema-Thing150', { viewport: { width: 390, height: 844 } }, long)
    const isDrawn = (id: string): Promise<boolean> => {
      const seen = `document.getElementById(${JSON.stringify(id)}).nextElementSibling`
      return page.evaluate(`${seen}.checkVisibility({ contentVisibilityAuto: true })`)
    }
    await eventually(() => isAtTop(page, '#schema-Thing150'))
    await eventually(() => isDrawn('schema-Thing150'))
    expect(await isDrawn('schema-Thing20')).toBe(false)
    await page.evaluate(`location.hash = 'schema-Thing20'`)
    await eventually(() => isAtTop(page, '#schema-Thing20'))
    await eventually(() => isDrawn('schema-Thing20'))
    await page.emulateMedia({ media: 'print' })
    await eventually(async () => (await isDrawn('schema-Thing1')) && (await isDrawn('schema-Thing199')))
  })

  test('the guide begins with the key', async () => {
    const page = await open('/docs')
    expect(await page.locator('.guide h2').first().innerText()).toBe('Authentication')
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
    const shown = (id: string): Promise<string> => operation(page, id).innerText()
    expect(await shown('listPets')).toContain(`"categoryId": ${large},\n    "status": "sold"`)
    const create = operation(page, 'createPet')
    expect(await create.locator('textarea').inputValue()).toContain(`"categoryId": ${large}`)
    expect(await create.locator('.sample').innerText()).toContain(`"categoryId": ${large}`)
    expect(await operation(page, 'getPet').getByLabel('petId').inputValue()).toBe(large)
    const whole = await page.locator('main').innerText()
    expect(whole).toContain('At most: 9223372036854775806')
    expect(whole).not.toMatch(/900719925474099[24]|922337203685477[^5]/)
    expect(await page.locator('.guide table').first().innerText()).toMatch(
      /Free\s+60\s+1000\s[^]*Enterprise\s+set per key/,
    )
  })

  test.each(['/', '/docs'])('%s follows the light and the dark of the system', async (path) => {
    const page = await open(path, { colorScheme: 'light' })
    const brightness =
      'getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).reduce((sum, one) => sum + Number(one), 0)'
    expect(await page.evaluate<number>(brightness)).toBeGreaterThan(700)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await page.evaluate<number>(brightness)).toBeLessThan(120)
  })

  test.each(['/', '/docs'])('%s fits on a phone', async (path) => {
    const page = await open(path, { viewport: { width: 390, height: 800 } })
    if (path === '/docs') await openAll(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    await picture(page, path, 'phone')
  })

  test.each(
    ['/', '/docs'].flatMap((path) =>
      ([1280, 390] as const).flatMap((width) =>
        (['light', 'dark'] as const).map((scheme) => [path, width, scheme] as const),
      ),
    ),
  )('%s can be used by everybody at %i px when it is %s', async (path, width, colorScheme) => {
    const page = await open(path, { colorScheme, bypassCSP: true, viewport: { width, height: 844 } })
    expect(await accessibilityFaults(page)).toEqual([])
    await picture(page, path, `${colorScheme}-${width}`)
    if (path === '/') return
    await openAll(page)
    const closed = page.locator('.answer:not([open]) summary')
    while ((await closed.count()) > 0) await closed.first().click()
    if (width === 390) await page.locator('#contents-box > summary').click()
    expect(await authorize(page, 'wrong')).toContain('does not accept')
    await picture(page, path, `${colorScheme}-${width}-open`)
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

const createSample = `curl -i -X POST 'http://127.0.0.1:8080/v1/pets' \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Idempotency-Key: $(date +%s)-$RANDOM" \\
  -H 'Content-Type: application/json' \\
  -d '{ "name": "Rex", "categoryId": 7 }'`

/** 200 schemas of different heights. */
const longContract = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Long', version: '1' },
  paths: { '/things': { get: { operationId: 'listThings', responses: { 204: { description: 'Done.' } } } } },
  components: {
    schemas: Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => {
        const fields = Array.from({ length: 1 + ((index * 7) % 30) }, (_, at) => [`field${at}`, { type: 'string' }])
        return [`Thing${index}`, { type: 'object', properties: Object.fromEntries(fields) as unknown }]
      }),
    ),
  },
})

async function serve(settings: Settings = {}): Promise<TestService> {
  const one = await startService({}, settings)
  services.push(one)
  return one
}

/** Lists animals, so that an answer longer than its box is shown as well. */
async function openAll(page: Page): Promise<void> {
  for (const name of ['Rex', 'Mia', 'Ben', 'Ida']) {
    await service.stores.pets.add({ name, categoryId: BigInt(large), status: 'sold' })
  }
  await authorize(page, service.key)
  await execute(operation(page, 'listPets'), 200)
}

/** Pictures to look at; nothing is compared with them. */
async function picture(page: Page, path: string, name: string): Promise<void> {
  mkdirSync(`${root}/coverage/pictures`, { recursive: true })
  await page.screenshot({
    path: `${root}/coverage/pictures${path === '/' ? '/home' : path}-${name}.png`,
    fullPage: true,
  })
}
