/** The value of a `Link` header (RFC 8288). Query parameters that are undefined are left out. */
export function link(
  rel: string,
  address: string,
  query: Readonly<Record<string, string | number | bigint | boolean | undefined>> = {},
): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value))
  }
  return `<${address}${parameters.size > 0 ? `?${parameters}` : ''}>; rel="${rel}"`
}
