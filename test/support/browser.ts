import { execFileSync } from 'node:child_process'
import { describe } from '@jest/globals'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'

/** A browser's names, as Debian, Ubuntu and Google call it. */
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
  // root may not use the sandbox
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox'] })
}

/** A page with what it asked for and what went wrong on it, up to now. */
export interface WatchedPage {
  page: Page
  /** Origins of the requests. */
  origins: Set<string>
  /** Violations of the page's policy and errors of its scripts. */
  faults: string[]
}

/** A page of a profile of its own. */
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

/** The serious and critical findings of axe on what is shown, a line each. The page must be opened with `bypassCSP`. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate<string[]>(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ': ' + html + ' ' + (any[0]?.message ?? ''))))`)
}
