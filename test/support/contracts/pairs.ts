/** What a change of a contract is worth to its clients; `none` when it is not listed. */
export type Worth = 'breaking' | 'risky' | 'compatible' | 'none'

/** One edit of the contract `store`, and the right answer of `facts/peers-and-contract-tools.md`, section 3b. */
export interface Pair {
  change: string
  right: Worth
  /** Text, and what replaces it. */
  edits: [string, string][]
}

/** A small contract in which Pet stands in responses alone and NewPet in requests alone. */
export const store = `openapi: 3.0.3
info: { title: Store, version: 1.0.0 }
paths:
  /pets:
    get:
      operationId: listPets
      description: Lists the animals.
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
        - { name: status, in: query, schema: { type: string, enum: [available, sold] } }
      responses:
        '200':
          description: The animals.
          headers:
            X-Total: { schema: { type: integer } }
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Pet' } }
        '404':
          description: None.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Error' }
    post:
      operationId: createPet
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/NewPet' }
      responses:
        '201':
          description: Added.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
  /pets/{petId}:
    get:
      operationId: getPet
      parameters:
        - { name: petId, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        '200':
          description: The animal.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
    delete:
      operationId: removePet
      parameters:
        - { name: petId, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        '204': { description: Removed. }
components:
  securitySchemes:
    key: { type: http, scheme: bearer }
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: { type: integer, format: int32 }
        name: { type: string }
        age: { type: integer, maximum: 40 }
        state: { type: string, enum: [available, sold] }
        home: { type: object, properties: { street: { type: string } } }
    NewPet:
      type: object
      additionalProperties: false
      required: [name]
      properties:
        name: { type: string, maxLength: 50 }
        age: { type: integer, maximum: 40 }
        color: { type: string }
        state: { type: string, enum: [available, sold] }
    Error:
      type: object
      properties: { code: { type: string } }
`

const petState = 'state: { type: string, enum: [available, sold] }\n        home'
const newPetState = 'state: { type: string, enum: [available, sold] }\n    Error'
const petAge = 'age: { type: integer, maximum: 40 }\n        state'
const newPetAge = 'age: { type: integer, maximum: 40 }\n        color'
const notFound = `        '404':
          description: None.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Error' }
`
const removePet = `    delete:
      operationId: removePet
      parameters:
        - { name: petId, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        '204': { description: Removed. }
`

export const pairs: Pair[] = [
  pair('remove enum value from a response', 'compatible', petState, petState.replace(', sold', '')),
  pair('add required request field', 'breaking', 'required: [name]\n', 'required: [name, color]\n'),
  pair('remove an operation', 'breaking', removePet, ''),
  pair('add enum value to a request', 'compatible', newPetState, newPetState.replace('sold', 'sold, lost')),
  pair('narrow `maximum`, query', 'breaking', 'maximum: 100', 'maximum: 50'),
  pair('narrow `maximum`, request body', 'breaking', newPetAge, newPetAge.replace('40', '30')),
  pair('narrow `maximum`, response', 'compatible', petAge, petAge.replace('40', '30')),
  pair('widen `maximum`, response', 'breaking', petAge, petAge.replace('40', '50')),
  pair('add an error response code', 'compatible', notFound, `${notFound}        '409': { description: Busy. }\n`),
  pair('add a success code', 'risky', notFound, `${notFound}        '202': { description: Later. }\n`),
  pair('make a response field optional', 'breaking', 'required: [id, name]', 'required: [id]'),
  pair('add enum value to a response', 'risky', petState, petState.replace('sold', 'sold, lost')),
  pair('remove enum value from a request', 'breaking', newPetState, newPetState.replace(', sold', '')),
  {
    change: 'remove required response field',
    right: 'breaking',
    edits: [
      ['required: [id, name]', 'required: [id]'],
      ['        name: { type: string }\n', ''],
    ],
  },
  pair(
    'remove optional response field',
    'breaking',
    '        home: { type: object, properties: { street: { type: string } } }\n',
    '',
  ),
  pair('response type changed', 'breaking', '        name: { type: string }\n', '        name: { type: integer }\n'),
  pair('response became nullable', 'breaking', 'name: { type: string }\n', 'name: { type: string, nullable: true }\n'),
  pair('response int32 -> int64', 'breaking', 'format: int32', 'format: int64'),
  pair(
    'optional query parameter became required',
    'breaking',
    'limit, in: query,',
    'limit, in: query, required: true,',
  ),
  pair(
    'request property removed where `additionalProperties:false`',
    'breaking',
    '        color: { type: string }\n',
    '',
  ),
  pair('pattern added to request', 'breaking', 'maxLength: 50', "maxLength: 50, pattern: '^[a-z]+$'"),
  {
    change: 'path parameter only renamed',
    right: 'compatible',
    edits: [
      ['  /pets/{petId}:', '  /pets/{id}:'],
      [
        'get:\n      operationId: getPet\n      parameters:\n        - { name: petId',
        'get:\n      operationId: getPet\n      parameters:\n        - { name: id',
      ],
      ['removePet\n      parameters:\n        - { name: petId', 'removePet\n      parameters:\n        - { name: id'],
    ],
  },
  pair(
    'security added to an operation',
    'breaking',
    'operationId: removePet',
    'operationId: removePet\n      security: [{ key: [] }]',
  ),
  pair('error code removed', 'compatible', notFound, ''),
  pair(
    'response header removed',
    'breaking',
    '          headers:\n            X-Total: { schema: { type: integer } }\n',
    '',
  ),
  pair('operationId renamed', 'breaking', 'operationId: removePet', 'operationId: deletePet'),
  pair('default of a query parameter changed', 'risky', 'default: 20', 'default: 10'),
  pair('description only', 'none', 'description: Lists the animals.', 'description: Lists all animals.'),
  pair(
    'optional request field added',
    'compatible',
    'color: { type: string }',
    'color: { type: string }\n        race: { type: string }',
  ),
  pair(
    'operation deprecated',
    'compatible',
    'operationId: removePet',
    'operationId: removePet\n      deprecated: true',
  ),
  {
    change: 'inline schema moved to `$ref`',
    right: 'none',
    edits: [
      [
        'home: { type: object, properties: { street: { type: string } } }',
        "home: { $ref: '#/components/schemas/Home' }",
      ],
      ['    Error:\n', '    Home: { type: object, properties: { street: { type: string } } }\n    Error:\n'],
    ],
  },
  {
    change: 'component renamed only',
    right: 'none',
    edits: [
      ["schema: { $ref: '#/components/schemas/NewPet' }", "schema: { $ref: '#/components/schemas/Draft' }"],
      ['    NewPet:\n', '    Draft:\n'],
    ],
  },
  {
    change: 'request media type replaced',
    right: 'breaking',
    edits: [
      [
        "application/json:\n            schema: { $ref: '#/components/schemas/NewPet' }",
        "application/xml:\n            schema: { $ref: '#/components/schemas/NewPet' }",
      ],
    ],
  },
  pair('request maxLength narrowed', 'breaking', 'maxLength: 50', 'maxLength: 40'),
]

function pair(change: string, right: Worth, from: string, to: string): Pair {
  return { change, right, edits: [[from, to]] }
}

/** A contract with texts replaced; that each is there once is made sure. */
export function edited(contract: string, edits: readonly [string, string][]): string {
  return edits.reduce((text, [from, to]) => {
    const parts = text.split(from)
    if (parts.length !== 2) throw new Error(`${JSON.stringify(from)} stands ${parts.length - 1} times in the contract`)
    return parts.join(to)
  }, contract)
}
