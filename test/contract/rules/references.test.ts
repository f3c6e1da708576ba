import { describe, expect, test } from '@jest/globals'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { judge } from '../../../src/contract/rules/judge.ts'
import { references, requireReferences } from '../../../src/contract/rules/references.ts'
import type { Finding } from '../../../src/contract/rules/rule.ts'

function referenceFindings(contract: ReturnType<typeof parseContract>): Finding[] {
  return judge(modelOf(contract), { reference: [references] })
}

const contractOf = (reference: string, beside = ''): ReturnType<typeof parseContract> =>
  parseContract(
    `openapi: 3.0.3
components:
  schemas:
    A: { $ref: ${JSON.stringify(reference)}${beside} }
    B: { items: { $ref: ${JSON.stringify(reference)} } }
    Round: { $ref: '#/components/schemas/Round' }
    Good: { properties: {} }
`.replace(/ {4}Round.*\n/, (line) => (reference.endsWith('Round') ? line : '')),
    'openapi.yaml',
  )

describe('a reference', () => {
  test.each([
    [
      '#/components/schemas/Goood',
      '4:10',
      'leads to nothing. It is used 2 times.',
      'Did you mean "#/components/schemas/Good"?',
    ],
    [
      '#/components/schemas/Xyz',
      '4:10',
      'leads to nothing. It is used 2 times.',
      'Add that part, or correct the name.',
    ],
    [
      '#/components/schemas/Round',
      '6:14',
      'leads back to itself, so it stands for nothing. It is used 3 times.',
      'Write the part itself at one of the references.',
    ],
    [
      '#/components/schemas/Good/properties/toString',
      '4:10',
      'leads to nothing. It is used 2 times.',
      'Add that part, or correct the name.',
    ],
  ])('to %j is one fault, at its first place, with what to do', (reference, place, message, fix) => {
    const contract = contractOf(reference)
    const findings = referenceFindings(contract)
    const told = `The $ref ${JSON.stringify(reference)} ${message}`
    expect(findings.map((one) => [contract.place(one.at), one.level, one.message, one.fix])).toEqual([
      [`openapi.yaml:${place}`, 'refused', told, fix],
    ])
    expect(() => {
      requireReferences(contract)
    }).toThrow(new Error(`openapi.yaml:${place} ${told} ${fix}`))
  })

  const parts = `openapi: 3.0.3
tags: [{ name: a }]
components:
  schemas: { A: REF, B: { type: object, required: [c] } }
  parameters: { P: { name: a, in: query, schema: {} } }
  examples: { E: { value: { type: string } } }
x-parts: { S: { type: string } }
`
  test.each([
    ['#/components/parameters/P', 'leads to a parameter, where a schema belongs.'],
    ['#/components/schemas', 'leads to a mapping, where a schema belongs.'],
    ['#/components/schemas/B/required', 'leads to a list, where a schema belongs.'],
    ['#/components/parameters/P/name', 'leads to a single value, where a schema belongs.'],
    ['#/tags/0', 'leads to a mapping, where a schema belongs.'],
    ['#', 'leads to the whole contract, where a schema belongs.'],
    ['#/components/schema/B', 'leads to nothing.'],
    ['#/components/parameters/P/schema', undefined],
    ['#/components/examples/E/value', undefined],
    ['#/x-parts/S', undefined],
  ])('to %j where a schema belongs is held against what it leads to', (reference, message) => {
    const [first] = referenceFindings(parseContract(parts.replace('REF', `{ $ref: '${reference}' }`), 'openapi.yaml'))
    expect(first?.message).toBe(message && `The $ref "${reference}" ${message}`)
  })

  test('is refused where OpenAPI allows none, and nothing is made of it', () => {
    const text = parts.replace('REF', '{}').replace('{ name: a }]', "{ $ref: '#/x-parts/S' }]")
    expect(referenceFindings(parseContract(text, 'openapi.yaml')).map(({ message }) => message)).toEqual([
      'The $ref "#/x-parts/S" stands where OpenAPI allows no reference.',
    ])
  })

  test('that is one of a circle is told once', () => {
    const circle = "{ $ref: '#/components/schemas/C' }, C: { $ref: '#/components/schemas/A' }"
    const findings = referenceFindings(parseContract(parts.replace('REF', circle), 'openapi.yaml'))
    expect(findings.map(({ at }) => at)).toEqual([['components', 'schemas', 'C', '$ref']])
  })

  test('with keys beside it is one note, unless they are extensions', () => {
    const told = (beside: string): unknown[] => {
      const contract = contractOf('#/components/schemas/Good', beside)
      return referenceFindings(contract).map(({ at, level, message }) => [contract.place(at), level, message])
    }
    expect(told(', type: string, title: A, x-a: 1')).toEqual([
      ['openapi.yaml:4:45', 'warned', 'type, title beside $ref have no effect.'],
    ])
    expect(told(', x-a: 1')).toEqual([])
  })

  test('in an example, a default, an enum, a const or an extension is data', () => {
    const text = `openapi: 3.0.3
x-a: { $ref: '#/nowhere' }
components:
  schemas:
    A:
      x-b: { c: { $ref: 'http://localhost/' } }
      example: { $ref: '#/nowhere' }
      default: { $ref: '#/nowhere' }
      const: { $ref: '#/nowhere' }
      enum: [{ $ref: '#/nowhere' }]
      properties:
        const: { example: { $ref: none.yaml } }
`
    expect(referenceFindings(parseContract(text, 'openapi.yaml'))).toEqual([])
  })
})
