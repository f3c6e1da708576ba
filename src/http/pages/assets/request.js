/* Makes the requests of the page: for Execute in the browser, and for the samples in the browser and on the server. */

/** Stands for a value that each request makes anew. */
export const unique = Symbol('unique')
/** Stands for a file that the reader has. */
export const file = Symbol('file')

/**
 * A request with the values of the fields, by the names `query.limit`, `body` and `body.photo`; `base` is the address of the
 * service. Empty optional fields are not sent. A value that is not what its field says throws an error with a sentence.
 */
export function requestOf(form, values, base) {
  const filled = form.parameters.flatMap((parameter) => {
    const text = values[`${parameter.in}.${parameter.name}`] ?? ''
    return text === '' && (!parameter.required || parameter.kind === 'list') ? [] : [{ ...parameter, text }]
  })
  const inPlace = (place) => filled.filter((parameter) => parameter.in === place)
  const path = form.path.replace(/\{([^}]*)\}/g, (whole, name) => {
    const parameter = inPlace('path').find((one) => one.name === name)
    return parameter ? pathText(parameter) : whole
  })
  const query = inPlace('query').flatMap(queryPairs).join('&')
  const cookies = inPlace('cookie').map((one) => queryPairs(one).join('; '))
  const isUnique = ({ name, unique: own }) => own && !filled.some((one) => one.in === 'header' && one.name === name)
  return {
    method: form.method,
    address: `${base}${form.server}${path}${query && `?${query}`}`,
    path: form.path,
    base: `${base}${form.server}`,
    parameters: filled,
    keys: form.keys,
    headers: [
      ...inPlace('header').map((one) => [one.name, flatText(one, (text) => text)]),
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')]] : []),
      ...form.parameters.filter(isUnique).map(({ name }) => [name, unique]),
    ],
    body: bodyOf(form.body, values),
  }
}

function bodyOf(body, values) {
  if (body === undefined) return undefined
  const { type, kind } = body
  if (kind === 'file') return { type, file: true }
  if (kind === 'text') {
    const text = values.body ?? ''
    return text.trim() === '' ? undefined : { type, text }
  }
  const fields = body.fields.flatMap(({ name, isFile }) => {
    if (isFile) return [[name, file]]
    return (values[`body.${name}`] ?? '').split('\n').map((line) => [name, line])
  })
  return { type, fields }
}

/** The items of a list, or the names and values of an object; of another value none. */
function partsOf({ kind, text, name }) {
  if (kind === 'list')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  if (kind !== 'object') return undefined
  let object
  try {
    object = JSON.parse(withTexts(text))
  } catch {
    throw new Error(`${name} must be a JSON object, such as {"color": "red"}.`)
  }
  return Object.entries(object).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** JSON in which numbers are texts, so that no digit is lost. */
function withTexts(json) {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token[0] === '"' ? token : `"${token}"`))
}

function encodedFor({ reserved }) {
  const kept = /%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B)/g
  return (text) => (reserved ? encodeURIComponent(text).replace(kept, decodeURIComponent) : encodeURIComponent(text))
}

/** The pairs of a parameter in the query, or in a cookie. */
function queryPairs(parameter) {
  const { name, style, explode, text } = parameter
  const encoded = encodedFor(parameter)
  const parts = partsOf(parameter)
  if (parts === undefined) return [`${encoded(name)}=${encoded(text)}`]
  const isObject = parameter.kind === 'object'
  if (style === 'deepObject') return parts.map(([key, value]) => `${encoded(`${name}[${key}]`)}=${encoded(value)}`)
  if (explode) {
    return parts.map((part) =>
      isObject ? `${encoded(part[0])}=${encoded(part[1])}` : `${encoded(name)}=${encoded(part)}`,
    )
  }
  const between = { spaceDelimited: '%20', pipeDelimited: '%7C' }[style] ?? ','
  return [`${encoded(name)}=${parts.flat().map(encoded).join(between)}`]
}

/** A value in a path. */
function pathText(parameter) {
  const { name, style, explode } = parameter
  const encoded = encodedFor(parameter)
  if (style === 'label') return `.${flatText(parameter, encoded, explode ? '.' : ',')}`
  if (style !== 'matrix') return flatText(parameter, encoded)
  const parts = partsOf(parameter)
  if (parts === undefined || !explode) return `;${encoded(name)}=${flatText({ ...parameter, explode: false }, encoded)}`
  const pairs = parameter.kind === 'object' ? parts : parts.map((item) => [name, item])
  return pairs.map(([key, value]) => `;${encoded(key)}=${encoded(value)}`).join('')
}

/** A value as one text, as in a header. */
function flatText(parameter, encoded, between = ',') {
  const parts = partsOf(parameter)
  if (parts === undefined) return encoded(parameter.text)
  if (parameter.kind === 'list') return parts.map(encoded).join(between)
  const pairs = parts.map(([key, value]) => `${encoded(key)}${parameter.explode ? '=' : ','}${encoded(value)}`)
  return pairs.join(between)
}
