import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { readApprovals } from '../../../scripts/workshop/diff/approvals.ts'
import { diffContracts } from '../../../scripts/workshop/diff/diff.ts'
import { reports } from '../../../scripts/workshop/diff/report.ts'
import { accessibilityFaults, describeBrowser, openPage, startBrowser } from '../../support/browser.ts'
import { testFolder } from '../../support/process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const file = join(testFolder(), 'changes.html')
/** A name that no line of a phone holds. */
const long = 'AnimalThatWasOrdered'.repeat(8)

describeBrowser('the changelog in HTML', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
    const text = readFileSync(join(root, 'openapi.yaml'), 'utf8')
    const changed = text
      .replace('            maximum: 100', '            maximum: 50')
      .replace('            default: 20', '            default: 10')
      .replace('operationId: getPet', `operationId: ${long}`)
      .replace(/\nx-plans:\n/, '$&  trial: { perMinute: 5, perDay: 50 }\n')
    const sides = { base: { text, name: `${long}/openapi.yaml` }, head: { text: changed, name: 'openapi.yaml' } }
    const approved = `- change: 'bd4d4acbeb10'\n  reason: ${long}\n  expires: '2030-01-31'\n`
    const approvals = readApprovals(approved, 'approvals.yaml')
    writeFileSync(file, reports.html(diffContracts({ ...sides, approvals, today: '2026-11-30' })))
  })
  afterAll(() => browser.close())

  async function open(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
    const { page } = await openPage(browser, { viewport: { width, height: 844 }, colorScheme })
    await page.goto(pathToFileURL(file).href)
    return page
  }

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('can be read by everybody at %i px when it is %s, and fits', async (width, scheme) => {
    const page = await open(width, scheme)
    expect(await page.locator('h2').allInnerTexts()).toEqual(['Breaking (2)', 'Risky (1)', 'Compatible (1)'])
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width)
  })

  test('is printed dark on light, with no change on two sheets and no heading at the end of one', async () => {
    const page = await open(1280, 'dark')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const style = (selector: string, name: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
    expect(await style('li p', 'color')).toBe('rgb(0, 0, 0)')
    expect(await style('li', 'breakInside')).toBe('avoid')
    expect(await style('h2', 'breakAfter')).toBe('avoid')
  })
})
