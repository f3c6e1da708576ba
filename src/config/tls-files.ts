import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readSecretFile } from './secret-file.ts'
import { Wrong } from './setting.ts'

/** The files of a certificate authority of one's own, and of a client certificate with its key. */
const names = ['sslrootcert', 'sslcert', 'sslkey'] as const

/** What is wrong with the files for TLS that a URL names: the rest of a sentence. */
export function tlsFault(given: Readonly<Record<string, string>>, now = Date.now()): string | undefined {
  if ((given.sslcert === undefined) !== (given.sslkey === undefined)) return 'must have both sslcert and sslkey'
  for (const name of names) {
    const file = given[name]
    if (file === undefined || (name === 'sslrootcert' && file === 'system')) continue
    const text = readSecretFile(file)
    if (text instanceof Wrong) return `has a ${name} that ${text.why}`
    const ended = name === 'sslkey' ? undefined : endOf(text, now)
    if (ended !== undefined) return `has a ${name} that names ${JSON.stringify(file)}, ${ended}`
  }
  return undefined
}

/** Files for TLS, as Node takes them. */
export function tlsFiles(given: Readonly<Record<string, string>>): Record<'ca' | 'cert' | 'key', Buffer | undefined> {
  const [ca, cert, key] = names.map((name) => {
    const file = given[name]
    return file === undefined || file === 'system' ? undefined : readFileSync(file)
  })
  return { ca, cert, key }
}

/** Why the first certificate of a file is of no use. */
function endOf(pem: string, now: number): string | undefined {
  try {
    const { validTo } = new X509Certificate(pem)
    return Date.parse(validTo) < now ? `whose certificate expired on ${validTo}` : undefined
  } catch {
    return 'which has no certificate in PEM'
  }
}
