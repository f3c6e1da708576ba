import { execFileSync } from 'node:child_process'
import { describe } from '@jest/globals'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'

/** The browser's program, as Debian, Ubuntu and Google name it. */
const names = ['chromium', 'chromium-browser', 'google-chrome']
const executable = names.map(onPath).find((path) => path !== undefined)

/** `describe` where Chromium is on PATH. Where servers are required, the tests run and fail without it. */
export const describeBrowser =
  executable !== undefined || process.env.REQUIRE_SERVERS === '1'
    ? describe
    : (name: string, body: () => void): void => {
        describe.skip(`${name} (skipped: needs chromium on PATH, as from apt-get install chromium)`, body)
      }

function onPath(name: string): string | undefined {
  try {
    return execFileSync('which', [name], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

export function startBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error('There is no Chromium on PATH; apt-get install chromium has one.')
  // Chromium's sandbox does not start as root
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox'] })
}

/** A page with its requests and its errors so far. */
export interface WatchedPage {
  page: Page
  /** Origins of the requests. */
  origins: Set<string>
  /** Violations of the page's policy and errors of its scripts. */
  faults: string[]
}

/** Opens a page in a new profile. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const origins = new Set<string>()
  const faults: string[] = []
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'data:') origins.add(origin)
  })
  await context.exposeFunction('onViolation', (what: string) => faults.push(what))
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => onViolation(event.effectiveDirective + ' ' + event.blockedURI))`,
  )
  page.on('pageerror', ({ message }) => faults.push(message))
  return { page, origins, faults }
}

/** The findings of axe on the page, a line each. The page must be opened with `bypassCSP`. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate<string[]>(`axe.run().then(({ violations }) => violations
    .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ': ' + html + ' ' + (any[0]?.message ?? ''))))`)
}
