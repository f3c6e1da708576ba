import { knownNames, parameters, parts } from './libpq-parameters.ts'
import { passwordIn } from './passfile.ts'
import { Wrong } from './setting.ts'
import { tlsFault } from './tls-files.ts'

/** One of the servers of a URL. */
export interface PostgresHost {
  /** A name, an address, or the folder of a socket. */
  host: string
  port: string
}

/** What the URL of a PostgreSQL database says, decoded. What it leaves out is empty. */
export interface PostgresUrl {
  /** The servers, in the order in which they are tried. */
  hosts: readonly PostgresHost[]
  database: string
  user: string
  password: string
  /** The other parameters, as libpq has them. */
  parameters: Readonly<Record<string, string>>
  /** The URL as its file has it now, if it comes from a file. */
  now?: () => Pick<PostgresUrl, 'user' | 'password'>
}

export const postgresForm = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'
export const escapes = 'with characters such as #, / and @ in the password written as %23, %2F and %40'
const wrongForm = `must be ${postgresForm}, ${escapes}`

const oneHost = String.raw`(?:\[[\da-fA-F]*:[\da-fA-F:.]*\]|[^/?#:@\[\],]*)(?::\d*)?`
/**
 * RFC 3986, as libpq reads it. A password may contain a plain `@`, and so nothing after it may: what looks like a database
 * or a parameter could be the rest of a password, which no message may show.
 */
const form = new RegExp(
  String.raw`^postgres(?:ql)?://(?:(?<user>[^/?#:@]*)(?::(?<password>[^/?#]*))?@)?` +
    String.raw`(?<hosts>${oneHost}(?:,${oneHost})*)` +
    String.raw`(?:/(?<database>[^?#@]*))?(?:\?(?<query>[^#@]*))?$`,
)

/** Reads a URL in the forms of libpq. Returns the rest of a sentence when it is wrong, without anything of a password. */
export function readPostgresUrl(text: string): PostgresUrl | string {
  const found = form.exec(text)?.groups
  if (!found) return wrongForm
  const { query = '', hosts: list = '', ...rest } = found as Record<string, string | undefined>
  let all: Record<string, string | undefined>
  let given: [name: string, value: string][]
  try {
    all = Object.fromEntries(Object.entries(rest).map(([name, value = '']) => [name, decodeURIComponent(value)]))
    given = query === '' ? [] : query.split('&').map(parameterOf)
    const both = list.split(',').map((one) => /^\[?(.*?)\]?(?::(\d*))?$/.exec(one) ?? [])
    all.host = both.map(([, host = '']) => decodeURIComponent(host)).join(',')
    all.port = both.map(([, , port = '']) => port).join(',')
  } catch {
    return wrongForm
  }
  const others: Record<string, string> = {}
  for (const [name, value] of given) {
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined
    const known = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (part !== undefined) all[part] = value
    else if (!known) return `has the unknown parameter ${JSON.stringify(name)}; known are ${knownNames}`
    else if (!known.values.test(value)) return `has a wrong ${name}; it must be ${known.allowed}`
    else others[name] = value
  }
  const { host = '', port = '', database = '', user = '', password = '' } = all
  const hosts = hostsOf(host, port)
  if (typeof hosts === 'string') return hosts
  if (database === '') return `must name a database: ${postgresForm}`
  // the driver cannot be given one with these
  if (/[?#]/.test(database)) return 'must name a database without ? and #'
  if (/\0/.test(Object.values(all).join(''))) return wrongForm
  const url = { hosts, database, user, password, parameters: others }
  return contradictionIn(url) ?? url
}

/** Servers by lists of their names and ports; one port alone is that of all. */
function hostsOf(host: string, port: string): PostgresHost[] | string {
  const [names, ports] = [host.split(','), port.split(',')]
  if (names.includes('')) return `must name a host: ${postgresForm}`
  if (ports.length > 1 && ports.length !== names.length) {
    return `must have a port for each host, or one for all, and has ${ports.length} for ${names.length}`
  }
  const isPort = (one: string): boolean => /^\d{0,5}$/.test(one) && Number(one) <= 65_535
  if (!ports.every(isPort)) return wrongForm
  return names.map((name, index) => ({ host: name, port: ports[ports.length > 1 ? index : 0] ?? '' }))
}

/** What its parameters say against each other, and what is wrong with a file of passwords. */
function contradictionIn(url: PostgresUrl): string | undefined {
  const { sslmode = '', ssl, sslrootcert, channel_binding: binding, passfile } = url.parameters
  const verified = ssl !== undefined || /^(prefer|require|verify-)/.test(sslmode)
  if (sslrootcert === 'system' && !verified && sslmode !== '') {
    return `has sslrootcert=system, which needs sslmode=verify-full`
  }
  if (binding === 'require' && !verified && sslrootcert !== 'system') {
    return 'has channel_binding=require, which needs sslmode=verify-full'
  }
  const tls = tlsFault(url.parameters)
  if (tls !== undefined) return tls
  if (passfile === undefined || url.password !== '') return undefined
  const found = url.hosts.map((host) => passwordIn(passfile, { ...url, ...host }))
  const wrong = found.find((one) => one instanceof Wrong)
  if (wrong) return `has a passfile that ${wrong.why}`
  return found.every((one) => one === undefined) ? 'has a passfile without a line for it' : undefined
}

/** What the log should say of parameters that are not done to the letter: fragments. */
export function remarksOn({ parameters: given }: PostgresUrl): string[] {
  const remarks = Object.keys(given).flatMap((name) => {
    const { remark } = parameters[name] ?? {}
    return remark === undefined ? [] : [`${name} ${remark}`]
  })
  if (given.sslrootcert === 'system') remarks.push('sslrootcert=system means the authorities that Node.js knows')
  if (given.channel_binding === 'require') remarks.push('channel_binding=require is done where the server offers it')
  return remarks
}

/** Decodes a parameter as libpq does, where + is no space. Throws when that is not possible. */
function parameterOf(text: string): [name: string, value: string] {
  const [name = '', ...values] = text.split('=')
  return [decodeURIComponent(name), decodeURIComponent(values.join('='))]
}

/** The URL of one of its hosts in the form that `pg` reads without changing any part, with TLS modes by what they mean to it. */
export function driverUrl(url: PostgresUrl, { host, port }: PostgresHost): string {
  const { database, user, password, parameters: given } = url
  const driven = Object.entries(given).filter(([name]) => parameters[name]?.driver)
  const { ssl, sslmode, ...others } = Object.fromEntries(driven) as Record<string, string>
  // the driver's own authorities
  const isSystem = others.sslrootcert === 'system'
  if (isSystem) delete others.sslrootcert
  // pg takes these for verify-full, and warns that libpq checks less
  const isFull = isSystem || ssl !== undefined || /^(prefer|require|verify-ca)$/.test(sslmode ?? '')
  const all = { host, port, user, password, ...others, sslmode: isFull ? 'verify-full' : (sslmode ?? '') }
  const filled = Object.entries(all).filter(([, value]) => value !== '')
  return `postgres:///${encodeURI(database)}?${new URLSearchParams(filled)}`
}

/** The user and the password for a host, as the files of the URL have them now. */
export function loginOf(url: PostgresUrl, host: PostgresHost): Pick<PostgresUrl, 'user' | 'password'> {
  const { user, password } = url.now?.() ?? url
  const { passfile } = url.parameters
  if (password !== '' || passfile === undefined) return { user, password }
  const found = passwordIn(passfile, { ...url, ...host, user })
  return { user, password: typeof found === 'string' ? found : '' }
}

/** The database for messages and comparisons, without user and password. */
export function nameOf({ hosts, database }: PostgresUrl): string {
  return `${database} on ${hosts.map(hostName).join(', ')}`
}

/** A host for messages. */
export function hostName({ host, port }: PostgresHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port || '5432'}`
}
