import { describe, expect, test } from '@jest/globals'
import type { DiffReport } from '../../../scripts/workshop/diff/diff.ts'
import { compare } from '../../support/contracts/diff.ts'

/** A contract with one operation, which has these parameters, this body and this answer. */
function contract({ parameters = '', headers = '', request = '', response = '' }): string {
  const object = (properties: string): string => `{ type: object, properties: { ${properties} } }`
  return `openapi: 3.0.3
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: addThing
      parameters: [${parameters}]
      requestBody: { content: { application/json: { schema: ${object(request)} } } }
      responses:
        '200':
          description: Done.
          headers: { ${headers} }
          content: { application/json: { schema: ${object(response)} } }
`
}

const listed = ({ changes }: DiffReport): string[] =>
  changes.map(({ level, rule, message }) => `${level} ${rule}: ${message}`)
const safely = 'keep both, the old one deprecated with a sunset.'

describe('something gone beside something new that is the same', () => {
  test.each([
    [
      'a property of an answer',
      { response: 'name: { type: string, maxLength: 9 }' },
      { response: 'title: { type: string, maxLength: 9, description: What it is called. }' },
      `breaking property-renamed: POST /things, response 200, property name: seems renamed to title; ${safely}`,
    ],
    [
      'a property of a request',
      { request: 'name: { type: string }' },
      { request: 'title: { type: string }' },
      `risky property-renamed: POST /things, request body, property name: seems renamed to title; ${safely}`,
    ],
    [
      'a parameter of the query',
      { parameters: '{ name: max, in: query, schema: { type: integer } }' },
      { parameters: '{ name: limit, in: query, schema: { type: integer } }' },
      `breaking parameter-renamed: POST /things, query parameter max: seems renamed to limit; ${safely}`,
    ],
    [
      'a parameter that is required now',
      { parameters: '{ name: X-Team, in: header, schema: { type: string } }' },
      { parameters: '{ name: X-Group, in: header, required: true, schema: { type: string } }' },
      'breaking parameter-renamed: POST /things, header parameter X-Team: seems renamed to X-Group, which is required; ' +
        'keep both, the new one not required and the old one deprecated with a sunset.',
    ],
    [
      'a header of an answer',
      { headers: 'X-Count: { schema: { type: integer } }' },
      { headers: 'X-Total: { schema: { type: integer } }' },
      `breaking response-header-renamed: POST /things, response 200, header X-Count: seems renamed to X-Total; ${safely}`,
    ],
  ])('is told as one rename: %s', async (_, before, after, told) => {
    expect(listed(await compare(contract(before), contract(after)))).toEqual([told])
  })

  test('is paired by its name where several are alike', async () => {
    const text = (...names: string[]): string => names.map((name) => `${name}: { type: string }`).join(', ')
    const report = await compare(
      contract({ response: text('first_name', 'last_name', 'color', 'size') }),
      contract({ response: text('lastName', 'firstName', 'petColor', 'a', 'b') }),
    )
    expect(listed(report)).toEqual([
      expect.stringMatching(/^breaking property-removed: .* property size: removed/),
      expect.stringMatching(/^breaking property-renamed: .* property last_name: seems renamed to lastName;/),
      expect.stringMatching(/^breaking property-renamed: .* property first_name: seems renamed to firstName;/),
      expect.stringMatching(/^breaking property-renamed: .* property color: seems renamed to petColor;/),
      expect.stringMatching(/^compatible property-added: .* property a: added/),
      expect.stringMatching(/^compatible property-added: .* property b: added/),
    ])
  })
})

describe('is told as removed and added', () => {
  test.each([
    ['what has another schema', 'name: { type: string }', 'title: { type: integer }', 'breaking'],
    [
      'what was removed after its sunset',
      'name: { type: string, deprecated: true, x-sunset: "2020-01-01" }',
      'title: { type: string }',
      'compatible',
    ],
  ])('%s', async (_, before, after, level) => {
    expect(listed(await compare(contract({ response: before }), contract({ response: after })))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^${level} property-removed: .* property name: removed`)),
        expect.stringMatching(/^compatible property-added: .* property title: added/),
      ]),
    )
  })

  test('what is in another place', async () => {
    const [query, header] = ['query', 'header'].map(
      (place) => `{ name: ${place}, in: ${place}, schema: { type: string } }`,
    )
    const report = await compare(contract({ parameters: query }), contract({ parameters: header }))
    expect(report.changes.map(({ rule }) => rule)).toEqual(['parameter-removed', 'parameter-added'])
  })
})
