import { afterAll, afterEach, beforeAll, expect } from '@jest/globals'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { openPage, startBrowser, type WatchedPage } from './browser.ts'

/**
 * Opens pages in a browser of the tests, each in a new profile. What holds of every page is checked after each test: nothing is
 * asked of others, no script fails, and the policy allows all that is done.
 */
export function visits(): (address: string, options: BrowserContextOptions) => Promise<Page> {
  let browser: Browser
  const opened: WatchedPage[] = []
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    for (const { page, origins, faults } of opened.splice(0)) {
      const { origin } = new URL(page.url())
      await page.context().close()
      expect({ origins: [...origins], faults }).toEqual({ origins: [origin], faults: [] })
    }
  })
  return async (address, options) => {
    const watched = await openPage(browser, options)
    opened.push(watched)
    await watched.page.goto(address)
    const isScripted = address.includes('/docs') && options.javaScriptEnabled !== false
    if (isScripted) await watched.page.waitForSelector('html.with-script')
    return watched.page
  }
}

/** Enters a key, and gives what the page says of it. The key is tried with a request, which counts. */
export async function authorize(page: Page, key: string): Promise<string> {
  const tried = page.waitForResponse((response) => response.request().method() === 'HEAD')
  await page.locator('#api-key').fill(key)
  await page.getByRole('button', { name: 'Authorize' }).click()
  const status = (await tried).status()
  const told = status < 400 ? `${key.replace('Bearer', '').trim().slice(0, 6)}… is used.` : /\. .+ is used\./
  await page.locator('#key-state').filter({ hasText: told }).waitFor()
  return page.locator('#key-state').innerText()
}

/** Whether the element is at the top of the window, or as near to it as the end of the page allows. */
export function isAtTop(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 1
    return Math.abs(top) < 30 || (atEnd && top > 0 && bottom < innerHeight)
  })()`)
}

/** An operation of the tag `pets`. */
export function operation(page: Page, id: string): Locator {
  return page.locator(`[id="/pets/${id}"]`)
}

/** Sends the request, and gives what is shown of an answer with this status: its body and its headers. */
export async function execute(one: Locator, status: number): Promise<string> {
  const result = one.locator('.result')
  await result.evaluate('(element) => element.replaceChildren()')
  await one.locator('.execute').click()
  await result.locator('strong', { hasText: String(status) }).waitFor()
  await result.locator('summary').click()
  return result.innerText()
}

/** The sample of an operation in a language. */
export async function sampleIn(one: Locator, language: string): Promise<string> {
  await one.getByRole('button', { name: language, exact: true }).click()
  return one.locator('.sample').innerText()
}
