/*
 * node bench/docs.js [ADDRESS]    times five first visits of /docs of a running service, each with a new browser
 *
 * A visit ends when the first operation can be executed and Authorize clicked. Needs Chromium. Other work on the machine
 * makes it longer, so its load stands beside the figures.
 */
import { loadavg } from 'node:os'
import { chromium } from 'playwright-core'

const [address = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const visits = 5
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]) {
  const times = []
  for (let visit = 0; visit < visits; visit += 1) times.push(await firstVisit(viewport))
  const [median] = times.toSorted((one, other) => one - other).slice(visits >> 1)
  console.log(`${viewport.width} px: ${times.join(', ')} ms, median ${median} ms (load ${loadavg()[0].toFixed(1)})`)
}

/** The time from the navigation until the page can be used, in ms. */
async function firstVisit(viewport) {
  // Chromium's sandbox does not start as root
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport })
    await page.addInitScript(() => {
      const isShown = (selector) => document.querySelector(selector)?.getBoundingClientRect().height > 0
      const look = () => {
        if (isShown('.operation .execute') && isShown('#key button'))
          requestAnimationFrame(() => (window.usableMs = performance.now()))
        else requestAnimationFrame(look)
      }
      look()
    })
    await page.goto(`${address}/docs`)
    return Math.round(await (await page.waitForFunction(() => window.usableMs)).jsonValue())
  } finally {
    await browser.close()
  }
}
