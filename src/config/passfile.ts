import { readSecretFile } from './secret-file.ts'
import { Wrong } from './setting.ts'

/** What a password is looked up for. */
export interface Login {
  host: string
  port: string
  database: string
  user: string
}

/**
 * The password that a file in the form of `~/.pgpass` has: https://www.postgresql.org/docs/current/libpq-pgpass.html
 * Undefined when no line matches.
 */
export function passwordIn(file: string, { host, port, database, user }: Login): string | Wrong | undefined {
  const text = readSecretFile(file)
  if (text instanceof Wrong) return text
  const wanted = [host.startsWith('/') ? 'localhost' : host, port || '5432', database, user]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = Array.from(line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g), ([, field = '']) => field)
    const matches = wanted.every((value, index) => fields[index] === '*' || plain(fields[index]) === value)
    if (matches && fields.length > wanted.length) return plain(fields[wanted.length])
  }
  return undefined
}

function plain(field = ''): string {
  return field.replace(/\\(.)/g, '$1')
}
