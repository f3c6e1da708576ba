import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { driverUrl, readPostgresUrl, type PostgresUrl } from '../../src/config/postgres-url.ts'

function read(text: string): PostgresUrl {
  const url = readPostgresUrl(text)
  if (typeof url === 'string') throw new Error(url)
  return url
}

const parts = { host: 'db', port: '', database: 'animals', user: '', password: '', parameters: {} }

describe('the URL of a PostgreSQL database', () => {
  // https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
  test.each<[string, Partial<PostgresUrl>]>([
    ['postgres://db/animals', {}],
    ['postgresql://db/animals', {}],
    ['postgresql://db:5433/animals', { port: '5433' }],
    ['postgresql://db:/animals', {}],
    ['postgresql://store@db/animals', { user: 'store' }],
    ['postgresql://store:@db/animals', { user: 'store' }],
    ['postgresql://store:secret@db/animals', { user: 'store', password: 'secret' }],
    ['postgresql://store:p%23%2F%40%3F+%20@db/animals', { user: 'store', password: 'p#/@?+ ' }],
    ['postgresql://store:a:b@c@db/animals', { user: 'store', password: 'a:b@c' }],
    ['postgresql://st%C3%B6re@db/animals', { user: 'störe' }],
    ['postgresql:///animals?host=db&port=5433', { port: '5433' }],
    ['postgresql://ignored/animals?host=db', {}],
    ['postgresql://db/?dbname=animals', {}],
    ['postgresql://db?dbname=animals', {}],
    ['postgresql://db/animals?user=store&password=a%26b+c', { user: 'store', password: 'a&b+c' }],
    ['postgresql://[2001:db8::1234]/animals', { host: '2001:db8::1234' }],
    ['postgresql://[::1]:5433/animals', { host: '::1', port: '5433' }],
    ['postgresql://%2Fvar%2Flib%2Fpostgresql/animals', { host: '/var/lib/postgresql' }],
    ['postgresql:///animals?host=/var/run/postgresql', { host: '/var/run/postgresql' }],
    [
      'postgresql://store:p%40ss@/animals?host=/var/run/postgresql&port=5433',
      { host: '/var/run/postgresql', port: '5433', user: 'store', password: 'p@ss' },
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
    const client = new pg.Client({ connectionString: driverUrl(url) })
    expect(client).toMatchObject({ host: url.host, port: Number(url.port || '5432'), database: url.database })
    if (url.user !== '') expect(client.user).toBe(url.user)
    if (url.password !== '') expect(client.password).toBe(url.password)
    const { connectionParameters } = client as unknown as { connectionParameters: Record<string, unknown> }
    const { sslmode, ...others } = url.parameters
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
    ['ssl=true&sslmode=disable', {}],
  ])('?%s makes TLS as documented, without a warning', (query, ssl) => {
    const warnings: unknown[] = []
    const note = (warning: unknown): unknown => warnings.push(warning)
    process.on('warning', note)
    const client = new pg.Client({ connectionString: driverUrl(read(`postgres://db/animals?${query}`)) })
    process.off('warning', note)
    expect((client as unknown as { ssl: unknown }).ssl).toEqual(ssl)
    expect(warnings).toEqual([])
  })

  const all =
    'host, port, user, password, dbname, sslmode, ssl, sslrootcert, sslcert, sslkey, sslnegotiation, application_name, options'
  test.each([
    'sslmod=verify-full',
    'SSLMODE=verify-full',
    'schema=app',
    'statement_timeout=0',
    'connect_timeout=10',
    'pgbouncer=true',
    'uselibpqcompat=true',
    'target_session_attrs=read-write',
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
  ])('?%s is a wrong value', (query, name, allowed) => {
    expect(readPostgresUrl(`postgres://db/animals?${query}`)).toBe(`has a wrong ${name}; it must be ${allowed}`)
  })

  test.each([
    ['postgres://user:hunter2@/animals', 'must name a host'],
    ['postgres:///animals', 'must name a host'],
    ['postgres://', 'must name a host'],
    ['postgres://db1,db2/animals', 'must name one host'],
    ['postgres://db1:5432,db2:5432/animals', 'must be postgres://'],
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
