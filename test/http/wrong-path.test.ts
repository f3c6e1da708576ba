import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let behind: TestService
beforeAll(async () => {
  service = await startService()
  behind = await startService({ PUBLIC_URL: 'https://example.com/store' })
})
afterAll(async () => {
  await service.stop()
  await behind.stop()
})

async function ask({ port, key }: TestService, path: string, method = 'GET'): Promise<[number, string]> {
  const headers = { Authorization: `Bearer ${key}` }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })
  return [response.status, ((await response.json()) as { message: string }).message]
}

describe('an address that nothing has', () => {
  test.each([
    ['/v1/pet', '/v1/pets'],
    ['/v1/petts', '/v1/pets'],
    ['/v1/pest', '/v1/pets'],
    ['/v1/PETS', '/v1/pets'],
    ['/v1/pets/', '/v1/pets'],
    ['/v1//pets', '/v1/pets'],
    ['/v1/v1/pets', '/v1/pets'],
    ['/V1/pets', '/v1/pets'],
    ['/v2/pets', '/v1/pets'],
    ['/pets', '/v1/pets'],
    ['/pets/5', '/v1/pets/{petId}'],
    ['/v1/pet/5', '/v1/pets/{petId}'],
    ['/v1/pets/5/', '/v1/pets/{petId}'],
    ['/doc', '/docs'],
    ['/v1/docs', '/docs'],
    ['/readyz/', '/readyz'],
    ['/openapi.yml', '/openapi.yaml'],
  ])('%s is refused with the nearest one', async (path, near) => {
    const [status, message] = await ask(service, path)
    expect({ status, message }).toEqual({
      status: 404,
      message: `No resource has this address. Did you mean ${near}? /docs shows all.`,
    })
    expect(await ask(behind, path)).toEqual([
      404,
      `No resource has this address. Did you mean https://example.com/store${near}? https://example.com/store/docs shows all.`,
    ])
  })

  test.each(['/v1/animals', '/v1', '/v1/', '/v1/pets/1/2', '/x', '/health', `/v1/pet${'s'.repeat(300)}`, '/assets/x'])(
    '%s is refused with the page that shows all',
    async (path) => {
      expect(await ask(service, path)).toEqual([404, 'No resource has this address. /docs shows all.'])
    },
  )

  test('is refused for every method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect(await ask(service, '/v1/pet', method)).toEqual([
        404,
        'No resource has this address. Did you mean /v1/pets? /docs shows all.',
      ])
    }
  })
})

test('a body that is missing is asked for in a sentence', async () => {
  const asked = async (path: string): Promise<unknown> => {
    const answer = await service.call('post', path)
    return (answer.body as { message: string }).message
  }
  expect(await asked('/pets')).toBe('A body is required.')
  expect(await asked('/pets?x=1')).toBe('A body is required; query.x is not a parameter of this operation.')
})
