import { quoted, withoutPassword, Wrong } from './setting.ts'

/** How an origin begins (RFC 6454 section 6.2): a scheme of any kind, and a host, which only a file of the machine lacks. */
const form = /^(?<scheme>[a-z][a-z\d+.-]*:)\/\/(?<authority>[^/?#\\]*)(?<rest>.*)$/is

/** What a URL with one of these schemes has no need to say, since browsers leave it out (URL standard). */
const special = /^(https?|wss?|ftp):$/

/**
 * Reads a list of origins. The Fetch standard compares them with the `Origin` of a request byte for byte, so each must be
 * written as browsers send it; its scheme may be one of an app or an extension.
 */
export function origins(text: string): string[] | Wrong {
  const all = text.split(',').map((one) => one.trim())
  for (const one of all) {
    const fault = faultOf(one)
    if (fault !== undefined) return new Wrong(one === '' ? fault : `${quoted(withoutPassword(one))} ${fault}`)
  }
  return all
}

/** What keeps a text from being an origin, as the end of a sentence about it; undefined for one. */
function faultOf(one: string): string | undefined {
  if (one === '*') return undefined
  if (one === '') return 'an entry between the commas is empty'
  if (one === 'null') return 'is sent by every sandboxed page, and so would allow all pages as * does'
  if (/\s/.test(one)) return 'has a space, and origins are separated by commas'
  const { scheme = '', authority = '', rest = '' } = form.exec(one)?.groups ?? {}
  if (scheme === '') return 'is not a scheme and a host, such as https://app.example.com'
  if (authority.includes('@')) return 'has credentials before its host, which no origin has'
  if (authority.includes('*')) return 'has a * in its host; name each origin, or allow all by * alone'
  if (authority === '' && scheme !== 'file:') return 'has no host after its scheme'
  if (!URL.canParse(`${scheme}//${authority}`)) return `has a wrong host or port, ${quoted(authority)}`
  const sent = asSent(scheme.toLowerCase(), authority)
  if (rest.startsWith('?')) return `has a query, which no origin has; it must be ${sent}`
  if (rest.startsWith('#')) return `has a fragment, which no origin has; it must be ${sent}`
  if (rest !== '') return `has a path, ${quoted(rest)}, which no origin has; it must be ${sent}`
  return one === sent ? undefined : `is not written as browsers send it; it must be ${sent}`
}

/** In lower case, in ASCII and without the port that the scheme has, unless the scheme is unknown to browsers. */
function asSent(scheme: string, authority: string): string {
  const url = new URL(`${scheme}//${authority}`)
  return special.test(scheme) ? url.origin : `${scheme}//${url.host}`
}
