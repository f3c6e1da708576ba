import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { readRedisUrl, type RedisUrl } from '../../src/config/redis-url.ts'
import { testFolder } from '../support/process.ts'

const folder = testFolder()

/** Of two days in January 2020. */
const expired = `-----BEGIN CERTIFICATE-----
MIIBHzCBxQIUBNF23R8QQtpf7ocMbjg6fG7SivUwCgYIKoZIzj0EAwIwEjEQMA4G
A1UEAwwHZXhwaXJlZDAeFw0yMDAxMDEwMDAwMDBaFw0yMDAxMDIwMDAwMDBaMBIx
EDAOBgNVBAMMB2V4cGlyZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAToR6S6
YxgxpIR7Rp9A6etxNPRk8T+7lDcCwLlSG0NZsfbYRoEH2SOhPFmWGKBTNWArxXcT
Z6EIGTSvh/r5pWqoMAoGCCqGSM49BAMCA0kAMEYCIQCziCMg4YxdgtQZaSCM3MqN
YgghRGk4ackMw3b0PLBBjgIhAKQWqwSTMt3GA4RmhSBu8hCOzW6I1NB4sE3720Qe
4o0R
-----END CERTIFICATE-----
`

const parts: RedisUrl = {
  kind: 'single',
  nodes: [{ host: 'h', port: 6379 }],
  user: '',
  password: '',
  database: 0,
  tls: false,
  master: '',
  parameters: {},
}

const nodes = (...ports: number[]): RedisUrl['nodes'] =>
  ports.map((port, index) => ({ host: 'abc'.charAt(index), port }))

describe('the URL of a Redis', () => {
  test.each<[string, Partial<RedisUrl>]>([
    ['redis://h', {}],
    ['redis://h/2', { database: 2 }],
    ['rediss://u:p%40@h:1/', { user: 'u', password: 'p@', nodes: [{ host: 'h', port: 1 }], tls: true }],
    ['redis://[::1]:7', { nodes: [{ host: '::1', port: 7 }] }],
    ['redis://h?prefix=staging-2', { parameters: { prefix: 'staging-2' } }],
    ['rediss://h?sslmode=no-verify', { tls: true, parameters: { sslmode: 'no-verify' } }],
    ['redis+cluster://:p@a:1,b,c:3', { kind: 'cluster', password: 'p', nodes: nodes(1, 6379, 3) }],
    ['rediss+cluster://a/', { kind: 'cluster', tls: true, nodes: nodes(6379) }],
    ['redis+sentinel://a,b:2/main', { kind: 'sentinel', master: 'main', nodes: nodes(26_379, 2) }],
    [
      'redis+sentinel://u:p@a/main/3?sentinel_password=q%26',
      {
        ...{ kind: 'sentinel', master: 'main', user: 'u', password: 'p', database: 3, nodes: nodes(26_379) },
        parameters: { sentinel_password: 'q&' },
      },
    ],
  ])('%s is read', (text, expected) => {
    expect(readRedisUrl(text)).toEqual({ ...parts, ...expected })
    expect(readConfig({ REDIS_URL: text }).redisUrl).toBe(text)
  })

  test.each([
    ['redis://a,b', 'must name one host; several are redis+cluster://HOST1,HOST2 or redis+sentinel://HOST1,HOST2/NAME'],
    ['redis+sentinel://:hunter2@a,b', /^must be redis\+sentinel:.*, with the name of what they watch$/],
    ['redis+sentinel://a/main/x', /^must be redis/],
    ['redis+cluster://a/1', /^must be redis\+cluster:.* without a database, since a cluster has only one$/],
    ['redis+cluster://', /^must be redis:/],
    ['redis+cluster://a,', /^must be redis:/],
    ['redis+ring://a', /^must be redis:/],
    ['redis://h:99999', /^must be redis:/],
    ['redis://h?sslrootcert=/ca.pem', 'has sslrootcert without TLS; begin with rediss'],
    ['redis://h?sentinel_user=x', 'has sentinel_user, which is for redis+sentinel://'],
    ['redis://h?prefix=a:b', 'has a wrong prefix; it must be 1 to 64 letters, digits, dots, hyphens and underscores'],
    ['rediss://h?sslmode=require', 'has a wrong sslmode; it must be verify-full or no-verify'],
    ['rediss://h?sslcert=/c.pem', 'must have both sslcert and sslkey'],
    ['rediss://h?sslrootcert=/nowhere/ca', 'has a sslrootcert that names "/nowhere/ca", and there is no such file'],
  ])('%s is refused', (text, why) => {
    const fault = readRedisUrl(text)
    if (typeof why === 'string') expect(fault).toBe(why)
    else expect(fault).toEqual(expect.stringMatching(why))
    expect(fault).not.toContain('hunter2')
  })
})

describe.each([
  ['REDIS_URL', 'rediss://h'],
  ['DATABASE_URL', 'postgres://h/animals'],
])('the files for TLS of %s', (name, url) => {
  const faultOf = (query: string): string => {
    try {
      readConfig({ [name]: `${url}?${query}` })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }

  test.each([
    ['missing', undefined, 'and there is no such file'],
    ['empty', '', 'which is empty'],
    ['text', 'hello', 'which has no certificate in PEM'],
  ])('stop the start when one is %s', (what, text, why) => {
    const file = join(folder, `${name}-${what}`)
    if (text !== undefined) writeFileSync(file, text)
    expect(faultOf(`sslrootcert=${file}`)).toBe(`${name} has a sslrootcert that names "${file}", ${why}.`)
  })

  test('stop the start when a certificate has expired', () => {
    const [cert = '', key = ''] = ['cert', 'key'].map((one) => join(folder, `${name}-${one}.pem`))
    writeFileSync(cert, expired)
    writeFileSync(key, 'of no matter')
    expect(faultOf(`sslcert=${cert}&sslkey=${key}`)).toMatch(
      new RegExp(`^${name} has a sslcert that names ".*-cert.pem", whose certificate expired on .+\\.$`),
    )
  })
})
