import { graded, of31, withAnswer, withBody, withParameters, type Graded } from './grade.ts'

const components =
  'State: { type: string, enum: [a, b] }, More: { type: string, enum: [b, c] }, Pet: { type: object, properties: { name: { type: string } } }, Cat: { type: object, required: [kind], properties: { kind: { type: string, enum: [cat] } } }, Dog: { type: object, required: [kind], properties: { kind: { type: string, enum: [dog] } } }'
const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`
const using = (schema: string): string => `${schema} | ${components}`
const inProperty = (schema: string): string => `{ type: object, properties: { p: ${schema} } }`
const query = (schema: string): string => withParameters(`{ name: q, in: query, schema: ${schema} }`)
const form = (schema: string): string =>
  withBody(schema).replace('application/json', 'application/x-www-form-urlencoded')

/** A schema, and it with null, in the ways that contracts write it. */
const withNull: readonly (readonly [string, string, string])[] = [
  ['a $ref to an enum in anyOf', ref('State'), `{ anyOf: [${ref('State')}, { type: 'null' }] }`],
  ['a $ref to an enum in oneOf with const', ref('State'), `{ oneOf: [${ref('State')}, { const: null }] }`],
  ['an enum in anyOf', '{ enum: [a] }', "{ anyOf: [{ enum: [a] }, { type: 'null' }] }"],
  ['a const in oneOf', '{ const: a }', '{ oneOf: [{ enum: [null] }, { const: a }] }'],
  ['one of the alternatives', '{ enum: [a, b] }', '{ anyOf: [{ enum: [a] }, { enum: [b, null] }] }'],
]

/** Schemas with alternatives, by what they accept. */
export const alternatives: Graded[] = [
  ...withNull.flatMap(([how, plain, nullable]) => {
    const [before, after] = [using(plain), using(nullable)]
    const [inner, innerNow] = [using(inProperty(plain)), using(inProperty(nullable))]
    return [
      ...graded(of31(withBody), [
        [`null given by ${how}`, 'compatible', before, after],
        [`null taken by ${how}`, 'breaking', after, before],
        [`null taken from a property by ${how}`, 'breaking', innerNow, inner],
      ]),
      ...graded(of31(withAnswer), [
        [`answer: null given by ${how}`, 'breaking', before, after],
        [`answer: null taken by ${how}`, 'compatible', after, before],
        [`answer: null given to a property by ${how}`, 'breaking', inner, innerNow],
      ]),
    ] as Graded[]
  }),
  ...graded(of31(withBody), [
    ['an enum as consts', 'none', '{ enum: [a, b] }', '{ oneOf: [{ const: a }, { const: b }] }'],
    [
      'types as alternatives',
      'none',
      '{ type: [string, integer] }',
      '{ anyOf: [{ type: string }, { type: integer }] }',
    ],
    ['a value lost by alternatives', 'breaking', '{ enum: [a, b] }', '{ anyOf: [{ const: a }, { const: c }] }'],
    [
      'a value that two of oneOf name',
      'breaking',
      using(ref('State')),
      using(`{ oneOf: [${ref('State')}, ${ref('More')}] }`),
    ],
    [
      'an object wrapped in oneOf beside one that is apart',
      'compatible',
      using(ref('Cat')),
      using(`{ oneOf: [${ref('Cat')}, ${ref('Dog')}] }`),
    ],
    [
      'an object wrapped in oneOf beside one that overlaps',
      'breaking',
      using(ref('Cat')),
      using(`{ oneOf: [${ref('Cat')}, ${ref('Pet')}] }`),
    ],
    [
      'an alternative that overlaps, told by a discriminator',
      'compatible',
      using(`{ oneOf: [${ref('Cat')}], discriminator: { propertyName: kind } }`),
      using(`{ oneOf: [${ref('Cat')}, ${ref('Pet')}], discriminator: { propertyName: kind } }`),
    ],
    [
      'nullable, which means nothing in 3.1, written as a type',
      'compatible',
      inProperty('{ type: string, nullable: true }'),
      inProperty("{ type: [string, 'null'] }"),
    ],
  ]),
  ...graded(of31(withAnswer), [
    [
      'answer: a value gained by alternatives',
      'risky',
      using(ref('State')),
      using(`{ anyOf: [${ref('State')}, ${ref('More')}] }`),
    ],
    ['answer: all values of an enum replaced', 'breaking', '{ enum: [a, b] }', '{ enum: [c, d] }'],
    ['answer: a const replaced', 'breaking', '{ const: a }', '{ const: b }'],
    [
      'answer: anyOf to oneOf',
      'compatible',
      using(`{ anyOf: [${ref('Pet')}, ${ref('Cat')}] }`),
      using(`{ oneOf: [${ref('Pet')}, ${ref('Cat')}] }`),
    ],
    [
      'answer: an enum in an alternative that another text takes',
      'none',
      '{ anyOf: [{ type: string }, { enum: [a] }] }',
      '{ anyOf: [{ type: string }, { enum: [a, b] }] }',
    ],
    [
      'answer: nullable, which means nothing in 3.1, written as a type',
      'compatible',
      inProperty('{ type: string, nullable: true }'),
      inProperty("{ type: [string, 'null'] }"),
    ],
  ]),
  ...graded(of31(query), [
    [
      'query parameter: also a list',
      'compatible',
      '{ type: integer }',
      '{ type: [integer, array], items: { type: integer } }',
    ],
    [
      'query parameter: a list as an alternative',
      'compatible',
      '{ type: string }',
      '{ anyOf: [{ type: string }, { type: array, items: { type: string } }] }',
    ],
  ]),
  ...graded(form, [['form: anything to an object', 'compatible', '{}', '{ type: object }']]),
]
