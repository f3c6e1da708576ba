import { escapes } from './postgres-url.ts'
import { quoted, strayCharacter } from './setting.ts'
import { tlsFault } from './tls-files.ts'

/** What the URL of a Redis says, decoded. What it leaves out is empty. */
export interface RedisUrl {
  /** `sentinel`: the nodes are those that tell where the Redis is. */
  kind: 'single' | 'cluster' | 'sentinel'
  nodes: readonly { host: string; port: number }[]
  user: string
  password: string
  database: number
  tls: boolean
  /** The name of the Redis that Sentinels watch. */
  master: string
  parameters: Readonly<Record<string, string>>
}

const kinds: Readonly<Record<string, RedisUrl['kind']>> = { '': 'single', cluster: 'cluster', sentinel: 'sentinel' }
const oneNode = String.raw`(?:\[[\da-fA-F:.]+\]|[^/?#:@\[\],]+)(?::\d{1,5})?`
const form = new RegExp(
  String.raw`^redis(?<tls>s?)(?:\+(?<kind>cluster|sentinel))?://(?:(?<user>[^/?#:@]*)(?::(?<password>[^/?#]*))?@)?` +
    String.raw`(?<nodes>${oneNode}(?:,${oneNode})*)(?:/(?<path>[^?#@]*))?(?:\?(?<query>[^#@]*))?$`,
)

const file = { values: /^[^\0]+$/, allowed: 'a file', tls: true }
/** The parameters, with their values, and with the allowed ones in words. */
const parameters: Readonly<
  Record<string, { values: RegExp; allowed: string; tls?: boolean; kind?: RedisUrl['kind'] }>
> = {
  sslrootcert: file,
  sslcert: file,
  sslkey: file,
  sslmode: { values: /^(verify-full|no-verify)$/, allowed: 'verify-full or no-verify', tls: true },
  prefix: { values: /^[\w.-]{1,64}$/, allowed: '1 to 64 letters, digits, dots, hyphens and underscores' },
  sentinel_user: { values: /^[^\0]+$/, allowed: 'a name', kind: 'sentinel' },
  sentinel_password: { values: /^[^\0]+$/, allowed: 'a password', kind: 'sentinel' },
}

const wrongForm =
  'must be redis://USER:PASSWORD@HOST:PORT/NUMBER, of which only HOST is needed, or rediss:// for TLS, ' + escapes
const forms: Readonly<Record<RedisUrl['kind'], string>> = {
  single: 'must name one host; several are redis+cluster://HOST1,HOST2 or redis+sentinel://HOST1,HOST2/NAME',
  cluster:
    'must be redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT without a database, since a cluster has only one',
  sentinel:
    'must be redis+sentinel://USER:PASSWORD@SENTINEL1:PORT,SENTINEL2:PORT/NAME, with the name of what they watch',
}

/** Reads the URL of a Redis. Returns the rest of a sentence when it is wrong, without anything of a password. */
export function readRedisUrl(text: string): RedisUrl | string {
  const stray = strayCharacter(text)
  if (stray !== undefined) return `${wrongForm}; ${stray}`
  const found = form.exec(text)?.groups as Record<string, string | undefined> | undefined
  if (!found) return wrongForm
  let given: Record<string, string>
  let login: string[]
  try {
    given = Object.fromEntries((found.query ?? '').split('&').filter(Boolean).map(parameterOf))
    login = [found.user ?? '', found.password ?? '', found.path ?? ''].map(decodeURIComponent)
  } catch {
    return wrongForm
  }
  const [user = '', password = '', path = ''] = login
  const kind = kinds[found.kind ?? ''] ?? 'single'
  const tls = found.tls === 's'
  const fault = parameterFault(given, kind, tls) ?? (tls ? tlsFault(given) : undefined)
  if (fault !== undefined) return fault
  const nodes = (found.nodes ?? '').split(',').map((one) => redisNodeOf(one, kind === 'sentinel' ? 26_379 : 6379))
  if (nodes.some(({ port }) => port > 65_535)) return wrongForm
  const [, master = '', database = ''] =
    kind === 'sentinel' ? (/^([^/]+)(?:\/(\d*))?$/.exec(path) ?? []) : ['', '', path]
  if (kind === 'single' && nodes.length > 1) return forms.single
  if (kind === 'cluster' && !/^0?$/.test(path)) return forms.cluster
  if (kind === 'sentinel' && master === '') return forms.sentinel
  if (!/^\d{0,9}$/.test(database)) return wrongForm
  return { kind, nodes, user, password, database: Number(database), tls, master, parameters: given }
}

function parameterFault(
  given: Readonly<Record<string, string>>,
  kind: RedisUrl['kind'],
  tls: boolean,
): string | undefined {
  const names = Object.keys(given)
  const unknown = names.filter((name) => !Object.hasOwn(parameters, name))
  if (unknown.length > 0) {
    return `${wrongForm}, without the parameter${unknown.length > 1 ? 's' : ''} ${unknown.map(quoted).join(', ')}`
  }
  for (const name of names) {
    const known = parameters[name]
    if (known?.tls && !tls) return `has ${name} without TLS; begin with rediss`
    if (known?.kind && known.kind !== kind) return `has ${name}, which is for redis+${known.kind}://`
    if (!known?.values.test(given[name] ?? '')) return `has a wrong ${name}; it must be ${known?.allowed}`
  }
  return undefined
}

function parameterOf(text: string): [name: string, value: string] {
  const [name = '', ...values] = text.split('=')
  return [decodeURIComponent(name), decodeURIComponent(values.join('='))]
}

function redisNodeOf(text: string, usual: number): RedisUrl['nodes'][number] {
  const [, host = '', port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(text) ?? []
  return { host, port: port === undefined ? usual : Number(port) }
}
