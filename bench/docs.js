/*
 * node bench/docs.js [ADDRESS]            times five first visits of /docs of a running service, each with a new browser
 * node bench/docs.js --beside FILE ...    visits /docs of a mock of each contract, and the pages of Scalar, Redoc and
 *                                         Swagger UI for the same contract, in turns; needs `npm run build`
 *
 * A visit of the first kind ends when the first operation can be executed and Authorize clicked, one of the second kind
 * when the name of an operation can be read. Needs Chromium. Other work on the machine makes it longer, so its load stands
 * beside the figures.
 */
import { loadavg } from 'node:os'
import { basename } from 'node:path'
import { chromium } from 'playwright-core'
import { compare } from './harness/docs-visits.js'
import { startPages } from './harness/docs-pages.js'

const visits = { alone: 5, beside: 3 }
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const viewports = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

const [first = 'http://127.0.0.1:8080', ...contracts] = process.argv.slice(2)
if (first === '--beside') await beside(contracts)
else await firstVisits(first)

async function firstVisits(address) {
  for (const viewport of viewports) {
    const times = []
    for (let visit = 0; visit < visits.alone; visit += 1) times.push(await firstVisit(address, viewport))
    const [median] = times.toSorted((one, other) => one - other).slice(visits.alone >> 1)
    console.log(`${viewport.width} px: ${times.join(', ')} ms, median ${median} ms (load ${loadavg()[0].toFixed(1)})`)
  }
}

/** The time from the navigation until the page can be used, in ms. */
async function firstVisit(address, viewport) {
  const browser = await launch()
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

/** Prints a row for each page, contract and width. */
async function beside(files) {
  const browser = await launch()
  try {
    for (const file of files) {
      const pages = await startPages(file)
      try {
        for (const viewport of viewports) {
          console.log(`\n${basename(file)}, ${viewport.width} px (load ${loadavg()[0].toFixed(1)})`)
          console.table(await compare(browser, pages, { viewport, visits: visits.beside }))
        }
      } finally {
        pages.stop()
      }
    }
  } finally {
    await browser.close()
  }
}

function launch() {
  // Chromium's sandbox does not start as root
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
