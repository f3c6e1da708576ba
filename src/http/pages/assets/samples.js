import { go } from './samples-go.js'
import { javaScript, typeScript } from './samples-script.js'
import { python } from './samples-python.js'
import { file, unique } from './request.js'

/** The languages of samples, by their names. */
export const languages = { curl, JavaScript: javaScript, TypeScript: typeScript, Python: python, Go: go }

/** A request, as `requestOf` makes it, in a language. Without a key the sample takes it from the variable API_KEY. */
export function sampleIn(language, request, key) {
  return languages[language](request, key)
}

function curl({ method, address, keys, headers, body }, key) {
  const value = key === undefined ? '$API_KEY' : key.replace(/["\\$`]/g, String.raw`\$&`)
  const inQuery = keys.filter((place) => place.in === 'query').map(({ name }) => `${encodeURIComponent(name)}=`)
  const query = inQuery.map((one, index) => `'${index > 0 || address.includes('?') ? '&' : '?'}${one}'"${value}"`)
  const lines = [`curl -i ${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}${query.join('')}`]
  for (const place of keys) {
    if (place.in === 'bearer') lines.push(`-H "Authorization: Bearer ${value}"`)
    if (place.in === 'basic') lines.push(`-u ":${value}"`)
    if (place.in === 'header') lines.push(`-H "${place.name}: ${value}"`)
    if (place.in === 'cookie') lines.push(`-b "${place.name}=${value}"`)
  }
  for (const [name, one] of headers) {
    lines.push(one === unique ? `-H "${name}: $(date +%s)-$RANDOM"` : `-H ${quoted(`${name}: ${one}`)}`)
  }
  if (body?.fields) {
    const isForm = body.type.includes('urlencoded')
    for (const [name, one] of body.fields) {
      if (isForm) lines.push(`--data-urlencode ${quoted(`${name}=${one}`)}`)
      else lines.push(one === file ? `-F ${quoted(`${name}=@FILE`)}` : `--form-string ${quoted(`${name}=${one}`)}`)
    }
  } else if (body) {
    lines.push(`-H ${quoted(`Content-Type: ${body.type}`)}`)
    if (body.file) lines.push('--data-binary @FILE')
    else if (/json/i.test(body.type)) lines.push(`-d ${quoted(body.text.replace(/\n\s*/g, ' '))}`)
    else lines.push(`--data-binary ${quoted(body.text)}`)
  }
  return lines.join(' \\\n  ')
}

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
