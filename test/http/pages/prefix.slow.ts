import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as ask, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { describeBrowser, openPage, startBrowser, type WatchedPage } from '../../support/browser.ts'
import { authorize, execute, operation } from '../../support/docs-page.ts'
import { startService, type TestService } from '../../support/service.ts'

const prefix = '/store'
/** A proxy that takes the prefix off the path, as in front of several services on one host. */
let proxy: Server
/** The address of the service as clients see it. */
let address: string
/** Where the proxy sends requests. */
let service: TestService
let browser: Browser
let watched: WatchedPage

async function open(path: string): Promise<Page> {
  watched = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await watched.page.goto(address + path)
  return watched.page
}

describeBrowser('behind a proxy that takes a prefix off the path', () => {
  beforeAll(async () => {
    proxy = createServer((request, response) => {
      const { url = '', method, headers } = request
      if (!url.startsWith(`${prefix}/`)) {
        response.writeHead(404).end()
        return
      }
      const path = url.slice(prefix.length)
      const forwarded = ask({ port: service.port, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(forwarded)
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser.close()
    proxy.closeAllConnections()
    proxy.close()
  })

  test.each([true, false])('home and reference work, whether PUBLIC_URL is set: %s', async (isSet) => {
    service = await startService(isSet ? { PUBLIC_URL: address } : {})
    try {
      const page = await open('/')
      const missing: string[] = []
      page.on('response', (response) => {
        if (response.status() === 404) missing.push(response.url())
      })
      const command = await page.locator('#first-request').innerText()
      expect(command).toContain(`${address}/v1/pets`)
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(command)
      await page.getByRole('link', { name: 'API reference' }).click()
      await operation(page, 'createPet').waitFor()
      expect(page.url()).toBe(`${address}/docs`)
      await authorize(page, service.key)
      const create = operation(page, 'createPet')
      expect(await create.locator('.sample').innerText()).toContain(`'${address}/v1/pets'`)
      expect(await execute(create, 201)).toContain('"name": "Rex"')
      expect(await execute(operation(page, 'listPets'), 200)).toContain('"name": "Rex"')
      await page.getByRole('link', { name: 'Home' }).click()
      await page.getByRole('link', { name: 'Error codes' }).click()
      await page.locator('#guide-errors').waitFor()
      expect(missing).toEqual([])
      expect({ origins: [...watched.origins], faults: watched.faults }).toEqual({
        origins: [new URL(address).origin],
        faults: [],
      })
    } finally {
      await watched.page.context().close()
      await service.stop()
    }
  })

  test('the first request can be pasted, and what the service links to is there', async () => {
    service = await startService({ PUBLIC_URL: address })
    try {
      const page = await open('/')
      const command = (await page.locator('#first-request').innerText()).replace('<API_KEY>', service.key)
      expect(await output(command)).toMatch(/^HTTP\/1\.1 201 [^]*"id":1,"name":"Rex"/)
      await service.stores.pets.add({ name: 'Mia', categoryId: 7n, status: 'sold' })
      const headers = { Authorization: `Bearer ${service.key}` }
      const contract = (await (await fetch(`${address}/openapi.json`)).json()) as { servers: { url: string }[] }
      expect(contract.servers[0]?.url).toBe(`${address}/v1`)
      for (const path of ['/v1/pets?limit=1', '/v1/pets/1']) {
        const links = (await fetch(address + path, { headers })).headers.get('link') ?? ''
        const targets = [...links.matchAll(/<([^>]*)>/g)].map(([, to = '']) => to)
        expect(targets.length).toBe(path.includes('limit') ? 1 : 2)
        for (const to of targets) {
          expect(to.startsWith(`${address}/`)).toBe(true)
          expect((await fetch(to, { headers })).status).toBe(200)
        }
      }
    } finally {
      await watched.page.context().close()
      await service.stop()
    }
  })
})

/** What a command prints, without blocking this process, which answers it. */
async function output(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  return stdout
}
