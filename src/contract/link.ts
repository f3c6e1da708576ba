/** A link for a `Link` header (RFC 8288). Parameters of the query that are undefined are left out. */
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
