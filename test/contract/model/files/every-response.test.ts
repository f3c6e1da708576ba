import { describe, expect, test } from '@jest/globals'
import { parseContract } from '../../../../src/contract/model/files/document.ts'

const contractWith = (common: string): string => `openapi: 3.0.3
info: { title: Things, version: '1' }
${common}
paths:
  /things:
    get:
      responses:
        '200': { description: Done., headers: { x-id: { schema: { type: string } } } }
        '204': { description: None. }
        default: { $ref: '#/components/responses/Failure' }
        x-other: { description: None. }
    post: { responses: { default: { $ref: '#/components/responses/Failure' } } }
components:
  headers: { Limit: { schema: { type: integer, maximum: 9223372036854775807 } } }
  responses: { Failure: { description: Failed. }, Unused: { description: Never. } }
`
const common = `x-every-response:
  headers:
    X-Id: { schema: { type: integer } }
    Limit: { $ref: '#/components/headers/Limit' }
`

describe('x-every-response', () => {
  test('adds its headers to each response of an operation, once, and takes no place of a header that is there', () => {
    const { source, root } = parseContract(contractWith(common), 'openapi.yaml')
    for (const contract of [source, root] as unknown as Contract[]) {
      const limit = { $ref: '#/components/headers/Limit' }
      const all = { 'X-Id': { schema: { type: 'integer' } }, Limit: limit }
      expect(contract['x-every-response']).toBeUndefined()
      expect(contract.paths['/things'].get.responses).toEqual({
        '200': { description: 'Done.', headers: { 'x-id': { schema: { type: 'string' } }, Limit: limit } },
        '204': { description: 'None.', headers: all },
        default: { $ref: '#/components/responses/Failure' },
        'x-other': { description: 'None.' },
      })
      expect(contract.components.responses).toEqual({
        Failure: { description: 'Failed.', headers: all },
        Unused: { description: 'Never.' },
      })
    }
  })

  test('makes the contract equal to one that has them everywhere', () => {
    const once = parseContract(contractWith(common), 'openapi.yaml')
    const written = JSON.stringify(once.source, (_, value: unknown) => (typeof value === 'bigint' ? '@' : value))
    const twice = parseContract(written.replace('"@"', '9223372036854775807'), 'openapi.yaml')
    expect(twice.digest).toBe(once.digest)
  })

  test.each([
    ['x-every-response: [X-Id]', '3:1', 'x-every-response must have headers, such as a response has.'],
    ['x-every-response: {}', '3:1', 'x-every-response must have headers, such as a response has.'],
    ['x-every-response: { headers: {}, content: {} }', '3:34', 'x-every-response has headers alone, and not content.'],
    [
      `x-every-response: { headers: { A: { $ref: '#/components/headers/Other' } } }`,
      '3:32',
      'There is no #/components/headers/Other in the contract.',
    ],
    ['x-every-response: { headers: { A: 1 } }', '3:32', 'The header A of x-every-response must be a mapping.'],
  ])('%s is refused at its place', (written, place, sentence) => {
    expect(() => parseContract(contractWith(written), 'openapi.yaml')).toThrow(`openapi.yaml:${place} ${sentence}`)
  })
})

interface Contract {
  'x-every-response'?: unknown
  paths: { '/things': { get: { responses: unknown } } }
  components: { responses: unknown }
}
