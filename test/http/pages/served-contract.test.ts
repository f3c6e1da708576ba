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
  interface Response {
    headers?: Record<string, unknown>
  }

  interface Served {
    servers: { url: string; description: string }[]
    openapi: string
    paths: Record<string, Record<string, { responses: Record<string, Response> }>>
    components: { responses: Record<string, Response> & { Failure: Response } }
    'x-every-response': { headers: Record<string, unknown> }
  }

  test('is the contract, with the running server before the others', async () => {
    const [yaml, json] = [await fetchPage(service, '/openapi.yaml'), await fetchPage(service, '/openapi.json')]
    expect(yaml).toMatchObject({ status: 200, headers: { 'content-type': 'application/yaml' } })
    expect(json).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    const written = parseYaml(readFileSync(contractFile, 'utf8')) as Served
    const { 'x-every-response': common, ...expected } = {
      ...written,
      servers: [{ url: '/v1', description: 'This server' }, ...written.servers],
    }
    const failure = written.components.responses.Failure
    failure.headers = { ...failure.headers, ...common.headers }
    expect(Object.keys(failure.headers)).toEqual(['Allow', ...Object.keys(common.headers)])
    for (const text of [yaml.text, json.text]) {
      const served = parseYaml(text) as Served
      expect({ ...served, paths: {}, components: served.components.responses.Failure }).toEqual({
        ...expected,
        paths: {},
        components: failure,
      })
    }
  })

  test('has the headers of every answer in each response, and otherwise what is written', async () => {
    const written = parseYaml(readFileSync(contractFile, 'utf8')) as Served
    const served = parseYaml((await fetchPage(service, '/openapi.yaml')).text) as Served
    const common = Object.keys(written['x-every-response'].headers)
    const responsesOf = ({ paths, components }: Served): Response[] => [
      ...Object.values(components.responses),
      ...Object.values(paths)
        .flatMap((item) => Object.values(item))
        .flatMap(({ responses }) => Object.values(responses).filter((one) => !('$ref' in one))),
    ]
    expect(responsesOf(served).length).toBe(12)
    for (const response of responsesOf(served)) {
      for (const name of common) {
        expect(response.headers?.[name]).toEqual({ $ref: `#/components/headers/${name}` })
        Reflect.deleteProperty(response.headers ?? {}, name)
      }
      if (Object.keys(response.headers ?? {}).length === 0) delete response.headers
    }
    expect(served.paths).toEqual(written.paths)
    expect(served.components).toEqual(written.components)
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
