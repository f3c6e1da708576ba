import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { houseRules } from '../../../scripts/workshop/lint/house-rules.ts'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { judge } from '../../../src/contract/rules/judge.ts'
import { rule } from '../../../src/contract/rules/rule.ts'
import { rules } from '../../../src/contract/rules/rules.ts'
import { withBody, withOperation, done } from '../../support/contracts/things.ts'

const judged = (text: string): string[] => {
  const model = modelOf(parseContract(text, 'openapi.yaml'))
  return judge(model, rules).flatMap(({ level, at, message }) =>
    level === 'noted' ? [] : [`${model.place(at)} ${level} ${message}`],
  )
}

describe('a contract is judged in stages:', () => {
  test('what stands at a key that is refused is not looked into', () => {
    const text = withBody(
      "{ type: strin, default: 5, enum: [], properties: { a: { type: string, maxLength: 'x', pattern: '[' } } }",
    )
    expect(judged(text)).toEqual([
      'openapi.yaml:10:79 refused There is no type "strin".',
      'openapi.yaml:10:147 refused OpenAPI 3.0: maxLength must be an integer.',
    ])
  })

  test('what uses a part that is refused is not looked into, and what stands beside it is', () => {
    const text = withOperation(
      "parameters: [{ name: a, in: query, schema: { $ref: '#/components/schemas/None' } }, { name: b, in: cookie, schema: { type: array, items: {} } }]",
      done,
    )
    expect(judged(text)).toEqual([
      'openapi.yaml:10:52 refused The $ref "#/components/schemas/None" leads to nothing.',
      'openapi.yaml:10:91 unserved getThing: the cookie parameter b must have "explode: false", as cookies are.',
    ])
  })

  test('a rule that fails is a bug of this program, at the part where it stood', () => {
    const failing = rule({
      id: 'failing',
      on: 'schema',
      stage: 'rest',
      level: 'wrong',
      check: ({ at }) => {
        throw new TypeError(`no ${at.length}`)
      },
    })
    const model = modelOf(parseContract(withBody('{ type: string }'), 'openapi.yaml'))
    expect(() => judge(model, { schema: [failing] })).toThrow(
      'openapi.yaml:10:69 The rule failing failed here: no 7. That is a bug of this program and no fault of the contract; please report it with this part.',
    )
  })
})

test('the documents have the rules of the code', () => {
  const docs = readFileSync(fileURLToPath(new URL('../../../docs/contract-workshop.md', import.meta.url)), 'utf8')
  const [, section = ''] = docs.split('## Lint\n')
  const written = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) +\|/gm)].flatMap(
    ([, names = '']) => [...names.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
  )
  const ids = new Set([...Object.values(rules).flat(), ...houseRules].map(({ id }) => id))
  // these are judged before there is a contract, of the configuration, or only without one
  const others = [
    'contract',
    'configuration',
    'no-unused-components',
    'no-ambiguous-paths',
    'no-required-schema-properties-undefined',
  ]
  expect([...new Set(written)].sort()).toEqual([...ids, ...others].sort())
})
