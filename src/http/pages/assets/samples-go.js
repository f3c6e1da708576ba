import { file, unique } from './request.js'

const key = (shown) => (shown === undefined ? 'os.Getenv("API_KEY")' : JSON.stringify(shown))

/** A request in Go, with its standard library alone. */
export function go(request, shown) {
  const { method, body } = request
  const made = bodyOf(body)
  const lines = [
    ...made.lines,
    `request, err := http.NewRequest("${method}", ${addressOf(request, shown)}, ${made.reader})`,
    'if err != nil {',
    '\tlog.Fatal(err)',
    '}',
    ...headersOf(request, shown, made.type),
    'answer, err := http.DefaultClient.Do(request)',
    'if err != nil {',
    '\tlog.Fatal(err)',
    '}',
    'defer answer.Body.Close()',
    'text, err := io.ReadAll(answer.Body)',
    'if err != nil {',
    '\tlog.Fatal(err)',
    '}',
    'fmt.Println(answer.StatusCode, string(text))',
  ]
  const code = lines.join('\n')
  const packages = ['bytes', 'fmt', 'io', 'log', 'mime/multipart', 'net/http', 'net/url', 'os', 'strings', 'time']
  const used = packages.filter((name) =>
    new RegExp(`\\b${name.replace(/.*\//, '')}\\.[A-Z]`).test(code.replace(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '')),
  )
  return [
    'package main',
    '',
    'import (',
    ...used.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...code.split('\n').map((line) => (line === '' ? line : `\t${line}`)),
    '}',
  ].join('\n')
}

function addressOf({ address, keys }, shown) {
  const inQuery = keys.filter((place) => place.in === 'query')
  const parts = inQuery.map(({ name }, index) => {
    const mark = index > 0 || address.includes('?') ? '&' : '?'
    return `${JSON.stringify(`${mark}${encodeURIComponent(name)}=`)}+url.QueryEscape(${key(shown)})`
  })
  return [JSON.stringify(address), ...parts].join('+')
}

function headersOf({ keys, headers, body }, shown, type) {
  const set = (name, value) => `request.Header.Set(${JSON.stringify(name)}, ${value})`
  const ofKeys = keys.flatMap((place) => {
    if (place.in === 'bearer')
      return [set('Authorization', shown === undefined ? `"Bearer "+${key(shown)}` : JSON.stringify(`Bearer ${shown}`))]
    if (place.in === 'basic') return [`request.SetBasicAuth("", ${key(shown)})`]
    if (place.in === 'header') return [set(place.name, key(shown))]
    if (place.in === 'cookie')
      return [`request.AddCookie(&http.Cookie{Name: ${JSON.stringify(place.name)}, Value: ${key(shown)}})`]
    return []
  })
  const others = headers.map(([name, value]) => {
    return set(name, value === unique ? 'fmt.Sprint(time.Now().UnixNano())' : JSON.stringify(value))
  })
  return [...ofKeys, ...others, ...(body === undefined ? [] : [set('Content-Type', type)])]
}

function bodyOf(body) {
  if (body === undefined) return { lines: [], reader: 'nil' }
  const type = JSON.stringify(body.type)
  if (body.file) {
    return { lines: ['body, err := os.Open("FILE")', 'if err != nil {', '\tlog.Fatal(err)', '}'], reader: 'body', type }
  }
  if (body.text !== undefined) {
    const text = body.text.includes('`') ? JSON.stringify(body.text) : `\`${body.text}\``
    return { lines: [`body := strings.NewReader(${text})`], reader: 'body', type }
  }
  if (body.type.includes('urlencoded')) {
    const lines = body.fields.map(([name, value]) => `form.Add(${JSON.stringify(name)}, ${JSON.stringify(value)})`)
    return { lines: ['form := url.Values{}', ...lines], reader: 'strings.NewReader(form.Encode())', type }
  }
  const lines = body.fields.flatMap(([name, value]) => {
    if (value !== file) return [`form.WriteField(${JSON.stringify(name)}, ${JSON.stringify(value)})`]
    return [
      `part, err := form.CreateFormFile(${JSON.stringify(name)}, "FILE")`,
      'if err != nil {',
      '\tlog.Fatal(err)',
      '}',
      'content, err := os.ReadFile("FILE")',
      'if err != nil {',
      '\tlog.Fatal(err)',
      '}',
      'part.Write(content)',
    ]
  })
  return {
    lines: ['body := &bytes.Buffer{}', 'form := multipart.NewWriter(body)', ...lines, 'form.Close()'],
    reader: 'body',
    type: 'form.FormDataContentType()',
  }
}
