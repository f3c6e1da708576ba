/** The formats of strings that are checked. Others say what a text means, and are not checked. */
export const knownFormats = [
  ...(['binary', 'byte', 'date', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6'] as const),
  ...(['password', 'time', 'uri', 'uri-reference', 'uuid'] as const),
]

/** Whether values are checked against a format. */
export function isKnownFormat(format: unknown): boolean {
  return (knownFormats as readonly unknown[]).includes(format)
}

/** Whether a name can be that of a header or a cookie (RFC 9110, section 5.6.2). */
export function isToken(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name)
}
