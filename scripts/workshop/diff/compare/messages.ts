import type { Level } from '../change.ts'
import { removal } from '../life-cycle.ts'
import { changeWording } from '../wording.ts'
import { levelOf, narrower, tell, wider, type Here } from './comparison.ts'
import { isAny } from './properties.ts'
import { compareSchemas } from './schemas.ts'
import { compareSerialization } from './serialization.ts'
import { compareByName } from './renames.ts'
import { flat, partsOf } from './parts.ts'
import { deref, orAny, valuesIn, type Part, type Spot } from './spot.ts'
import { compareLife, compareRequired, compareTexts, compareWhole } from './texts.ts'

/** Compares the bodies that an operation takes. */
export function compareBodies(here: Here, before: Spot, after: Spot): void {
  const [old, now] = deref(here.all, before, after)
  if (old.value === undefined && now.value === undefined) return
  if (old.value === undefined) {
    const isRequired = now.node.required === true
    const what = isRequired ? 'added, and required' : 'added'
    tell(
      here,
      { rule: 'request-body-added', level: isRequired ? 'breaking' : 'compatible', what },
      { parent: now, after: now },
    )
  } else if (now.value === undefined) {
    tell(here, { rule: 'request-body-removed', level: 'breaking', what: 'removed' }, { parent: now, before: old })
  } else {
    compareTexts(here, [old], [now])
    compareRequired(here, 'request-body-became-required', old, now)
    compareContent(here, old, now)
  }
}

/** Compares the responses of an operation, by their statuses. */
export function compareResponses(here: Here, before: Spot, after: Spot): void {
  const [old, now] = [new Map(before.field('responses').entries), new Map(after.field('responses').entries)]
  const parent = after.field('responses')
  const say = (
    level: Level,
    how: 'added' | 'removed' | 'changed',
    spots: { before?: Spot; after?: Spot },
    more = '',
  ): void => {
    tell(here, { rule: `response-${how}`, level, what: `${how}${more}` }, { parent, ...spots })
  }
  // what clients answer to a request of the service
  const isAsked = here.direction === 'request'
  const levelOfRange = (isWider: boolean): Level =>
    isAsked ? (isWider ? 'compatible' : 'breaking') : isWider ? 'risky' : 'compatible'
  const isNew = (status: string): boolean => !old.has(status)
  const matched = new Set<string>()
  for (const [status, response] of old) {
    const widened = [...now.keys()].find((wide) => isNew(wide) && covers(wide, status, now))
    const narrowed = [...now.keys()].find((fresh) => isNew(fresh) && covers(status, fresh, old))
    const other = now.has(status) ? status : (widened ?? narrowed)
    const same = other === undefined ? undefined : now.get(other)
    if (other === undefined || !same) {
      const level = /^2/.test(status) ? 'breaking' : isAsked ? 'risky' : 'compatible'
      say(level, 'removed', { before: response })
      continue
    }
    matched.add(other)
    if (other !== status)
      say(levelOfRange(other === widened), 'changed', { before: response, after: same }, ` from ${status} to ${other}`)
    compareResponse(here, response, same)
  }
  for (const [status, response] of now) {
    if (matched.has(status)) continue
    const [, range] = [...old].find(([wide]) => covers(wide, status, old)) ?? []
    say(isAsked || range || /^([45]|default$)/.test(status) ? 'compatible' : 'risky', 'added', { after: response })
    if (range) compareResponse(here, range, response)
  }
}

/** Whether a range of statuses has a success among them: `2XX`, or `default` where no other response is a success. */
function covers(range: string, status: string, all: ReadonlyMap<string, unknown>): boolean {
  if (!/^2/.test(status) || range === status) return false
  return range.toUpperCase() === '2XX' || (range === 'default' && ![...all.keys()].some((one) => /^2/.test(one)))
}

function compareResponse(here: Here, before: Spot, after: Spot): void {
  const [old, now] = deref(here.all, before, after)
  compareTexts(here, [old], [now])
  compareHeaders(here, old, now)
  compareContent(here, old, now)
  compareWhole(here, 'links', old, now)
}

/** Headers of these names are declared in other ways, and ignored here (OpenAPI 3.0.3, response object). */
const ignored = ['content-type']

function compareHeaders(here: Here, before: Spot, after: Spot): void {
  const byName = (part: Spot): Map<string, Spot> =>
    new Map(
      part
        .field('headers')
        .entries.flatMap(([name, header]) =>
          ignored.includes(name.toLowerCase()) ? [] : [[name.toLowerCase(), header]],
        ),
    )
  const [old, now] = [byName(before), byName(after)]
  const isAsked = here.direction === 'request'
  compareByName(here, {
    ...{ old, now, parent: after.field('headers') },
    rules: { added: 'header-added', removed: 'response-header-removed', renamed: 'response-header-renamed' },
    isDemanded: isAsked,
    canBeRenamed: () => !isAsked,
    nameOf: ({ at }) => at.at(-1) ?? '',
    removalOf: (_, { node }) =>
      isAsked ? { level: 'risky', what: 'removed, so it has no effect' } : removal(node, here.all.today),
    compare: (header, headerNow) => {
      compareHeader(here, header, headerNow)
    },
  })
}

function compareHeader(here: Here, old: Part, now: Part): void {
  compareTexts(here, [old], [now])
  compareLife(here, { parent: now, before: old, after: now }, old.node, now.node)
  compareRequired(here, 'response-header-required', old, now)
  const [form, formNow] = compareSerialization(here, old, now)
  if (form.content !== formNow.content) return
  if (old.node.content === undefined) compareValues({ ...here, isText: true }, old, now)
  else compareContent(here, old, now)
}

/** Compares the schemas of two media types, of two headers, or of the items of two streams. */
export function compareValues(here: Here, old: Part, now: Part, keyword: 'schema' | 'itemSchema' = 'schema'): void {
  const [schema, schemaNow] = [old.field(keyword), now.field(keyword)]
  if ([schema, schemaNow].every(({ value }) => value === undefined || isAny(value))) return
  if (schema.isThere !== schemaNow.isThere && here.isForm !== true) {
    const [level, what] = schemaNow.isThere
      ? ([levelOf(here.direction, narrower), 'a schema was added'] as const)
      : ([levelOf(here.direction, wider), 'the schema was removed'] as const)
    tell(here, { rule: 'schema-changed', level, what }, { parent: now, before: old, after: now, property: keyword })
    return
  }
  const [before, after] = [valuesIn([old], keyword), valuesIn([now], keyword)]
  compareSchemas(here, orAny(before, schema), orAny(after, schemaNow))
}

/** Media types whose values are objects. */
const forms = ['application/x-www-form-urlencoded', 'multipart/form-data']

/** Compares the media types of a body, and of a parameter that has some. */
export function compareContent(here: Here, before: Spot, after: Spot): void {
  const [old, now] = [before, after].map(
    (body) => new Map(body.field('content').entries.map((entry) => [mediaType(entry[0]), entry])),
  )
  const parent = after.field('content')
  const matched = new Set<string>()
  for (const [type, [name, value]] of old ?? []) {
    const wide = [...(now?.keys() ?? [])].find((range) => isInRange(type, range))
    const fresh = [...(now?.keys() ?? [])].find((one) => isInRange(one, type))
    const key = now?.has(type) ? type : (wide ?? (here.direction === 'response' ? fresh : undefined))
    const [nameNow, other] = (key === undefined ? undefined : now?.get(key)) ?? []
    if (key === undefined || nameNow === undefined || !other) {
      tell(here, { rule: 'media-type-removed', level: 'breaking', what: 'removed' }, { parent, before: value })
      continue
    }
    matched.add(key)
    if (name !== nameNow) {
      const isWider = here.direction === 'response' && key === wide && key !== type
      tell(
        here,
        {
          rule: 'media-type-changed',
          level: charset(name) !== charset(nameNow) ? 'breaking' : isWider ? 'risky' : 'compatible',
          what: `written as ${nameNow}, it was ${name}`,
        },
        { parent, before: value, after: other },
      )
    }
    const [media, mediaNow] = deref(here.all, value, other)
    compareMedia(here, { media, name: type }, { media: mediaNow, name: key })
  }
  for (const [type, [, value]] of now ?? []) {
    if (!matched.has(type))
      tell(here, { rule: 'media-type-added', level: 'compatible', what: 'added' }, { parent, after: value })
  }
}

function compareMedia(here: Here, before: Media, after: Media): void {
  const [old, now] = [before.media, after.media]
  compareTexts(here, [old], [now])
  const isForm = forms.includes(before.name) && here.direction === 'request'
  const inner = { ...here, isText: false, isXml: /\bxml\b/.test(after.name), isForm }
  compareValues(inner, old, now)
  compareValues({ ...inner, isForm: false }, old, now, 'itemSchema')
  compareEncodings(here, before, after)
}

/** A media type without its charset, and in lower case (RFC 9110, section 8.3.1). */
function mediaType(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/\s/g, '')
    .replace(/;charset=[^;]*/, '')
}

function charset(name: string): string {
  return /;\s*charset="?([^";]*)/i.exec(name)?.[1]?.trim().toLowerCase() ?? 'utf-8'
}

function isInRange(type: string, range: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
}

interface Media {
  media: Part
  /** Such as `multipart/form-data`. */
  name: string
}

/** Compares how the parts of a body are written that both contracts have. */
function compareEncodings(here: Here, before: Media, after: Media): void {
  const names = new Set([before, after].flatMap(({ media }) => media.field('encoding').keys))
  for (const name of names) {
    const [old, now] = partsOf(here.all, propertyOf(before, name), propertyOf(after, name))
    const [encoding, encodingNow] = [before.media.field('encoding', name), after.media.field('encoding', name)]
    const isMissing = (part: Spot, schemas: readonly Part[]): boolean =>
      part.value === undefined && schemas.length === 0
    if (isMissing(encoding, old) || isMissing(encodingNow, now)) continue
    compareHeaders(here, encoding, encodingNow)
    const [form, formNow] = [encodingOf(before.name, encoding, old), encodingOf(after.name, encodingNow, now)]
    for (const [property, to] of Object.entries(formNow)) {
      const from = form[property]
      if (from === to) continue
      const isWider =
        (property === 'allowReserved' && to === true) ||
        (property === 'contentType' && typesIn(from).every((type) => typesIn(to).includes(type)))
      const level = isWider ? levelOf(here.direction, wider) : 'breaking'
      const judgement = { rule: 'encoding-changed', level, what: changeWording(property, from, to) } as const
      tell(here, judgement, { parent: after.media, before: encoding, after: encodingNow, property })
    }
  }
}

function propertyOf({ media }: Media, name: string): Spot[] {
  return valuesIn(flat([media.field('schema')]), 'properties', name)
}

/** How a part is written, with the defaults of OpenAPI. Only parts of a form have a style. */
function encodingOf(media: string, { node }: Spot, schemas: readonly Part[]): Record<string, unknown> {
  const { contentType, style = 'form', explode, allowReserved } = node
  const usual = { contentType: contentType ?? usualType(schemas) }
  if (media !== 'application/x-www-form-urlencoded') return usual
  return {
    ...(contentType === undefined ? {} : usual),
    style,
    explode: explode ?? style === 'form',
    allowReserved: allowReserved === true,
  }
}

/** The content type of a part that names none (OpenAPI 3.0.3, encoding object); of a list, that of its items. */
function usualType(schemas: readonly Spot[]): string {
  const isOf = (keyword: string, value: string): boolean => schemas.some(({ node }) => node[keyword] === value)
  const [items] = valuesIn(schemas, 'items')
  if (isOf('type', 'array') && items) return usualType([items])
  if (isOf('format', 'binary')) return 'application/octet-stream'
  return isOf('type', 'object') || schemas.some(({ node }) => node.properties) ? 'application/json' : 'text/plain'
}

function typesIn(value: unknown): string[] {
  return typeof value === 'string' ? value.split(',').map(mediaType) : []
}
