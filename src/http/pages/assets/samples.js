import { file, unique } from './requests.js'

const string = /"(?:[^"\\]|\\.)*"|true|false|null/g
const constants = { true: 'True', false: 'False', null: 'None' }

/** A request, as `requestOf` makes it, in curl and in Python. */
export function requestSamples(request) {
  return { curl: curl(request), Python: python(request) }
}

function curl({ method, address, keys, headers, body }) {
  const inQuery = keys.filter((place) => place.in === 'query').map(({ name }) => `${encodeURIComponent(name)}=`)
  const query = inQuery.map((one, index) => `'${index > 0 || address.includes('?') ? '&' : '?'}${one}'"$API_KEY"`)
  const lines = [`curl -i ${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}${query.join('')}`]
  for (const place of keys) {
    if (place.in === 'bearer') lines.push('-H "Authorization: Bearer $API_KEY"')
    if (place.in === 'basic') lines.push('-u ":$API_KEY"')
    if (place.in === 'header') lines.push(`-H "${place.name}: $API_KEY"`)
    if (place.in === 'cookie') lines.push(`-b "${place.name}=$API_KEY"`)
  }
  for (const [name, value] of headers) {
    lines.push(value === unique ? `-H "${name}: $(date +%s)-$RANDOM"` : `-H ${quoted(`${name}: ${value}`)}`)
  }
  if (body?.fields) {
    const isForm = body.type.includes('urlencoded')
    for (const [name, value] of body.fields) {
      if (isForm) lines.push(`--data-urlencode ${quoted(`${name}=${value}`)}`)
      else lines.push(value === file ? `-F ${quoted(`${name}=@FILE`)}` : `--form-string ${quoted(`${name}=${value}`)}`)
    }
  } else if (body) {
    lines.push(`-H ${quoted(`Content-Type: ${body.type}`)}`)
    if (body.file) lines.push('--data-binary @FILE')
    else if (isJson(body)) lines.push(`-d ${quoted(body.text.replace(/\n\s*/g, ' '))}`)
    else lines.push(`--data-binary ${quoted(body.text)}`)
  }
  return lines.join(' \\\n  ')
}

function isJson({ type }) {
  return /json/i.test(type)
}

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

const key = "os.environ['API_KEY']"

function python({ method, address, keys, headers, body }) {
  const isUnique = headers.some(([, value]) => value === unique)
  const sent = headers.map(([name, value]) => [name, value === unique ? 'str(uuid.uuid4())' : JSON.stringify(value)])
  const named = (place) => keys.filter((one) => one.in === place).map(({ name }) => [name, key])
  if (keys.some((place) => place.in === 'bearer')) sent.unshift(['Authorization', `f"Bearer {${key}}"`])
  sent.unshift(...named('header'))
  const ownType = body && !body.fields && body.type !== 'application/json'
  if (ownType) sent.push(['Content-Type', JSON.stringify(body.type)])
  return [
    ...(keys.length > 0 ? ['import os'] : []),
    ...(isUnique ? ['import uuid'] : []),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(address)},`,
    ...dictionary('params', named('query')),
    ...dictionary('headers', sent),
    ...dictionary('cookies', named('cookie')),
    ...(keys.some((place) => place.in === 'basic') ? [`    auth=("", ${key}),`] : []),
    ...pythonBody(body),
    ')',
    'print(answer.status_code, answer.text)',
  ].join('\n')
}

function dictionary(name, entries) {
  if (entries.length === 0) return []
  return [`    ${name}={`, ...entries.map(([one, value]) => `        ${JSON.stringify(one)}: ${value},`), '    },']
}

function pythonBody(body) {
  if (body === undefined) return []
  if (body.file) return ['    data=open("FILE", "rb"),']
  if (body.fields) {
    const isForm = body.type.includes('urlencoded')
    const values = body.fields.map(([name, value]) => {
      const text = value === file ? 'open("FILE", "rb")' : JSON.stringify(value)
      return `        (${JSON.stringify(name)}, ${isForm || value === file ? text : `(None, ${text})`}),`
    })
    return [`    ${isForm ? 'data' : 'files'}=[`, ...values, '    ],']
  }
  if (isJson(body)) return [`    json=${pythonOf(body.text).replaceAll('\n', '\n    ')},`]
  return [`    data=${JSON.stringify(body.text)}.encode(),`]
}

/** JSON as Python writes it. Its integers have no limit. */
function pythonOf(json) {
  return json.replace(string, (text) => constants[text] ?? JSON.stringify(JSON.parse(text)))
}
