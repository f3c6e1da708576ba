import { isToken } from '../model/formats.ts'
import { Media } from '../model/media.ts'
import { fixOfName, nearest } from '../model/nearest.ts'
import { isNode, type Path } from '../model/node.ts'
import { shapeOf } from '../model/shape.ts'
import { type Report, rule } from './rule.ts'

/** The bodies of requests can be read. */
export const readableBodies = rule({
  id: 'engine',
  on: 'bodyOfOperation',
  level: 'unserved',
  check: ({ body }, report) => {
    for (const { name, kind } of body.content) {
      if (kind === undefined)
        report([...body.at, 'content', name], ({ ids }) => `${ids}: the body ${name} cannot be read.`)
    }
  },
})

/** Forms are objects. */
export const forms = rule({
  id: 'engine',
  on: 'bodyOfOperation',
  level: 'unserved',
  check: ({ body }, report) => {
    for (const { name, kind, schema } of body.content) {
      const types = schema && shapeOf(schema).types
      if ((kind !== 'form' && kind !== 'multipart') || !types || types.size === 0 || types.has('object')) continue
      report([...body.at, 'content', name], ({ ids }) => `${ids}: the body ${name} must be an object.`)
    }
  },
})

/** Content has at least one media type, and its keys are media types. */
export const mediaTypes = rule({
  id: 'messages',
  on: 'written',
  level: 'wrong',
  check: ({ kind, node, at }, report) => {
    if (['requestBody', 'response', 'parameter', 'header'].includes(kind) && isNode(node.content))
      checkContent(node.content, kind, [...at, 'content'], report)
  },
})

const mediaType = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(;.*)?$/

function checkContent(content: Record<string, unknown>, kind: string, at: Path, report: Report): void {
  const types = Object.keys(content)
  if (types.length === 0 && kind !== 'response')
    report(at, 'The content has no media type.', { fix: 'Add one, such as application/json.' })
  for (const type of types) {
    if (mediaType.test(type) || type.startsWith('x-')) continue
    const known = ['application/json', 'application/xml', 'text/plain', 'multipart/form-data']
    const near = known.find((one) => one.endsWith(`/${type}`)) ?? nearest(type, known)
    const fix = near === undefined ? 'Write it such as application/json.' : `Did you mean ${near}?`
    report([...at, type], `${JSON.stringify(type)} is no media type.`, { fix })
  }
}

/** An encoding is that of a property. */
export const encodings = rule({
  id: 'messages',
  on: 'media',
  level: 'wrong',
  check: ({ node, at }, report, { model }) => {
    const { schema, encoded } = new Media(model, at.at(-1) ?? '', node, at)
    const shape = schema && shapeOf(schema)
    if (!shape || shape.properties.size === 0 || shape.isOpen) return
    const names = [...shape.properties.keys()]
    for (const name of encoded) {
      if (names.includes(name)) continue
      const fix = fixOfName(name, names, 'Take it away, or add the property.')
      const message = `The encoding is of the property ${name}, which the schema does not have.`
      report([...at, 'encoding', name], message, { fix })
    }
  },
})

/** Answers declare no header that the media types of their content say already. */
export const headers = rule({
  id: 'messages',
  on: 'written',
  level: 'warned',
  check: ({ kind, node, at }, report) => {
    if (kind !== 'response' || !isNode(node.headers)) return
    for (const name of Object.keys(node.headers)) {
      if (name.toLowerCase() !== 'content-type' || !isToken(name)) continue
      const message = `The header ${name} is ignored: the media types of the content say it.`
      report([...at, 'headers', name], message, { fix: 'Take it away.' })
    }
  },
})
