import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An authority, and what it has signed for servers on this machine and for their clients. */
export interface TestTls {
  file: (name: 'ca.pem' | 'server.pem' | 'server.key' | 'client.pem' | 'client.key') => string
  /** What redis-server needs to speak TLS alone on a port, with clients, other nodes and Sentinels that show a certificate. */
  settings: (port: number) => Record<string, string>
  /** What a client needs. */
  client: Record<'ca' | 'cert' | 'key', Buffer>
  /** The parameters of a URL that say so. */
  query: string
}

/** Makes the files in a folder. */
export function testTls(folder: string): TestTls {
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...key, '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2')
  for (const name of ['server', 'client']) {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.csr`]
    openssl('req', ...key, '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', ...files)
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy', '-days', '2']
    openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.pem`)
  }
  const file: TestTls['file'] = (name) => join(folder, name)
  return {
    file,
    settings: (port) => ({
      ...{ port: '0', 'tls-port': String(port), 'tls-replication': 'yes' },
      ...{
        'tls-ca-cert-file': file('ca.pem'),
        'tls-cert-file': file('server.pem'),
        'tls-key-file': file('server.key'),
      },
    }),
    client: {
      ca: readFileSync(file('ca.pem')),
      cert: readFileSync(file('client.pem')),
      key: readFileSync(file('client.key')),
    },
    query: `?sslrootcert=${file('ca.pem')}&sslcert=${file('client.pem')}&sslkey=${file('client.key')}`,
  }
}
