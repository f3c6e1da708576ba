import type { Locator, Page } from 'playwright-core'

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
    const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect()
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 1
    return Math.abs(top) < 30 || (atEnd && top > 0 && bottom < innerHeight)
  })()`)
}

/** An operation of the tag `pets`. */
export function operation(page: Page, id: string): Locator {
  return page.locator(`#operations-pets-${id}`)
}

/** The operation, opened and ready to be filled in. */
export async function tryOut(page: Page, id: string): Promise<Locator> {
  const one = operation(page, id)
  const button = one.locator('.execute')
  if (!(await button.isVisible())) await one.locator('.opblock-summary-control').click()
  await button.waitFor()
  return one
}

/** Sends the request, and gives what is shown of an answer with this status. */
export async function execute(one: Locator, status: number): Promise<string> {
  await one.locator('.execute').click()
  const row = one
    .locator('.live-responses-table .response')
    .filter({ has: one.page().getByText(String(status), { exact: true }) })
  await row.locator('.highlight-code').first().waitFor()
  return row.innerText()
}
