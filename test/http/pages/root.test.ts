import { afterAll, describe, expect, test } from '@jest/globals'
import { startContract } from '../../support/contracts/echo.ts'
import { compile, contractText, done, withOperation } from '../../support/contracts/things.ts'
import type { TestService } from '../../support/service.ts'

const started: TestService[] = []
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()))
})

async function start(text: string, names: string[]): Promise<TestService> {
  const service = await startContract(text, names, async () => Promise.resolve({ status: 204 }))
  started.push(service)
  return service
}

const atRoot = (text: string): string => text.replace(/servers: .*/, 'servers: [{ url: / }]')

describe('an API without a path of its own', () => {
  test.each(['/livez', '/readyz', '/metrics', '/docs', '/openapi.yaml', '/openapi.json', '/'])(
    'does not hide %s',
    async (path) => {
      const service = started[0] ?? (await start(atRoot(withOperation(done)), ['getThing']))
      const answer = await fetch(`http://127.0.0.1:${service.port}${path}`)
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    },
  )

  test('is served beside the pages', async () => {
    const [service] = started
    await service?.call('get', '/things').expect(204)
    await service?.call('get', '/docsy').expect(404)
    expect((await fetch(`http://127.0.0.1:${service?.port ?? 0}/things`)).status).toBe(401)
  })

  test('may have an operation in place of the home page', async () => {
    const service = await start(atRoot(contractText(`  /:\n    get:\n      operationId: getRoot\n      ${done}\n`)), [
      'getRoot',
    ])
    await service.call('get', '/').expect(204)
  })

  test.each(['/metrics', '/docs/parts', '/livez'])('is refused for an operation at %s', async (path) => {
    const text = atRoot(withOperation(done)).replace('/things:', `${path}:`)
    await expect(compile(text, { checked: false })).rejects.toThrow(
      new Error(`openapi.yaml:7:3 The address ${path} is of a page of the service itself.`),
    )
  })
})

describe('servers', () => {
  test('of a path or an operation are honoured beside those of the contract', async () => {
    const paths = `  /things:
    servers: [{ url: 'https://uploads.example.test/api/v2' }]
    get: { operationId: getThings, ${done} }
    put: { operationId: putThings, servers: [{ url: /api/v3/ }], ${done} }
  /others:
    get: { operationId: getOthers, ${done} }
`
    const text = contractText(paths).replace(
      /servers: .*/,
      "servers: [{ url: 'https://example.test/api/v1' }, { url: 'https://example.test/old' }]",
    )
    const service = await start(text, ['getThings', 'putThings', 'getOthers'])
    expect(service.apiRoot).toBe('/api')
    await service.call('get', '/v2/things').expect(204)
    await service.call('put', '/v3/things').expect(204)
    await service.call('get', '/v1/others').expect(204)
    await service.call('get', '/v1/things').expect(404)
  })
})
