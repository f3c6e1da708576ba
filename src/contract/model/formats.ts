import { ownValue } from './node.ts'

/** A format of JSON Schema or OpenAPI whose meaning is known. */
interface Format {
  /** The type of the values that it is for. */
  type: 'string' | 'integer' | 'number'
  /** What a value must be, after its name; undefined for a format that allows every value of its type. */
  rule?: string
}

/**
 * The formats that values are checked against, or that allow every value. Other formats say what a value means and are
 * not checked.
 */
const formats = {
  'date-time': { type: 'string', rule: 'must be a date and time such as 2026-11-28T09:30:00Z' },
  date: { type: 'string', rule: 'must be a date such as 2026-11-28' },
  time: { type: 'string', rule: 'must be a time with its offset such as 09:30:00Z' },
  duration: { type: 'string', rule: 'must be a duration such as P3DT12H' },
  email: { type: 'string', rule: 'must be an email address' },
  hostname: { type: 'string', rule: 'must be a host name' },
  ipv4: { type: 'string', rule: 'must be an IPv4 address' },
  ipv6: { type: 'string', rule: 'must be an IPv6 address' },
  uri: { type: 'string', rule: 'must be a URI such as https://example.com/a' },
  'uri-reference': { type: 'string', rule: 'must be a URI or a relative reference' },
  uuid: { type: 'string', rule: 'must be a UUID such as 8e03978e-40d5-43dd-bc93-6894a57f9324' },
  byte: { type: 'string', rule: 'must be in base64' },
  binary: { type: 'string' },
  password: { type: 'string' },
  int32: { type: 'integer', rule: 'must fit in 32 bits' },
  int64: { type: 'integer', rule: 'must fit in 64 bits' },
  float: { type: 'number' },
  double: { type: 'number' },
} as const satisfies Readonly<Record<string, Format>>

type FormatName = keyof typeof formats

/** The names of the formats of strings. */
export const stringFormats = (Object.keys(formats) as FormatName[]).filter(
  (
    name,
  ): name is Extract<
    FormatName,
    keyof { [K in FormatName as (typeof formats)[K]['type'] extends 'string' ? K : never]: K }
  > => formats[name].type === 'string',
)

/** What a value of a format must be, after its name; undefined if nothing is checked. */
export function formatRule(format: string): string | undefined {
  return ownValue<Format>(formats, format)?.rule
}

/** Whether a format is known for values of a type. */
export function isKnownFormat(format: unknown, type: Format['type'] = 'string'): boolean {
  return typeof format === 'string' && ownValue<Format>(formats, format)?.type === type
}

/** Whether a name can be that of a header or a cookie (RFC 9110, section 5.6.2). */
export function isToken(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name)
}

/** The names of the formats for values of a type. */
export function knownFormats(type: string): string[] {
  return Object.entries<Format>(formats).flatMap(([name, format]) => (format.type === type ? [name] : []))
}
