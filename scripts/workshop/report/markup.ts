/** Characters that no XML document may have (XML 1.0, section 2.2), nor HTML. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/** A text as XML and HTML have it, between tags and between double quotes. */
export function escaped(text: string): string {
  return text.replaceAll(forbidden, '\uFFFD').replaceAll(/[&<>"\r]/g, (sign) => entities[sign] ?? sign)
}
