import { file, unique } from './request.js'

const string = /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g
const constants = { true: 'True', false: 'False', null: 'None' }

/** A request in Python, with the package requests. */
export function python({ method, address, keys, headers, body }, shown) {
  const key = shown === undefined ? "os.environ['API_KEY']" : JSON.stringify(shown)
  const isUnique = headers.some(([, value]) => value === unique)
  const sent = headers.map(([name, value]) => [name, value === unique ? 'str(uuid.uuid4())' : JSON.stringify(value)])
  const named = (place) => keys.filter((one) => one.in === place).map(({ name }) => [name, key])
  const bearer = shown === undefined ? `f"Bearer {${key}}"` : JSON.stringify(`Bearer ${shown}`)
  if (keys.some((place) => place.in === 'bearer')) sent.unshift(['Authorization', bearer])
  sent.unshift(...named('header'))
  const ownType = body && !body.fields && body.type !== 'application/json'
  if (ownType) sent.push(['Content-Type', JSON.stringify(body.type)])
  return [
    ...(keys.length > 0 && shown === undefined ? ['import os'] : []),
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
  if (body.type === 'application/json' && isJson(body.text)) {
    return [`    json=${pythonOf(body.text).replaceAll('\n', '\n    ')},`]
  }
  return [`    data=${JSON.stringify(body.text)}.encode(),`]
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON as Python writes it. Its integers have no limit. */
function pythonOf(json) {
  return json.replace(string, (text) => constants[text] ?? JSON.stringify(JSON.parse(text)))
}
