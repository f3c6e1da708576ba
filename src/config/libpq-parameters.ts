/** A parameter of libpq, with its values, and with the allowed ones in words. */
interface Parameter {
  values: RegExp
  allowed: string
  /** Whether the driver reads it. Otherwise the service does, or says what it does instead. */
  driver?: true
  /** What the log says of it. */
  remark?: string
}

const anyText = /^[^\0]+$/
const seconds = { values: /^-?\d{1,9}$/, allowed: 'a whole number' }
const ownTimes = 'is not used, since the service sets its own time-outs'
const ownKeepalives = 'is not used, since the service keeps connections alive by the settings of the system'
const onlySystems = 'is not used'

/** The parameters that replace a part of the URL, with the name of that part. */
export const parts: Readonly<Record<string, string>> = {
  host: 'host',
  port: 'port',
  user: 'user',
  password: 'password',
  dbname: 'database',
}

/** The other ones: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS */
export const parameters: Readonly<Record<string, Parameter>> = {
  sslmode: {
    driver: true,
    values: /^(disable|no-verify|prefer|require|verify-ca|verify-full)$/,
    allowed: 'disable, no-verify, prefer, require, verify-ca or verify-full',
  },
  ssl: { driver: true, values: /^true$/, allowed: 'true' },
  sslrootcert: { driver: true, values: anyText, allowed: 'a file' },
  sslcert: { driver: true, values: anyText, allowed: 'a file' },
  sslkey: { driver: true, values: anyText, allowed: 'a file' },
  sslnegotiation: { driver: true, values: /^(postgres|direct)$/, allowed: 'postgres or direct' },
  application_name: { driver: true, values: anyText, allowed: 'a name' },
  options: {
    driver: true,
    values: anyText,
    allowed: 'options of the server, such as -c search_path=animals',
  },
  target_session_attrs: {
    values: /^(any|read-write|primary)$/,
    allowed: 'any, read-write or primary, since creates need a server that takes writes',
  },
  passfile: { values: anyText, allowed: 'a file' },
  channel_binding: { values: /^(disable|prefer|require)$/, allowed: 'disable, prefer or require' },
  load_balance_hosts: {
    values: /^(disable|random)$/,
    allowed: 'disable or random',
    remark: 'is not used: hosts are tried in their order',
  },
  connect_timeout: { ...seconds, remark: ownTimes },
  tcp_user_timeout: { ...seconds, remark: ownTimes },
  keepalives: { values: /^[01]$/, allowed: '0 or 1', remark: ownKeepalives },
  keepalives_idle: { ...seconds, remark: ownKeepalives },
  keepalives_interval: { ...seconds, remark: ownKeepalives },
  keepalives_count: { ...seconds, remark: ownKeepalives },
  gssencmode: {
    values: /^(disable|prefer)$/,
    allowed: 'disable or prefer, since the driver has no GSSAPI',
    remark: 'is taken as disable, since the driver has no GSSAPI',
  },
  sslcompression: { values: /^[01]$/, allowed: '0 or 1', remark: onlySystems },
  sslsni: { values: /^1$/, allowed: '1' },
  ssl_min_protocol_version: {
    values: /^TLSv1(\.[12])?$/,
    allowed: 'TLSv1.2, which is the oldest that Node.js speaks, or an older one',
  },
  client_encoding: { values: /^(auto|UTF-?8)$/i, allowed: 'UTF8' },
  fallback_application_name: { values: anyText, allowed: 'a name', remark: onlySystems },
}

/** The names of all parameters. */
export const knownNames = [...Object.keys(parts), ...Object.keys(parameters)].join(', ')
