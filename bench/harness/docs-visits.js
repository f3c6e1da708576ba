import axe from 'axe-core'
import { ratios, summary } from './statistics.js'

/** The longest wait for a page, in ms. */
const timeout = 120_000
/** The longest wait for axe, in ms: it takes minutes for the largest pages. */
const axeTimeout = 30_000

/**
 * Visits the pages of a contract in turns, each with an empty cache, and gives what was seen by page: `ms` until the name
 * of an operation can be read and `times` as long as the first page of the round takes, `busyMs` of the main thread until
 * then, `kB` over the network and `requests`, `elsewhere` those to other servers, `axe` the rules that are broken and the
 * elements that break them, `wide` whether the page is wider than the window, `named` the part of the operations whose
 * names are in the page as it is first shown, and `noScript` the same without a script.
 */
export async function compare(browser, { document, addresses }, { viewport, visits }) {
  const names = namesIn(document)
  const found = Object.fromEntries(Object.keys(addresses).map((name) => [name, []]))
  // before the times, so that the servers have compressed what they send
  const looks = {}
  for (const [name, address] of Object.entries(addresses)) {
    looks[name] = await inspect(browser, address, { viewport, names })
  }
  for (let round = 0; round < visits; round += 1) {
    for (const [name, address] of turned(Object.entries(addresses), round)) {
      found[name].push(await visit(browser, address, { viewport, names }))
    }
  }
  const [base] = Object.values(found)
  const rows = {}
  for (const [name, all] of Object.entries(found)) {
    const { ms } = ratios(all, base)
    const [{ kB, requests, elsewhere }] = all
    const median = (figure) => Math.round(summary(all.map((one) => one[figure])).median)
    rows[name] = {
      ms: median('ms'),
      times: ms.median,
      busyMs: median('busyMs'),
      kB,
      requests,
      elsewhere,
      ...looks[name],
    }
  }
  return rows
}

/** What pages call the operations: by the summary, else by the operationId. */
function namesIn({ paths }) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return operations.flatMap(({ summary, operationId }) => summary?.trim() ?? operationId ?? [])
}

async function visit(browser, address, { viewport, names }) {
  const context = await browser.newContext({ viewport })
  try {
    const page = await context.newPage()
    const network = await watchNetwork(page, address)
    await page.addInitScript(watchForNames, names)
    await page.goto(address, { waitUntil: 'commit', timeout })
    const ms = await (await page.waitForFunction(() => window.readableMs, null, { timeout })).jsonValue()
    const { metrics } = await network.session.send('Performance.getMetrics')
    const busyMs = metrics.find(({ name }) => name === 'TaskDuration').value * 1000
    await settled(page)
    return { ms, busyMs, ...network.counts() }
  } finally {
    await context.close()
  }
}

/** Runs in the page: notes when the name of an operation is shown. */
function watchForNames(names) {
  const known = new Set(names)
  const isShown = () => {
    const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode
      if (known.has(textContent.trim()) && parentElement?.checkVisibility()) return true
    }
    return false
  }
  const look = () => {
    if (isShown()) requestAnimationFrame(() => (window.readableMs = performance.now()))
    else requestAnimationFrame(look)
  }
  look()
}

async function watchNetwork(page, address) {
  const session = await page.context().newCDPSession(page)
  const { origin } = new URL(address)
  let [bytes, requests, elsewhere] = [0, 0, 0]
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (!request.url.startsWith('http')) return
    if (request.url.startsWith(origin)) requests += 1
    else elsewhere += 1
  })
  await session.send('Network.enable')
  await session.send('Performance.enable')
  return { session, counts: () => ({ kB: Math.round(bytes / 1000), requests, elsewhere }) }
}

async function settled(page) {
  await page.waitForLoadState('networkidle', { timeout }).catch(() => undefined)
}

async function inspect(browser, address, { viewport, names }) {
  const context = await browser.newContext({ viewport, bypassCSP: true })
  try {
    const page = await context.newPage()
    await page.goto(address, { timeout })
    await settled(page)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
    // before axe, which may not have ended when its time is over
    const named = await namedIn(page, names)
    return { axe: await axeOf(page), wide, named, noScript: await withoutScript(browser, address, names) }
  } finally {
    await context.close()
  }
}

async function axeOf(page) {
  await page.evaluate(axe.source)
  const run = page.evaluate(() =>
    window.axe
      .run({ resultTypes: ['violations'] })
      .then(({ violations }) => violations.map(({ nodes }) => nodes.length)),
  )
  const late = new Promise((resolve) => setTimeout(resolve, axeTimeout, undefined).unref())
  const counts = await Promise.race([run, late])
  run.catch(() => undefined)
  return counts ? `${counts.length} / ${counts.reduce((sum, count) => sum + count, 0)}` : 'too long'
}

async function withoutScript(browser, address, names) {
  const context = await browser.newContext({ javaScriptEnabled: false })
  try {
    const page = await context.newPage()
    await page.goto(address, { timeout })
    return await namedIn(page, names)
  } finally {
    await context.close()
  }
}

/** The percentage of the names that are in the text of a page. */
async function namedIn(page, names) {
  const text = await page.locator('body').innerText({ timeout })
  return `${Math.round((names.filter((name) => text.includes(name)).length / names.length) * 100)} %`
}

/** A list that begins at another place in each round. */
function turned(list, round) {
  const at = round % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
