import { describe, expect, test } from '@jest/globals'
import { declaredOperations } from '../../src/contract/rules/addresses.ts'
import { parseContract } from '../../src/contract/model/files/document.ts'
import { compile, contractText, done } from '../support/contracts/things.ts'

function namesOf(paths: string): string[] {
  return declaredOperations(parseContract(contractText(paths), 'openapi.yaml')).map(({ operationId }) => operationId)
}

function operation(path: string, method: string, id = ''): string {
  return `  ${path}:\n    ${method}:\n${id && `      operationId: ${id}\n`}      ${done}\n`
}

describe('the name of an operation', () => {
  test.each([
    ['getThing', 'getThing'],
    ['get_thing', 'get_thing'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['hasOwnProperty', 'hasOwnProperty'],
    ['get-thing', 'getThing'],
    ['things/get-all', 'thingsGetAll'],
    ['../getThing', 'getThing'],
    ['Things.Get', 'ThingsGet'],
    ['7things', 'op7things'],
    ['getDingeü', 'getDingeu'],
    ['delete', 'delete_'],
    ['Import', 'Import_'],
    ['nul', 'nul_'],
    ['a'.repeat(101), 'a'.repeat(100)],
    ["''", 'getThings'],
    ['動物', 'getThings'],
    ['', 'getThings'],
  ])('of the operationId %s is %s', (id, name) => {
    expect(namesOf(operation('/things', 'get', id))).toEqual([name])
  })

  test('without operationId tells the method and the path', () => {
    expect(namesOf(operation("'/things/{thing-id}/parts.json'", 'put'))).toEqual(['putThingsThingIdPartsJson'])
  })

  test('is what compiled operations, links and handlers have', async () => {
    const { operations, router } = await compile(
      contractText(
        operation('/things', 'get', 'things/list') +
          `  /old:\n    get:\n      operationId: toString\n      x-successor: things/list\n      ${done}\n`,
      ),
    )
    expect([...operations.keys()]).toEqual(['thingsList', 'toString'])
    expect(operations.get('toString')?.lifecycle).toEqual(['Link', '</v1/things>; rel="successor-version"'])
    expect(router.match('get', '/things')).toMatchObject({
      found: 'operation',
      operation: { operationId: 'thingsList' },
    })
  })
})
