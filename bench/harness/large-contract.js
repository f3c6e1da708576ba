import { stringify } from 'yaml'

/** The size of GitHub's contract, the largest that is known to be used. */
const operations = 1223
const schemas = 800
const examplesPerSchema = 4
const description = 'What a reader has to know of this part, in about as many words as contracts have. '

/** A contract of some 12 MB in YAML: operations that share schemas, which name others, with examples of whole bodies. */
export function largeContract() {
  const paths = {}
  for (let number = 0; number < operations; number++) {
    const path = `/things-${number >> 1}${number % 4 < 2 ? '' : '/{id}'}`
    paths[path] ??= {}
    paths[path][number % 2 === 0 ? 'get' : 'post'] = operation(number, path.endsWith('}'))
  }
  return stringify({
    openapi: '3.0.3',
    info: { title: 'A large contract', version: '1.0.0' },
    servers: [{ url: 'https://example.test/v1' }],
    paths,
    components: {
      schemas: Object.fromEntries(Array.from({ length: schemas }, (_, number) => [`Thing${number}`, schema(number)])),
      examples: Object.fromEntries(
        Array.from({ length: schemas * examplesPerSchema }, (_, number) => [
          `thing-${number}`,
          { value: example(number % schemas) },
        ]),
      ),
    },
  })
}

/** A contract of one operation whose schemas each name the next one twice, `depth` times. */
export function doublingContract(depth) {
  const all = Array.from({ length: depth }, (_, number) => [
    `Level${number}`,
    {
      type: 'object',
      properties: Object.fromEntries(
        ['one', 'other'].map((name) => [name, reference('schemas', `Level${number + 1}`)]),
      ),
    },
  ])
  const content = { 'application/json': { schema: reference('schemas', 'Level0') } }
  return stringify({
    openapi: '3.0.3',
    info: { title: 'Doubling', version: '1.0.0' },
    paths: { '/levels': { get: { responses: { 200: { description: 'All levels.', content } } } } },
    components: { schemas: Object.fromEntries([...all, [`Level${depth}`, { type: 'string' }]]) },
  })
}

function operation(number, hasId) {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
  const limit = { name: 'limit', in: 'query', description, schema: { type: 'integer', minimum: 1, maximum: 100 } }
  return {
    operationId: `things/${number}`,
    summary: `Operation ${number}`,
    description: description.repeat(8),
    parameters: [...(hasId ? [id] : []), limit],
    responses: {
      200: response(number),
      404: response(number + 1),
    },
  }
}

function response(number) {
  const of = number % schemas
  const examples = Object.fromEntries(
    Array.from({ length: examplesPerSchema }, (_, index) => [
      `example-${index}`,
      reference('examples', `thing-${of + index * schemas}`),
    ]),
  )
  return {
    description,
    content: { 'application/json': { schema: reference('schemas', `Thing${of}`), examples } },
  }
}

const properties = 24

function schema(number) {
  const all = Array.from({ length: properties }, (_, index) => [
    `property_${index}`,
    index % 3 === 0
      ? { type: 'integer', description, example: number }
      : { type: 'string', description, maxLength: 1000, example: `Text ${number}` },
  ])
  const next = number % 4 < 3 ? { next: reference('schemas', `Thing${number + 1}`) } : {}
  return {
    type: 'object',
    description: description.repeat(2),
    required: ['property_0', 'property_1'],
    properties: { ...Object.fromEntries(all), ...next },
  }
}

function example(number) {
  return Object.fromEntries(
    Array.from({ length: properties }, (_, index) => [
      `property_${index}`,
      index % 3 === 0 ? number * index : `Text ${index} of ${number}, which is about as long as those of others`,
    ]),
  )
}

function reference(kind, name) {
  return { $ref: `#/components/${kind}/${name}` }
}
