/** What the URL of a PostgreSQL database says, decoded. What it leaves out is empty. */
export interface PostgresUrl {
  /** A name, an address, or the folder of a socket. */
  host: string
  port: string
  database: string
  user: string
  password: string
  /** The other parameters, as the driver reads them. */
  parameters: Readonly<Record<string, string>>
  /** The URL as its file has it now, if it comes from a file. */
  now?: () => Pick<PostgresUrl, 'user' | 'password'>
}

export const postgresForm = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'
export const escapes = 'with characters such as #, / and @ in the password written as %23, %2F and %40'
const wrongForm = `must be ${postgresForm}, ${escapes}`

/**
 * RFC 3986, as libpq reads it. A password may contain a plain `@`, and so nothing after it may: what looks like a database
 * or a parameter could be the rest of a password, which no message may show.
 */
const form = new RegExp(
  String.raw`^postgres(?:ql)?://(?:(?<user>[^/?#:@]*)(?::(?<password>[^/?#]*))?@)?` +
    String.raw`(?:\[(?<address>[\da-fA-F]*:[\da-fA-F:.]*)\]|(?<host>[^/?#:@\[\]]*))(?::(?<port>\d*))?` +
    String.raw`(?:/(?<database>[^?#@]*))?(?:\?(?<query>[^#@]*))?$`,
)

/** The parameters that replace a part of the URL, with the name of that part. */
const parts: Readonly<Record<string, string>> = {
  host: 'host',
  port: 'port',
  user: 'user',
  password: 'password',
  dbname: 'database',
}

const anyText = /^[^\0]+$/
/** The other parameters, with their values, and with the allowed ones in words. */
const parameters: Readonly<Record<string, { values: RegExp; allowed: string }>> = {
  sslmode: {
    values: /^(disable|no-verify|prefer|require|verify-ca|verify-full)$/,
    allowed: 'disable, no-verify, prefer, require, verify-ca or verify-full',
  },
  ssl: { values: /^true$/, allowed: 'true' },
  sslrootcert: { values: anyText, allowed: 'a file' },
  sslcert: { values: anyText, allowed: 'a file' },
  sslkey: { values: anyText, allowed: 'a file' },
  sslnegotiation: { values: /^(postgres|direct)$/, allowed: 'postgres or direct' },
  application_name: { values: anyText, allowed: 'a name' },
  options: { values: anyText, allowed: 'options of the server, such as -c search_path=animals' },
}

/** Reads a URL in the forms of libpq. Returns the rest of a sentence when it is wrong, without anything of a password. */
export function readPostgresUrl(text: string): PostgresUrl | string {
  const found = form.exec(text)?.groups
  if (!found) return wrongForm
  const { query = '', address = '', ...rest } = found as Record<string, string | undefined>
  let all: Record<string, string | undefined>
  let given: [name: string, value: string][]
  try {
    all = Object.fromEntries(Object.entries(rest).map(([name, value = '']) => [name, decodeURIComponent(value)]))
    given = query === '' ? [] : query.split('&').map(parameterOf)
  } catch {
    return wrongForm
  }
  if (address !== '') all.host = address
  const others: Record<string, string> = {}
  for (const [name, value] of given) {
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined
    const known = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (part !== undefined) all[part] = value
    else if (!known) return `has the unknown parameter ${JSON.stringify(name)}; known are ${knownNames()}`
    else if (!known.values.test(value)) return `has a wrong ${name}; it must be ${known.allowed}`
    else others[name] = value
  }
  const { host = '', port = '', database = '', user = '', password = '' } = all
  if (host === '') return `must name a host: ${postgresForm}`
  if (host.includes(',')) return `must name one host: ${postgresForm}`
  if (database === '') return `must name a database: ${postgresForm}`
  // the driver cannot be given one with these
  if (/[?#]/.test(database)) return 'must name a database without ? and #'
  if (!/^\d{0,5}$/.test(port) || Number(port) > 65_535 || /\0/.test(Object.values(all).join(''))) return wrongForm
  return { host, port, database, user, password, parameters: others }
}

/** Decodes a parameter as libpq does, where + is no space. Throws when that is not possible. */
function parameterOf(text: string): [name: string, value: string] {
  const [name = '', ...values] = text.split('=')
  return [decodeURIComponent(name), decodeURIComponent(values.join('='))]
}

function knownNames(): string {
  return [...Object.keys(parts), ...Object.keys(parameters)].join(', ')
}

/** The URL in the form that `pg` reads without changing any part, with TLS modes by what they mean to it. */
export function driverUrl({ database, parameters: { ssl, sslmode, ...others }, now: _, ...url }: PostgresUrl): string {
  // pg takes these for verify-full, and warns that libpq checks less
  const isFull = ssl !== undefined || /^(prefer|require|verify-ca)$/.test(sslmode ?? '')
  const all = { ...url, ...others, sslmode: isFull ? 'verify-full' : (sslmode ?? '') }
  const given = Object.entries(all).filter(([, value]) => value !== '')
  return `postgres:///${encodeURI(database)}?${new URLSearchParams(given)}`
}

/** The database for messages and comparisons, without user and password. */
export function nameOf({ host, port, database }: PostgresUrl): string {
  return `${database} on ${host.includes(':') ? `[${host}]` : host}:${port || '5432'}`
}
