import { validateHeaderValue } from 'node:http'
import { isToken } from '../model/formats.ts'
import { rule } from './rule.ts'

/** An operation declares an answer; OpenAPI asks for one only in 3.0. */
export const someAnswer = rule({
  id: 'engine',
  on: 'operation',
  level: 'refused',
  check: ({ node, at, operationId, statuses }, report) => {
    if (statuses.length > 0) return
    const level = node.responses === undefined ? 'unserved' : 'refused'
    report(at, `${operationId}: it declares no answer.`, { level })
  },
})

/** Answers can be written, with names and values of headers that can be sent. */
export const writableAnswers = rule({
  id: 'engine',
  on: 'responseOfOperation',
  level: 'refused',
  check: ({ status, response }, report) => {
    const { at, headers, content, answered } = response
    for (const name of headers.keys()) {
      if (!isToken(name))
        report([...at, 'headers', name], ({ ids }) => `${ids}: no header can have the name ${JSON.stringify(name)}.`)
      else if (name.toLowerCase() === 'trailer')
        report(
          [...at, 'headers', name],
          ({ ids }) => `${ids}: the header Trailer is not sent, since no trailers are.`,
          { level: 'unserved' },
        )
    }
    if (content.length > 0 && !answered) {
      const types = content.map(({ name }) => name).join(' or ')
      report([...at, 'content'], ({ ids }) => `${ids}: no answer ${status} can be written as ${types}.`, {
        level: 'unserved',
      })
    } else if (answered && !isSendable(answered.name)) {
      const message = `no header can have the media type ${JSON.stringify(answered.name)}.`
      report([...at, 'content', answered.name], ({ ids }) => `${ids}: ${message}`)
    }
  },
})

function isSendable(mediaType: string): boolean {
  try {
    validateHeaderValue('Content-Type', mediaType)
    return true
  } catch {
    return false
  }
}

/** An answer in JSON has a schema, and one that has no content declares none. */
export const contentOfAnswers = rule({
  id: 'operations',
  on: 'responseOfOperation',
  level: 'warned',
  check: ({ status, response: { at, content } }, report) => {
    for (const { name: type, node } of content) {
      const { schema, itemSchema } = node
      if (!type.includes('json') || schema !== undefined || itemSchema !== undefined) continue
      const message = 'has no schema.'
      report([...at, 'content', type], ({ names }) => `The response ${status} of ${names} ${message}`, {
        fix: 'Add the schema of the body.',
      })
    }
    if (content.length === 0 || !/^(1(\d\d|XX)|204|205|304)$/.test(status)) return
    const message = `has content, which a ${status} is never sent with.`
    const fix = 'Take it away, or choose another status.'
    report([...at, 'content'], ({ names }) => `The response ${status} of ${names} ${message}`, { fix })
  },
})
