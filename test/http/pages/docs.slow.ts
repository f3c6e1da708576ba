import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Settings } from '../../../src/app.ts'
import { describeBrowser } from '../../support/browser.ts'
import { authorize, execute, isAtTop, operation, sampleIn, visits } from '../../support/docs-page.ts'
import { startService, type TestService } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'

/** A whole number that JavaScript would show as 9007199254740992. */
const large = '9007199254740993'

let service: TestService
/** Stopped also after a test that failed. */
const services: TestService[] = []

describeBrowser('the reference, tried out', () => {
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

  test('a visitor enters a key, adds an animal and finds it in the list, to the last digit', async () => {
    const page = await open('/docs')
    await authorize(page, service.key)
    const create = operation(page, 'createPet')
    await create.locator('textarea').fill(`{"name":"Rex","categoryId":${large}}`)
    const created = await execute(create, 201)
    expect(created).toContain(`"categoryId": ${large},`)
    expect(await create.locator('.sample').innerText()).toContain(large)
    const list = await execute(operation(page, 'listPets'), 200)
    expect(list).toContain(`"categoryId": ${large},`)
    const [, id = ''] = /"id": (\d+)/.exec(created) ?? []
    const get = operation(page, 'getPet')
    await get.getByLabel('petId').fill(id)
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
    const list = operation(page, 'listPets')
    const fields = await list.locator(':is(input, select)').all()
    expect(fields.length).toBe(3)
    for (const field of fields) expect(await field.inputValue()).toBe('')
    const [listing] = await Promise.all([page.waitForRequest('**/v1/pets*'), execute(list, 200)])
    expect(new URL(listing.url()).search).toBe('')
    const create = operation(page, 'createPet')
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

  test('each language is one click, for all operations, and is remembered', async () => {
    const page = await open('/docs')
    await sampleIn(operation(page, 'listPets'), 'Go')
    expect(await operation(page, 'createPet').locator('.sample').innerText()).toContain('http.NewRequest("POST"')
    await page.reload()
    await operation(page, 'getPet').locator('.sample', { hasText: 'package main' }).waitFor()
  })

  test('a part of the key is shown in samples, and all of it copied', async () => {
    const page = await open('/docs', { permissions: ['clipboard-read', 'clipboard-write'] })
    const list = operation(page, 'listPets')
    const isCopied = (text: string): Promise<void> =>
      eventually(async () => {
        await list.locator('.copy').click()
        return (await page.evaluate<string>('navigator.clipboard.readText()')) === text
      })
    await isCopied(await sampleIn(list, 'curl'))
    await authorize(page, service.key)
    for (const language of ['curl', 'JavaScript', 'TypeScript', 'Python', 'Go']) {
      const shown = await sampleIn(list, language)
      expect(shown).toContain(`Bearer ${service.key.slice(0, 6)}…`)
      await isCopied(shown.replace(`${service.key.slice(0, 6)}…`, service.key))
    }
    expect(await page.content()).not.toContain(service.key)
  })

  test('refusals are shown with their codes and headers', async () => {
    const { key } = await service.addKey({ plan: 'enterprise', custom: { perMinute: 3, perDay: 3 } })
    const page = await open('/docs')
    const list = operation(page, 'listPets')
    expect(await execute(list, 401)).toContain('"code": "unauthorized"')
    await authorize(page, key)
    const create = operation(page, 'createPet')
    await create.locator('textarea').fill('{"name":"","categoryId":1}')
    expect(await execute(create, 400)).toContain('body.name must')
    await execute(list, 200)
    const refused = await execute(list, 429)
    expect(refused).toContain('"code": "rate_limited"')
    expect(refused).toMatch(/^retry-after: [1-9]\d*$/m)
    expect(refused).toMatch(/^x-ratelimit-limit: 3\nx-ratelimit-remaining: 0\nx-ratelimit-reset: \d+$/m)
  })

  test('the key is remembered, and an address leads to its operation', async () => {
    const page = await open('/docs')
    await authorize(page, service.key)
    await operation(page, 'getPet').getByRole('link', { name: 'Link to Fetch one animal' }).click()
    expect(page.url()).toMatch(/\/docs#\/pets\/getPet$/)
    await page.reload()
    await eventually(() => isAtTop(page, '[id="/pets/getPet"]'))
    await execute(operation(page, 'listPets'), 200)
  })

  test('where it follows the contract, the page shows a change by itself', async () => {
    const following = await serve({ followContract: true })
    const page = await open('/docs', {}, following)
    await page.route('**/docs', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('Animal Store', 'Changed') })
    })
    await page.route('**/openapi.json', (route) => route.fulfill({ headers: { ETag: '"changed"' } }))
    await page.getByRole('heading', { name: 'Changed Service' }).waitFor()
  })
})

async function serve(settings: Settings = {}): Promise<TestService> {
  const one = await startService({}, settings)
  services.push(one)
  return one
}
