import { isIP } from 'node:net'
import proxyAddr from 'proxy-addr'
import { database, type Database } from './database.ts'
import { nearMisses } from './near-misses.ts'
import { origins } from './origins.ts'
import { remarksOn } from './postgres-url.ts'
import { publicUrl } from './public-url.ts'
import { current, readSecretFile, type Secret } from './secret-file.ts'
import { readRedisUrl } from './redis-url.ts'
import { quoted, strayCharacter, visible, withoutPassword, Wrong } from './setting.ts'
import { readTracing, type Tracing } from './tracing.ts'

/** How long the rest of the shutdown may take after the running requests, in ms. */
export const closingMs = 2000

export interface Config {
  /** What may be a mistake of the environment, each a fragment for the log. */
  warnings: string[]
  /** Whether NODE_ENV is `production`: no first key is made, and only the bodies of answers are checked. */
  production: boolean
  host: string
  /** 0 takes any free port. */
  port: number
  database: Database
  /** The most connections to PostgreSQL. */
  databasePoolSize: number
  logLevel: LogLevel
  /** A request that took as long is logged as slow; 0 for none. */
  slowRequestMs: number
  /** `json` for programs, `pretty` for people; undefined leaves it to whether standard output is a terminal. */
  logFormat: 'json' | 'pretty' | undefined
  /** The address that clients use, without a trailing slash; empty when it is unknown. */
  publicUrl: string
  /** The allowed origins of CORS; `*` allows all. */
  corsOrigins: readonly string[]
  /** When a connection is closed: between requests, and while a head, a whole request or the next byte is awaited. */
  timeouts: { keepAlive: number; headers: number; request: number; stalled: number }
  /** How long connections are accepted after SIGTERM, so that load balancers can stop sending. */
  shutdownDelayMs: number
  /** How long running requests may take after that delay. */
  shutdownGraceMs: number
  /** What an operation does after its sunset: `warn` answers as before, `gone` answers 410. */
  sunsetPolicy: 'warn' | 'gone'
  /** The proxies whose `X-Forwarded-For` is trusted: a number of hops, or their networks. */
  trustProxy: number | readonly string[]
  /** The Redis in which processes share the quota counters. */
  redisUrl: string | undefined
  /** The same as its file has it now, if it comes from a file. */
  redisUrlNow: (() => string) | undefined
  /** How long a command of Redis may take, in ms; after it the requests are counted in this process. */
  redisTimeoutMs: number
  /** How requests are traced; undefined when they are not. */
  tracing: Tracing | undefined
  /** The number of serving processes; above 1 a supervisor starts them. */
  workers: number
  /** Limits of a network address without a valid key. */
  anonymous: { perMinute: number; perDay: number }
  /** The strikes that ban a key, and the lengths of bans in seconds. */
  bans: { after: number | undefined; stepsS: readonly number[] }
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** How long load balancers that check each second or two need to notice that a process closes, in ms. */
const noticedMs = 5000

const logFormats = ['json', 'pretty'] as const
const sunsetPolicies = ['warn', 'gone'] as const
const environments = ['production', 'development', 'test'] as const

/** Reads the environment once, at the start. Wrong values throw one error that names each and what is allowed. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const names = new Set<string>()

  function given(name: string): string {
    names.add(name)
    return env[name] ?? ''
  }

  function read<T>(name: string, fallback: T, parse: (text: string) => T | Wrong | undefined, allowed: string): T {
    const text = given(name)
    if (text === '') return fallback
    let why = strayCharacter(text)
    if (why === undefined) {
      const value = parse(text)
      if (value instanceof Wrong) why = value.why
      else if (value !== undefined) return value
    }
    const end = why === undefined ? '' : `; ${why}`
    faults.push(`${name} must be ${allowed}, not ${quoted(withoutPassword(text))}${end}.`)
    return fallback
  }

  /** A setting with a password, which may be in a file as secrets of containers are. */
  function secret(name: string): Secret {
    const text = given(name)
    const file = read(`${name}_FILE`, '', (path) => path, 'the path of a file')
    if (file === '') return { name, text, file: undefined }
    if (text !== '') faults.push(`${name} and ${name}_FILE are both set. Set one of them.`)
    const content = readSecretFile(file)
    if (!(content instanceof Wrong)) return { name: `${name}, as ${name}_FILE has it,`, text: content, file }
    faults.push(`${name}_FILE ${content.why}.`)
    return { name, text: '', file }
  }

  const redis = secret('REDIS_URL')
  const production =
    read('NODE_ENV', 'development', (text) => oneOf(environments, text), 'production, development or test') ===
    'production'
  const config: Config = {
    warnings: [],
    production,
    host: read('HOST', '127.0.0.1', (text) => text, 'an address'),
    port: read('PORT', 8080, (text) => integer(text, 0, 65_535), 'a port, 0 to 65535'),
    // the message does not repeat the value, which may contain a password
    database: database(secret('DATABASE_URL'), faults),
    databasePoolSize: read(
      'DATABASE_POOL_SIZE',
      10,
      (text) => integer(text, 1, 100),
      'a number of connections, 1 to 100',
    ),
    logLevel: read('LOG_LEVEL', 'info', (text) => oneOf(logLevels, text), logLevels.join(', ')),
    logFormat: read('LOG_FORMAT', undefined, (text) => oneOf(logFormats, text), 'json or pretty'),
    slowRequestMs: read('SLOW_REQUEST_MS', 1000, (text) => integer(text, 0, 600_000), 'milliseconds, 0 to 600000'),
    publicUrl: read(
      'PUBLIC_URL',
      '',
      publicUrl,
      'an http or https address without query, such as https://api.example.com',
    ),
    corsOrigins: read(
      'CORS_ORIGINS',
      [],
      origins,
      '"*" or origins as browsers send them, such as https://app.example.com or capacitor://localhost, separated by commas',
    ),
    timeouts: {
      keepAlive: read('KEEP_ALIVE_MS', 65_000, timeout, aTimeout),
      headers: read('HEAD_TIMEOUT_MS', 10_000, timeout, aTimeout),
      request: read('REQUEST_TIMEOUT_MS', 30_000, timeout, aTimeout),
      stalled: read('STALL_TIMEOUT_MS', 30_000, timeout, aTimeout),
    },
    shutdownDelayMs: read(
      'SHUTDOWN_DELAY_MS',
      production ? noticedMs : 0,
      (text) => integer(text, 0, 600_000),
      'milliseconds, 0 to 600000',
    ),
    shutdownGraceMs: read(
      'SHUTDOWN_GRACE_MS',
      10_000,
      (text) => integer(text, 0, 600_000),
      'milliseconds, 0 to 600000',
    ),
    sunsetPolicy: read('SUNSET_POLICY', 'warn', (text) => oneOf(sunsetPolicies, text), 'warn or gone'),
    trustProxy: read(
      'TRUST_PROXY',
      0,
      trustProxy,
      'a number of proxies, 1 to 16, or their networks, such as 10.0.0.0/8 (not /0, which would trust everybody)',
    ),
    redisUrl: redisUrl(redis, faults),
    redisUrlNow: current(redis, (text) => {
      const wrong: string[] = []
      const url = redisUrl({ ...redis, text }, wrong)
      return wrong.length === 0 ? url : undefined
    }),
    redisTimeoutMs: read('REDIS_TIMEOUT_MS', 150, (text) => integer(text, 1, 10_000), 'milliseconds, 1 to 10000'),
    tracing: readTracing(read),
    workers: read('WORKERS', 1, (text) => integer(text, 1, 64), 'a number of processes, 1 to 64'),
    anonymous: {
      perMinute: read('ANONYMOUS_PER_MINUTE', 60, positive, aPositive),
      perDay: read('ANONYMOUS_PER_DAY', 1000, positive, aPositive),
    },
    bans: {
      after: read('BAN_AFTER', undefined, positive, aPositive),
      stepsS: read('BAN_SECONDS', [60, 300, 900, 3600], seconds, 'seconds, 1 to 86400, separated by commas'),
    },
  }
  if (config.workers > 1 && config.redisUrl === undefined) {
    faults.push('WORKERS above 1 needs REDIS_URL, the Redis over which the processes share their counts of requests.')
  }
  if (config.timeouts.headers > config.timeouts.request) {
    faults.push(
      'HEAD_TIMEOUT_MS must not be more than REQUEST_TIMEOUT_MS, since the head is the beginning of a request.',
    )
  }
  for (const name of Object.keys(env)) {
    // as after the byte order mark of a file of settings
    if (!names.has(name) && names.has(visible(name))) faults.push(`${visible(name)} is set as ${quoted(name)}.`)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  config.warnings.push(
    ...nearMisses(env, names).map(([name, meant]) => `${name} is no setting; did you mean ${meant}?`),
  )
  if (config.database.engine === 'postgres') {
    config.warnings.push(...remarksOn(config.database.url).map((remark) => `DATABASE_URL: ${remark}`))
  }
  if (config.production && config.publicUrl.startsWith('http:')) {
    config.warnings.push('PUBLIC_URL begins with http:, so keys that clients send there can be read on the way')
  }
  return config
}

function oneOf<T extends string>(all: readonly T[], text: string): T | undefined {
  return all.find((one) => one === text)
}

function integer(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  return value >= min && value <= max ? value : undefined
}

function redisUrl({ name, text }: Secret, faults: string[]): string | undefined {
  if (text === '') return undefined
  const read = readRedisUrl(text)
  if (typeof read === 'string') faults.push(`${name} ${read}.`)
  return text
}

const aTimeout = 'milliseconds, 1000 to 3600000'

/** Less than a second is a mistake, such as seconds for milliseconds. */
function timeout(text: string): number | undefined {
  return integer(text, 1000, 3_600_000)
}

const aPositive = 'a whole number, 1 to 999999999'

function positive(text: string): number | undefined {
  return integer(text, 1, 999_999_999)
}

function seconds(text: string): number[] | undefined {
  const all = text.split(',').map((one) => integer(one.trim(), 1, 86_400))
  return all.every((one) => one !== undefined) ? all : undefined
}

function trustProxy(text: string): Config['trustProxy'] | undefined {
  if (/^\d+$/.test(text)) return integer(text, 1, 16)
  const networks = text.split(',').map((one) => one.trim())
  return networks.every(isNetwork) ? networks : undefined
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '1'] = text.split('/')
  if (isIP(address) === 0 || !/^\d+$/.test(bits)) return false
  try {
    // it accepts fewer addresses than Node does, and no /0
    proxyAddr.compile(text)
    return true
  } catch {
    return false
  }
}
