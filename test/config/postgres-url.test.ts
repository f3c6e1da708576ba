import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { readConfig } from '../../src/config/config.ts'
import { driverUrl, loginOf, readPostgresUrl, remarksOn, type PostgresUrl } from '../../src/config/postgres-url.ts'
import { testFolder } from '../support/process.ts'

const folder = testFolder()

function read(text: string): PostgresUrl {
  const url = readPostgresUrl(text)
  if (typeof url === 'string') throw new Error(url)
  return url
}

const parts = { hosts: [{ host: 'db', port: '' }], database: 'animals', user: '', password: '', parameters: {} }

describe('the URL of a PostgreSQL database', () => {
  // https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
  test.each<[string, Partial<PostgresUrl>]>([
    ['postgres://db/animals', {}],
    ['postgresql://db/animals', {}],
    ['postgresql://db:5433/animals', { hosts: [{ host: 'db', port: '5433' }] }],
    ['postgresql://db:/animals', {}],
    ['postgresql://store@db/animals', { user: 'store' }],
    ['postgresql://store:@db/animals', { user: 'store' }],
    ['postgresql://store:secret@db/animals', { user: 'store', password: 'secret' }],
    ['postgresql://store:p%23%2F%40%3F+%20@db/animals', { user: 'store', password: 'p#/@?+ ' }],
    ['postgresql://store:a:b@c@db/animals', { user: 'store', password: 'a:b@c' }],
    ['postgresql://st%C3%B6re@db/animals', { user: 'störe' }],
    ['postgresql:///animals?host=db&port=5433', { hosts: [{ host: 'db', port: '5433' }] }],
    ['postgresql://ignored/animals?host=db', {}],
    ['postgresql://db/?dbname=animals', {}],
    ['postgresql://db?dbname=animals', {}],
    ['postgresql://db/animals?user=store&password=a%26b+c', { user: 'store', password: 'a&b+c' }],
    ['postgresql://[2001:db8::1234]/animals', { hosts: [{ host: '2001:db8::1234', port: '' }] }],
    ['postgresql://[::1]:5433/animals', { hosts: [{ host: '::1', port: '5433' }] }],
    ['postgresql://%2Fvar%2Flib%2Fpostgresql/animals', { hosts: [{ host: '/var/lib/postgresql', port: '' }] }],
    ['postgresql:///animals?host=/var/run/postgresql', { hosts: [{ host: '/var/run/postgresql', port: '' }] }],
    [
      'postgresql://store:p%40ss@/animals?host=/var/run/postgresql&port=5433',
      { hosts: [{ host: '/var/run/postgresql', port: '5433' }], user: 'store', password: 'p@ss' },
    ],
    [
      'postgresql://a:1,[::1],c/animals?target_session_attrs=read-write',
      {
        hosts: [
          { host: 'a', port: '1' },
          { host: '::1', port: '' },
          { host: 'c', port: '' },
        ],
        parameters: { target_session_attrs: 'read-write' },
      },
    ],
    [
      'postgresql:///animals?host=a,/run/postgresql&port=1,2',
      {
        hosts: [
          { host: 'a', port: '1' },
          { host: '/run/postgresql', port: '2' },
        ],
      },
    ],
    [
      'postgresql:///animals?host=a,b&port=1',
      {
        hosts: [
          { host: 'a', port: '1' },
          { host: 'b', port: '1' },
        ],
      },
    ],
    ['postgresql://db/a%2Fb%20%25c', { database: 'a/b %c' }],
    ['postgresql://db/animals?sslmode=verify-full', { parameters: { sslmode: 'verify-full' } }],
    [
      'postgresql://db/animals?options=-c%20search_path%3Dapp&application_name=my%20app',
      { parameters: { options: '-c search_path=app', application_name: 'my app' } },
    ],
  ])('%s is read as by libpq, and so by the driver', (text, expected) => {
    const url = read(text)
    expect(url).toEqual({ ...parts, ...expected })
    const [first = { host: '', port: '' }] = url.hosts
    const client = new pg.Client({ connectionString: driverUrl(url, first) })
    expect(client).toMatchObject({ host: first.host, port: Number(first.port || '5432'), database: url.database })
    if (url.user !== '') expect(client.user).toBe(url.user)
    if (url.password !== '') expect(client.password).toBe(url.password)
    const { connectionParameters } = client as unknown as { connectionParameters: Record<string, unknown> }
    const { sslmode, target_session_attrs: _, ...others } = url.parameters
    expect(connectionParameters).toMatchObject(others)
    expect(connectionParameters.ssl).toEqual(sslmode === undefined ? false : {})
  })

  test.each([
    ['sslmode=disable', false],
    ['sslmode=no-verify', { rejectUnauthorized: false }],
    ['sslmode=prefer', {}],
    ['sslmode=require', {}],
    ['sslmode=verify-ca', {}],
    ['sslmode=verify-full', {}],
    ['ssl=true', {}],
    ['sslrootcert=system', {}],
    ['sslrootcert=system&sslmode=verify-full', {}],
    ['sslmode=require&channel_binding=require', {}],
    ['ssl=true&sslmode=disable', {}],
  ])('?%s makes TLS as documented, without a warning', (query, ssl) => {
    const warnings: unknown[] = []
    const note = (warning: unknown): unknown => warnings.push(warning)
    process.on('warning', note)
    const client = new pg.Client({
      connectionString: driverUrl(read(`postgres://db/animals?${query}`), { host: 'db', port: '' }),
    })
    process.off('warning', note)
    expect((client as unknown as { ssl: unknown }).ssl).toEqual(ssl)
    expect(warnings).toEqual([])
  })

  test.each([
    ['sslmode=require&channel_binding=require', ['channel_binding=require is done where the server offers it']],
    ['sslrootcert=system', ['sslrootcert=system means the authorities that Node.js knows']],
    ['connect_timeout=10', ['connect_timeout is not used, since the service sets its own time-outs']],
    [
      'keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=5',
      ['', '_idle', '_interval', '_count'].map(
        (end) =>
          `keepalives${end} is not used, since the service keeps connections alive by the settings of the system`,
      ),
    ],
    ['gssencmode=prefer', ['gssencmode is taken as disable, since the driver has no GSSAPI']],
    ['load_balance_hosts=random', ['load_balance_hosts is not used: hosts are tried in their order']],
    ['target_session_attrs=any&sslmode=disable&client_encoding=UTF8&ssl_min_protocol_version=TLSv1.2', []],
  ])('?%s is accepted, and the log says what is not done to the letter', (query, remarks) => {
    expect(remarksOn(read(`postgres://db/animals?${query}`))).toEqual(remarks)
    const { warnings } = readConfig({ DATABASE_URL: `postgres://db/animals?${query}` })
    expect(warnings).toEqual(remarks.map((remark) => `DATABASE_URL: ${remark}`))
  })

  test.each([
    ['sslrootcert=system&sslmode=disable', 'has sslrootcert=system, which needs sslmode=verify-full'],
    ['channel_binding=require', 'has channel_binding=require, which needs sslmode=verify-full'],
    ['channel_binding=require&sslmode=no-verify', 'has channel_binding=require, which needs sslmode=verify-full'],
    ['passfile=/nowhere/pass', 'has a passfile that names "/nowhere/pass", and there is no such file'],
  ])('?%s contradicts itself', (query, why) => {
    expect(readPostgresUrl(`postgres://db/animals?${query}`)).toBe(why)
  })

  test('takes the password from its passfile, as libpq does', () => {
    const file = join(folder, 'pass')
    writeFileSync(
      file,
      [
        '# hosts',
        'other:*:*:*:wrong',
        'db:5433:*:store:wrong',
        String.raw`db:5432:a\:b:store:hun\:ter`,
        '*:*:*:*:last',
      ].join('\n'),
    )
    const login = (url: string): unknown => {
      const found = read(url)
      return loginOf(found, found.hosts[0] ?? { host: '', port: '' })
    }
    expect(login(`postgres://store@db/a:b?passfile=${file}`)).toEqual({ user: 'store', password: 'hun:ter' })
    expect(login(`postgres://store@elsewhere/animals?passfile=${file}`)).toEqual({ user: 'store', password: 'last' })
    expect(login(`postgres://store:own@db/a:b?passfile=${file}`)).toEqual({ user: 'store', password: 'own' })
    writeFileSync(file, 'other:*:*:*:hunter2')
    expect(readPostgresUrl(`postgres://store@db/animals?passfile=${file}`)).toBe('has a passfile without a line for it')
    writeFileSync(file, '')
    expect(readPostgresUrl(`postgres://store@db/animals?passfile=${file}`)).toBe(
      `has a passfile that names "${file}", which is empty`,
    )
  })

  const all =
    'host, port, user, password, dbname, sslmode, ssl, sslrootcert, sslcert, sslkey, sslnegotiation, application_name, ' +
    'options, target_session_attrs, passfile, channel_binding, load_balance_hosts, connect_timeout, tcp_user_timeout, ' +
    'keepalives, keepalives_idle, keepalives_interval, keepalives_count, gssencmode, sslcompression, sslsni, ' +
    'ssl_min_protocol_version, client_encoding, fallback_application_name'
  test.each([
    'sslmod=verify-full',
    'SSLMODE=verify-full',
    'schema=app',
    'statement_timeout=0',
    'service=animals',
    'pgbouncer=true',
    'uselibpqcompat=true',
    'hostaddr=10.0.0.1',
    'constructor=1',
    '__proto__=1',
    '=x',
    ' sslmode=disable',
  ])('?%s is an unknown parameter, which is named', (query) => {
    const [name = ''] = query.split('=')
    expect(readPostgresUrl(`postgres://db/animals?sslmode=disable&${query}`)).toBe(
      `has the unknown parameter ${JSON.stringify(name)}; known are ${all}`,
    )
  })

  test.each([
    ['sslmode=verify-ful', 'sslmode', 'disable, no-verify, prefer, require, verify-ca or verify-full'],
    ['sslmode=Require', 'sslmode', 'disable, no-verify, prefer, require, verify-ca or verify-full'],
    ['sslmode=allow', 'sslmode', 'disable, no-verify, prefer, require, verify-ca or verify-full'],
    ['sslmode=verify-full%0D', 'sslmode', 'disable, no-verify, prefer, require, verify-ca or verify-full'],
    ['sslmode', 'sslmode', 'disable, no-verify, prefer, require, verify-ca or verify-full'],
    ['ssl=false', 'ssl', 'true'],
    ['sslrootcert=', 'sslrootcert', 'a file'],
    ['sslnegotiation=Direct', 'sslnegotiation', 'postgres or direct'],
    ...['standby', 'read-only', 'prefer-standby', ''].map((value) => [
      `target_session_attrs=${value}`,
      'target_session_attrs',
      'any, read-write or primary, since creates need a server that takes writes',
    ]),
    ['gssencmode=require', 'gssencmode', 'disable or prefer, since the driver has no GSSAPI'],
    ['connect_timeout=soon', 'connect_timeout', 'a whole number'],
  ])('?%s is a wrong value', (query, name, allowed) => {
    expect(readPostgresUrl(`postgres://db/animals?${query}`)).toBe(`has a wrong ${name}; it must be ${allowed}`)
  })

  test.each([
    ['postgres://user:hunter2@/animals', 'must name a host'],
    ['postgres:///animals', 'must name a host'],
    ['postgres://', 'must name a host'],
    ['postgres://db1,/animals', 'must name a host'],
    [
      'postgres://db1:1,db2:2,db3:3/animals?port=1,2',
      'must have a port for each host, or one for all, and has 2 for 3',
    ],
    ['postgres://user:hunter2@db', 'must name a database'],
    ['postgres://user:hunter2@db/', 'must name a database'],
    ['postgres://user:hunter2@db/a%3Fb', 'must name a database without ? and #'],
    ['postgres:user:hunter2@db/animals', 'must be postgres://'],
    ['POSTGRES://user:hunter2@db/animals', 'must be postgres://'],
    ['postgres://user:hunter2#1@db/animals', 'must be postgres://'],
    ['postgres://user:hunter2/1@db/animals', 'must be postgres://'],
    ['postgres://user:12#hunter2@db/animals', 'must be postgres://'],
    ['postgres://user:12/hunter2@db/animals', 'must be postgres://'],
    ['postgres://user:12?hunter2@db/animals', 'must be postgres://'],
    ['postgres://user:12/x?hunter2=1@db/animals', 'must be postgres://'],
    ['postgres://user:hunter2%zz@db/animals', 'must be postgres://'],
    ['postgres://user:hunter2%00@db/animals', 'must be postgres://'],
    ['postgres://user:hunter2@db:99999/animals', 'must be postgres://'],
    ['postgres://user:hunter2@db/animals?port=x', 'must be postgres://'],
    ['postgres://user:hunter2@[db]/animals', 'must be postgres://'],
  ])('%s is refused: it %s', (text, reason) => {
    const fault = readPostgresUrl(text)
    expect(fault).toEqual(expect.stringMatching(new RegExp(`^${reason.replaceAll('?', '\\?')}`)))
    expect(fault).not.toContain('hunter2')
  })
})
