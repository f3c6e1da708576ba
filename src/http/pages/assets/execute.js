import { withKey } from './keys.js'
import { file, requestOf, unique } from './request.js'

/** The texts of an operation's fields, by their names. Without `FormData`, for which the browser lays out the page. */
export function filled(article) {
  const fields = [...article.querySelector('form').elements].filter(({ name, type }) => name && type !== 'file')
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]))
}

/** Sends the request of an operation, and shows the answer. */
export async function execute(article, form, base, key) {
  const result = article.querySelector('.result')
  const button = article.querySelector('.execute')
  button.disabled = true
  try {
    const request = requestOf(form, filled(article), base)
    const started = performance.now()
    const answer = await send(article, request, key)
    const bytes = await answer.arrayBuffer()
    result.replaceChildren(...answerParts(answer, bytes, performance.now() - started))
  } catch (error) {
    const reason =
      error instanceof TypeError
        ? 'No answer: the service cannot be reached, or the request was not allowed.'
        : error.message
    result.replaceChildren(element('p', { className: 'bad' }, reason))
  } finally {
    button.disabled = false
  }
}

function send(article, request, key) {
  const headers = request.headers.map(([name, value]) => [name, value === unique ? randomKey() : value])
  const places = key === undefined ? [] : request.keys
  const { url, headers: all, credentials } = withKey({ address: request.address, headers }, places, key)
  const body = bodyOf(article, request.body)
  // the browser names the type of a form with its boundary itself
  if (body !== undefined && !request.body.fields) all.set('Content-Type', request.body.type)
  return fetch(url, { method: request.method, headers: all, credentials, body, cache: 'no-store' })
}

function bodyOf(article, body) {
  if (body === undefined) return undefined
  const chosen = (name) => article.querySelector(`input[type=file][name="${CSS.escape(name)}"]`)?.files[0]
  if (body.file) return chosen('body') ?? new Blob([])
  if (!body.fields) return body.text
  const data = body.type.includes('urlencoded') ? new URLSearchParams() : new FormData()
  for (const [name, value] of body.fields) {
    const part = value === file ? chosen(`body.${name}`) : value
    if (part !== undefined) data.append(name, part)
  }
  return data
}

/** As long as a UUID; `crypto.randomUUID` exists only over HTTPS and on this machine. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function answerParts(answer, bytes, ms) {
  const type = answer.headers.get('Content-Type') ?? ''
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`).join('')
  const status = element('strong', { className: answer.ok ? 'good' : 'bad' }, String(answer.status))
  const time = element('span', { className: 'dim' }, ` in ${Math.round(ms)} ms`)
  return [
    element('h4', {}, 'Answer ', status, time),
    ...bodyParts(type, bytes),
    element('details', {}, element('summary', {}, 'Headers'), code(headers)),
  ]
}

function bodyParts(type, bytes) {
  if (bytes.byteLength === 0) return []
  if (/^text\/|json|xml/i.test(type)) {
    const text = new TextDecoder().decode(bytes)
    return [code(/json/i.test(type) ? indented(text) : text)]
  }
  const href = URL.createObjectURL(new Blob([bytes], { type }))
  return [
    element(
      'p',
      {},
      element('a', { href, download: 'answer' }, `Save ${bytes.byteLength} bytes (${type || 'no type'})`),
    ),
  ]
}

function code(text) {
  return element('pre', { tabIndex: 0 }, element('code', {}, text))
}

/** JSON in lines. Its tokens stay as they are, so that numbers keep every digit. */
function indented(json) {
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  return json.replace(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (/^\s/.test(token)) return ''
    if (token === '{' || token === '[') {
      depth += 1
      return token + line()
    }
    if (token === '}' || token === ']') {
      depth -= 1
      return line() + token
    }
    if (token === ',') return token + line()
    return token === ':' ? ': ' : token
  })
}

export function element(name, properties, ...children) {
  const one = Object.assign(document.createElement(name), properties)
  one.append(...children)
  return one
}
