import { contractText } from './things.ts'

/** Lines of YAML, further in. */
const inside = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by))

const failures = `default: { description: Failed., content: { application/json: { schema: {} } } }`
const book = `content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } }`
const tagged = `headers: { ETag: { schema: { type: string } }, Idempotency-Replayed: { schema: { type: boolean } } }`
const named = `- { name: Idempotency-Key, in: header, schema: { type: string } }`
const answered = (status: number, more = book): string => `'${status}': { description: Done., ${tagged}, ${more} }`
const bare = (status: number): string =>
  `'${status}': { description: Done., headers: { Idempotency-Replayed: { schema: { type: boolean } } } }`

function verb(method: string, parameters: string, body: string, responses: string): string {
  const sent = body && `requestBody: { required: true, content: { ${body} } }\n`
  return `${method}:
  operationId: ${method}Book
  parameters:
${inside(parameters, 4)}
${inside(sent, 2)}  responses:
${inside(`${responses}\n${failures}`, 4)}
`
}

const isbn = `- { name: isbn, in: path, required: true, schema: { type: string } }`

/** A contract of books with every verb: GET with 304, PUT that adds, PATCH with JSON Merge Patch, and DELETE. */
export const booksContract = contractText(
  `  /books/{isbn}:
${inside(verb('get', isbn, '', `${answered(200)}\n'304': { description: As it was., ${tagged} }`), 4)}${inside(
    verb(
      'put',
      `${isbn}\n${named}`,
      `application/json: { schema: { $ref: '#/components/schemas/Book' } }`,
      `${answered(200)}\n${answered(201)}`,
    ),
    4,
  )}${inside(
    verb(
      'patch',
      `${isbn}\n${named}`,
      `application/merge-patch+json: { schema: { $ref: '#/components/schemas/BookPatch' } }`,
      answered(200),
    ),
    4,
  )}${inside(verb('delete', `${isbn}\n${named}`, '', `${bare(204)}\n'412': { description: Changed. }`), 4)}`,
  inside(
    `Book:
  type: object
  additionalProperties: false
  required: [isbn, title, details]
  properties:
    isbn: { type: string, minLength: 1 }
    title: { type: string }
    note: { type: string }
    details:
      type: object
      additionalProperties: false
      required: [weights]
      properties: { weights: { type: array, items: { type: integer, format: int64 } }, by: { type: string } }
BookPatch:
  type: object
  additionalProperties: false
  properties:
    title: { type: string, nullable: true }
    note: { type: string, nullable: true }
    details: { type: object, nullable: true, additionalProperties: true }
`,
    4,
  ),
)
