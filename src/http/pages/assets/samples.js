const string = /"(?:[^"\\]|\\.)*"|true|false|null/g
const constants = { true: 'True', false: 'False', null: 'None' }

/**
 * A request in curl and in Python. `headers` are texts or, for what each request makes anew, `unique`; `body` is the
 * text of a JSON document.
 */
export function requestSamples({ method, address, needsKey, headers, body }) {
  return {
    curl: curl(method, address, needsKey, headers, body),
    Python: python(method, address, needsKey, headers, body),
  }
}

/** Stands for a value that each request makes anew. */
export const unique = Symbol('unique')

function curl(method, address, needsKey, headers, body) {
  const lines = [`curl -i ${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}`]
  if (needsKey) lines.push('-H "Authorization: Bearer $API_KEY"')
  for (const [name, value] of headers) {
    lines.push(value === unique ? `-H "${name}: $(date +%s)-$RANDOM"` : `-H ${quoted(`${name}: ${value}`)}`)
  }
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(body.replace(/\n\s*/g, ' '))}`)
  return lines.join(' \\\n  ')
}

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function python(method, address, needsKey, headers, body) {
  const isUnique = headers.some(([, value]) => value === unique)
  const sent = headers.map(([name, value]) => [name, value === unique ? 'str(uuid.uuid4())' : JSON.stringify(value)])
  if (needsKey) sent.unshift(['Authorization', `f"Bearer {os.environ['API_KEY']}"`])
  return [
    ...(needsKey ? ['import os'] : []),
    ...(isUnique ? ['import uuid'] : []),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(address)},`,
    ...(sent.length > 0
      ? ['    headers={', ...sent.map(([name, value]) => `        "${name}": ${value},`), '    },']
      : []),
    ...(body === undefined ? [] : [`    json=${pythonOf(body).replaceAll('\n', '\n    ')},`]),
    ')',
    'print(answer.status_code, answer.json())',
  ].join('\n')
}

/** JSON as Python writes it. Its integers have no limit. */
function pythonOf(json) {
  return json.replace(string, (text) => constants[text] ?? JSON.stringify(JSON.parse(text)))
}
