import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { addressReader } from '../../src/quota/address.ts'

/** The message that a wrong environment gets. */
function fault(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error(`${JSON.stringify(env)} was accepted.`)
}

const defaults = {
  production: false,
  host: '127.0.0.1',
  port: 8080,
  database: { engine: 'sqlite', file: 'data/animal-store.db' },
  logLevel: 'info',
  logFormat: undefined,
  publicUrl: '',
  corsOrigins: [],
  timeouts: { keepAlive: 65_000, headers: 10_000, request: 30_000, stalled: 30_000 },
  shutdownDelayMs: 0,
  shutdownGraceMs: 10_000,
}

describe('WORKERS', () => {
  const REDIS_URL = 'redis://127.0.0.1:6379'

  test('is 1 to 64 processes, and 1 when it is not set', () => {
    expect(readConfig({}).workers).toBe(1)
    expect(readConfig({ WORKERS: '1' }).workers).toBe(1)
    expect(readConfig({ WORKERS: '64', REDIS_URL }).workers).toBe(64)
    for (const WORKERS of ['0', '65', '2x', '-1', 'auto']) {
      expect(fault({ WORKERS, REDIS_URL })).toBe(
        `WORKERS must be a number of processes, 1 to 64, not ${JSON.stringify(WORKERS)}.`,
      )
    }
  })

  test('is refused above 1 where counts are not shared', () => {
    expect(fault({ WORKERS: '2' })).toMatch(/^WORKERS above 1 needs REDIS_URL, .+\.$/)
  })
})

test.each(['ANONYMOUS_PER_MINUTE', 'ANONYMOUS_PER_DAY', 'BAN_AFTER'])(
  '%s is a number up to a maximum that is told',
  (name) => {
    expect(() => readConfig({ [name]: '999999999' })).not.toThrow()
    for (const value of ['0', '1000000000', '1.5']) {
      expect(fault({ [name]: value })).toBe(`${name} must be a whole number, 1 to 999999999, not "${value}".`)
    }
  },
)

test('SHUTDOWN_DELAY_MS may be 0 in production', () => {
  expect(readConfig({ NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' }).shutdownDelayMs).toBe(0)
})

test('a head may not take longer than its request', () => {
  expect(fault({ HEAD_TIMEOUT_MS: '30001' })).toBe(
    'HEAD_TIMEOUT_MS must not be more than REQUEST_TIMEOUT_MS, since the head is the beginning of a request.',
  )
  expect(readConfig({ HEAD_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '60000' }).timeouts.headers).toBe(60_000)
})

describe('readConfig', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toMatchObject(defaults)
  })

  test('takes an empty value as absent', () => {
    const names = [
      'HOST',
      'PORT',
      'DATABASE_URL',
      'LOG_LEVEL',
      'LOG_FORMAT',
      'PUBLIC_URL',
      'CORS_ORIGINS',
      'SHUTDOWN_DELAY_MS',
      'SHUTDOWN_GRACE_MS',
      'NODE_ENV',
    ]
    for (const name of names)
      expect({ name, config: readConfig({ [name]: '' }) }).toMatchObject({ name, config: defaults })
  })

  test.each([
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::1', { host: '::1' }],
    ['HOST', 'localhost', { host: 'localhost' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '80', { port: 80 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DATABASE_URL', 'sqlite:x.db', { database: { engine: 'sqlite', file: 'x.db' } }],
    ['DATABASE_URL', 'sqlite:data/x.db', { database: { engine: 'sqlite', file: 'data/x.db' } }],
    ['DATABASE_URL', 'sqlite:./x.db', { database: { engine: 'sqlite', file: './x.db' } }],
    ['DATABASE_URL', 'sqlite:../x y.db', { database: { engine: 'sqlite', file: '../x y.db' } }],
    ['DATABASE_URL', 'sqlite:/var/x.db', { database: { engine: 'sqlite', file: '/var/x.db' } }],
    ['DATABASE_URL', 'sqlite:///var/x.db', { database: { engine: 'sqlite', file: '/var/x.db' } }],
    [
      'DATABASE_URL',
      'postgres://db/animals',
      { database: { engine: 'postgres', url: { hosts: [{ host: 'db', port: '' }], database: 'animals' } } },
    ],
    ['LOG_LEVEL', 'trace', { logLevel: 'trace' }],
    ['LOG_LEVEL', 'warn', { logLevel: 'warn' }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_FORMAT', 'json', { logFormat: 'json' }],
    ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
    ['PUBLIC_URL', 'https://api.example.com', { publicUrl: 'https://api.example.com' }],
    ['PUBLIC_URL', 'https://api.example.com/', { publicUrl: 'https://api.example.com' }],
    ['PUBLIC_URL', 'http://10.0.0.1:8080/store//', { publicUrl: 'http://10.0.0.1:8080/store' }],
    ['PUBLIC_URL', 'HTTPS://API.example.com', { publicUrl: 'https://api.example.com' }],
    ['CORS_ORIGINS', '*', { corsOrigins: ['*'] }],
    ['CORS_ORIGINS', 'https://app.example.com', { corsOrigins: ['https://app.example.com'] }],
    ['CORS_ORIGINS', 'https://a.example, http://b:3000', { corsOrigins: ['https://a.example', 'http://b:3000'] }],
    ['SUNSET_POLICY', 'gone', { sunsetPolicy: 'gone' }],
    ['SLOW_REQUEST_MS', '0', { slowRequestMs: 0 }],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://127.0.0.1:4318',
      { tracing: { protocol: 'http/protobuf', sampling: { share: 1, byParent: true } } },
    ],
    ['OTEL_TRACES_EXPORTER', 'none', { tracing: undefined }],
    ['SHUTDOWN_GRACE_MS', '0', { shutdownGraceMs: 0 }],
    ['SHUTDOWN_GRACE_MS', '600000', { shutdownGraceMs: 600_000 }],
    ['KEEP_ALIVE_MS', '620000', { timeouts: { ...defaults.timeouts, keepAlive: 620_000 } }],
    ['HEAD_TIMEOUT_MS', '1000', { timeouts: { ...defaults.timeouts, headers: 1000 } }],
    ['REQUEST_TIMEOUT_MS', '3600000', { timeouts: { ...defaults.timeouts, request: 3_600_000 } }],
    ['STALL_TIMEOUT_MS', '60000', { timeouts: { ...defaults.timeouts, stalled: 60_000 } }],
    // a load balancer has to notice before listening ends
    ['NODE_ENV', 'production', { production: true, shutdownDelayMs: 5000 }],
    ['NODE_ENV', 'development', { production: false }],
    ['NODE_ENV', 'test', { production: false }],
  ])('reads %s=%s', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toMatchObject({ ...defaults, ...expected })
  })

  test.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '8080x'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['PORT', '80.0'],
    ['PORT', ' 80'],
    ['PORT', '+80'],
    ['PORT', '8 0'],
    ['PORT', '٨٠'],
    ['PORT', 'http'],
    ['PORT', '/tmp/socket'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'INFO'],
    ['LOG_LEVEL', 'constructor'],
    ['LOG_FORMAT', 'JSON'],
    ['LOG_FORMAT', 'text'],
    ['LOG_FORMAT', 'constructor'],
    ...['prod', 'Production', 'PRODUCTION', 'staging', 'dev', 'prоduction'].map(
      (value) => ['NODE_ENV', value] as const,
    ),
    ['SUNSET_POLICY', 'Gone'],
    ['SUNSET_POLICY', 'gone,warn'],
    ['PUBLIC_URL', 'api.example.com'],
    ['PUBLIC_URL', '/store'],
    ['PUBLIC_URL', 'ftp://api.example.com'],
    ['PUBLIC_URL', 'javascript:alert(1)'],
    ['PUBLIC_URL', 'https://'],
    ['PUBLIC_URL', 'https://api.example.com?x=1'],
    ['PUBLIC_URL', 'https://api.example.com?'],
    ['PUBLIC_URL', 'https://api.example.com#x'],
    ['PUBLIC_URL', 'https://api.example.com/#'],
    ['PUBLIC_URL', 'https://user@api.example.com'],
    ['PUBLIC_URL', 'https://:password@api.example.com'],
    ['PUBLIC_URL', 'https://user:pass/w@rd@api.example.com'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://app.example.com/path'],
    ['CORS_ORIGINS', 'https://APP.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com:443'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'https://a.example,'],
    ['CORS_ORIGINS', 'https://a.example https://b.example'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'data:text/plain,x'],
    ['SHUTDOWN_DELAY_MS', '-1'],
    ['SHUTDOWN_DELAY_MS', '5s'],
    ['KEEP_ALIVE_MS', '65'],
    ['KEEP_ALIVE_MS', '0'],
    ['HEAD_TIMEOUT_MS', '999'],
    ['REQUEST_TIMEOUT_MS', '3600001'],
    ['STALL_TIMEOUT_MS', '30s'],
    ['SHUTDOWN_GRACE_MS', '-1'],
    ['SHUTDOWN_GRACE_MS', '600001'],
    ['SHUTDOWN_GRACE_MS', '10s'],
    ['SHUTDOWN_GRACE_MS', '1.5'],
    ['SHUTDOWN_GRACE_MS', '9999999999999'],
  ])('refuses %s=%s with the name, the value and what is allowed', (name, value) => {
    const message = fault({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name} must be .+\\.$`))
    expect(message).toContain(JSON.stringify(value.replace(/.*@/, '…@')))
    expect(message.split('\n')).toHaveLength(1)
    expect(message).not.toMatch(/user|pass|w@rd/)
  })

  test.each([
    'x.db',
    'sqlite',
    'sqlite:',
    'sqlite:data/',
    'sqlite::memory:',
    'sqlite://data/x.db',
    'sqlite:/',
    'sqlite:x.db#x',
    'SQLITE:x.db',
    'file:x.db',
    'mysql://user:hunter2@db/pets',
    'http://user:hunter2@db/pets',
  ])('refuses DATABASE_URL=%s, without repeating what may be a password', (value) => {
    const message = fault({ DATABASE_URL: value })
    expect(message).toMatch(/^DATABASE_URL must be .+\.$/)
    expect(message).not.toContain('hunter2')
  })

  test.each([
    ['DATABASE_URL', 'sqlite:x.db?mode=ro', 'without the parameter "mode".'],
    ['DATABASE_URL', 'sqlite:x.db?mode=ro&cache', 'without the parameters "mode", "cache".'],
    ['DATABASE_URL', 'sqlite:x.db?mode=ro@hunter2', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE.'],
    ['REDIS_URL', 'redis://redis?db=abc', '%23, %2F and %40, without the parameter "db".'],
    ['REDIS_URL', 'redis://redis/1?family=6&db=2', '%23, %2F and %40, without the parameters "family", "db".'],
    ['REDIS_URL', 'redis://:1?hunter2@redis', '%23, %2F and %40.'],
  ])('%s=%s names the parameters, unless they may be a part of a password', (name, value, end) => {
    const message = fault({ [name]: value })
    expect(message.startsWith(`${name} must be `)).toBe(true)
    expect(message.endsWith(end)).toBe(true)
    expect(message).not.toContain('hunter2')
  })

  test.each([
    'redis',
    'redis:',
    'redis://',
    'redis:///0',
    'redis:6379',
    'redis://:hunter2@redis:port',
    'redis://:hunter2@redis:99999',
    'http://:hunter2@redis',
    'rediss:redis',
    'redis://redis/abc',
    'redis://redis/1x',
    'redis://redis/-1',
    'redis://redis/1.5',
    'redis://redis/0/1',
    'redis://redis//1',
    'redis://redis/1#x',
    'redis://hunter2:%zz@redis',
    'redis://:hunter2%zz@redis',
    'redis://:hunter2%@redis',
    'redis://:hunter2#1@redis',
    'redis://:hunter2/1@redis',
  ])('refuses REDIS_URL=%s, without repeating what may be a password', (value) => {
    expect(fault({ REDIS_URL: value })).toBe(
      'REDIS_URL must be redis://USER:PASSWORD@HOST:PORT/NUMBER, of which only HOST is needed, or rediss:// for TLS, with ' +
        'characters such as #, / and @ in the password written as %23, %2F and %40.',
    )
  })

  test.each([
    'redis://redis',
    'redis://redis/',
    'redis://redis:6380/0',
    'rediss://[::1]:6380/15',
    'redis://lim:p%23%2F%40@redis/3',
    'redis://:secret@redis',
  ])('reads REDIS_URL=%s', (REDIS_URL) => {
    expect(readConfig({ REDIS_URL }).redisUrl).toBe(REDIS_URL)
  })

  test.each([
    ['1', 1],
    ['16', 16],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['192.0.2.7, fd00::/8', ['192.0.2.7', 'fd00::/8']],
    ['0.0.0.0/1', ['0.0.0.0/1']],
    ['::ffff:10.0.0.0/104', ['::ffff:10.0.0.0/104']],
  ])('reads TRUST_PROXY=%s, and every request can be read by it', (TRUST_PROXY, expected) => {
    const { trustProxy } = readConfig({ TRUST_PROXY })
    expect(trustProxy).toEqual(expected)
    expect(() => addressReader(trustProxy)).not.toThrow()
  })

  test.each([
    '0',
    '17',
    'true',
    'loopback',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8,::/0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.1/16',
    '64:ff9b::192.0.2.7/96',
    '10.0.0.1,',
  ])('refuses TRUST_PROXY=%s', (value) => {
    expect(fault({ TRUST_PROXY: value })).toBe(
      'TRUST_PROXY must be a number of proxies, 1 to 16, or their networks, such as 10.0.0.0/8 (not /0, which would ' +
        `trust everybody), not ${JSON.stringify(value)}.`,
    )
  })

  test('names every fault, a line each', () => {
    const message = fault({ PORT: 'x', LOG_LEVEL: 'x', DATABASE_URL: 'x', SHUTDOWN_GRACE_MS: 'x', CORS_ORIGINS: 'x' })
    const names = message.split('\n').map((line) => line.split(' ')[0])
    expect(names.toSorted()).toEqual(['CORS_ORIGINS', 'DATABASE_URL', 'LOG_LEVEL', 'PORT', 'SHUTDOWN_GRACE_MS'])
  })

  test('a value cannot forge a line of the message', () => {
    expect(fault({ PORT: '1\nFAKE must be x.' }).split('\n')).toHaveLength(1)
  })
})
