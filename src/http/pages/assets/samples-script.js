import { file, unique } from './request.js'

const variable = 'process.env.API_KEY'

/** A request in JavaScript, with `fetch`. */
export function javaScript(request, key) {
  const { method, body } = request
  const headers = headersOf(request, key)
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers.map((line) => `    ${line},`), '  },'] : []),
    ...(body === undefined ? [] : [`  body${body.fields ? '' : `: ${bodyText(body)}`},`]),
  ]
  const address = addressWithKeys(request, key)
  const call =
    options.length > 0
      ? [`const answer = await fetch(${address}, {`, ...options, '})']
      : [`const answer = await fetch(${address})`]
  return [...imports(body), ...formLines(body), ...call, 'console.log(answer.status, await answer.text())'].join('\n')
}

/** A request in TypeScript, with openapi-fetch and the types of the contract where it can send the body. */
export function typeScript(request, key) {
  const { method, path, base, body, parameters } = request
  if (body !== undefined && (body.text === undefined || !/json/i.test(body.type))) return javaScript(request, key)
  const headers = headersOf({ ...request, headers: [], body: undefined }, key)
  const params = paramsOf(request, parameters, key)
  const options = [
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(params.length > 0 ? ['  params: {', ...params.map((line) => `    ${line},`), '  },'] : []),
    ...(body === undefined ? [] : [`  body: ${scriptOf(body.text).replaceAll('\n', '\n  ')},`]),
  ]
  return [
    "import createClient from 'openapi-fetch'",
    '// npx openapi-typescript openapi.yaml -o api.ts --default-non-nullable false',
    "import type { paths } from './api.ts'",
    '',
    `const client = createClient<paths>({ baseUrl: ${textOf(base)} })`,
    `const { data, error } = await client.${method}(${textOf(path)}${options.length > 0 ? ', {' : ')'}`,
    ...options,
    ...(options.length > 0 ? ['})'] : []),
    'console.log(data ?? error)',
  ].join('\n')
}

/** The parameters by their places, as openapi-fetch takes them. */
function paramsOf({ headers, keys }, parameters, key) {
  const own = parameters.map(({ name, in: place, text, kind, bare }) => [place, name, literal(text, kind, bare)])
  const inQuery = keys.flatMap((one) => (one.in === 'query' ? [['query', one.name, keyText(key)]] : []))
  const made = headers.flatMap(([name, value]) => (value === unique ? [['header', name, 'crypto.randomUUID()']] : []))
  const all = [...own, ...made, ...inQuery]
  return [...new Set(all.map(([place]) => place))].map((place) => {
    const entries = all.filter((one) => one[0] === place)
    return `${place}: { ${entries.map(([, name, value]) => `${fieldName(name)}: ${value}`).join(', ')} }`
  })
}

function literal(text, kind, bare) {
  if (kind === 'object') return scriptOf(text)
  if (kind === 'list') {
    const items = text.split('\n').filter((line) => line.trim() !== '')
    return `[${items.map((item) => (isBare(item) ? item : textOf(item))).join(', ')}]`
  }
  return bare && isBare(text) ? text : textOf(text)
}

function isBare(text) {
  return /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text)
}

function addressWithKeys({ address, keys }, key) {
  const inQuery = keys.filter((place) => place.in === 'query').map(({ name }) => encodeURIComponent(name))
  if (inQuery.length === 0) return textOf(address)
  const value = key === undefined ? `\${${variable}}` : encodeURIComponent(key)
  const query = inQuery.map((name) => `${name}=${value}`).join('&')
  return `\`${address.replace(/[`\\$]/g, String.raw`\$&`)}${address.includes('?') ? '&' : '?'}${query}\``
}

function headersOf({ keys, headers, body }, key) {
  const ofKeys = keys.flatMap((place) => {
    if (place.in === 'bearer') return [`Authorization: ${withKey('Bearer ', key)}`]
    if (place.in === 'basic') return [`Authorization: 'Basic ' + btoa(${withKey(':', key)})`]
    if (place.in === 'header') return [`${fieldName(place.name)}: ${keyText(key)}`]
    if (place.in === 'cookie') return [`Cookie: ${withKey(`${place.name}=`, key)}`]
    return []
  })
  const others = headers.map(([name, value]) => {
    return `${fieldName(name)}: ${value === unique ? 'crypto.randomUUID()' : textOf(value)}`
  })
  const type = body && !body.fields ? [`'Content-Type': ${textOf(body.type)}`] : []
  return [...ofKeys, ...others, ...type]
}

function keyText(key) {
  return key === undefined ? `${variable} ?? ''` : textOf(key)
}

function withKey(before, key) {
  return key === undefined ? `\`${before}\${${variable}}\`` : textOf(before + key)
}

function bodyText(body) {
  if (body.file) return "await readFile('FILE')"
  return /json/i.test(body.type) ? jsonText(body.text) : textOf(body.text)
}

/** The text itself where JavaScript would lose digits of it, else what makes it. */
function jsonText(text) {
  try {
    const value = JSON.parse(text)
    const isExact = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)].every(([token]) => {
      return token[0] === '"' || String(Number(token)) === token
    })
    return isExact && typeof value === 'object'
      ? `JSON.stringify(${scriptOf(text).replaceAll('\n', '\n  ')})`
      : textOf(text.replace(/\n\s*/g, ' '))
  } catch {
    return textOf(text)
  }
}

function imports(body) {
  const reads = body?.file || body?.fields?.some(([, value]) => value === file)
  return reads ? ["import { readFile } from 'node:fs/promises'", ''] : []
}

function formLines(body) {
  if (!body?.fields) return []
  const kind = body.type.includes('urlencoded') ? 'URLSearchParams' : 'FormData'
  const lines = body.fields.map(([name, value]) => {
    const text = value === file ? "new Blob([await readFile('FILE')])" : textOf(value)
    return `body.append(${textOf(name)}, ${text})`
  })
  return [`const body = new ${kind}()`, ...lines]
}

/** JSON as a literal of JavaScript: names without quotes, texts in single ones. */
function scriptOf(json) {
  return json.replace(/"(?:[^"\\]|\\.)*"(\s*:)?/g, (token, colon) => {
    const text = JSON.parse(colon ? token.slice(0, -colon.length) : token)
    return colon ? `${fieldName(text)}:` : textOf(text)
  })
}

function fieldName(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textOf(name)
}

function textOf(text) {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}
