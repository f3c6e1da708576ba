import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse as parseExactly } from 'lossless-json'
import { parse as parseYaml } from 'yaml'
import { fetchPage } from '../../support/page.ts'
import { startService, type TestService } from '../../support/service.ts'

const contractFile = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('the served contract', () => {
  interface Served {
    servers: { url: string; description: string }[]
    openapi: string
    paths: Record<string, unknown>
  }

  test('is the contract, with the running server before the others', async () => {
    const [yaml, json] = [await fetchPage(service, '/openapi.yaml'), await fetchPage(service, '/openapi.json')]
    expect(yaml).toMatchObject({ status: 200, headers: { 'content-type': 'application/yaml' } })
    expect(json).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    const written = parseYaml(readFileSync(contractFile, 'utf8')) as Served
    const expected = { ...written, servers: [{ url: '/v1', description: 'This server' }, ...written.servers] }
    expect(parseYaml(yaml.text)).toEqual(expected)
    expect(JSON.parse(json.text)).toEqual(expected)
  })

  test('names the address that clients use when it is known', async () => {
    const known = await startService({ PUBLIC_URL: 'https://api.example.com/store' })
    for (const path of ['/openapi.yaml', '/openapi.json']) {
      const served = parseYaml((await fetchPage(known, path)).text) as Served
      expect(served.servers[0]?.url).toBe('https://api.example.com/store/v1')
    }
    await known.stop()
  })

  test('keeps every digit of an int64 and every comment', async () => {
    const written = readFileSync(contractFile, 'utf8')
    const file = `${service.folder}/openapi.yaml`
    writeFileSync(
      file,
      `# before everything\n${written.replace('tags:\n', '# before the tags\ntags: # behind the tags\n')}`,
    )
    const commented = await startService({}, { contractFile: file })
    const yaml = (await fetchPage(commented, '/openapi.yaml')).text
    for (const comment of ['# before everything\n', '# before the tags\n', '# behind the tags\n']) {
      expect(yaml).toContain(comment)
    }
    expect(written).toContain('9007199254740993')
    expect(yaml).toContain('categoryId: 9007199254740993')
    const json = (await fetchPage(commented, '/openapi.json')).text
    expect(json).toContain('"categoryId":9007199254740993')
    expect(JSON.stringify(parseExactly(json))).not.toContain('9007199254740992')
    await commented.stop()
  })
})
