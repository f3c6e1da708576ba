import { thisPackage } from '../package.ts'
import { postgresForm, readPostgresUrl, type PostgresUrl } from './postgres-url.ts'
import { current, type Secret } from './secret-file.ts'
import { quoted, strayCharacter } from './setting.ts'

/** An SQLite file, relative to the working directory, or a PostgreSQL database. */
export type Database = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: PostgresUrl }

/** Reads DATABASE_URL, and adds what is wrong with it to the faults. */
export function database(secret: Secret, faults: string[]): Database {
  const read = readDatabaseUrl(secret.text)
  if (typeof read === 'string') {
    faults.push(`${secret.name} ${read}.`)
    return { engine: 'sqlite', file: '' }
  }
  const now = current(secret, (text) => {
    const again = readDatabaseUrl(text)
    return typeof again !== 'string' && again.engine === 'postgres' ? again.url : undefined
  })
  return read.engine === 'postgres' && now ? { ...read, url: { ...read.url, now } } : read
}

const defaultFile = `data/${thisPackage.command}.db`
const databaseForms = `sqlite:FILE, such as sqlite:${defaultFile}, or ${postgresForm}`

/** Parses DATABASE_URL. Returns a message when it is wrong, without the value, which may contain a password. */
export function readDatabaseUrl(text: string): Database | string {
  const stray = strayCharacter(text)
  if (stray !== undefined) return `must be ${databaseForms}; ${stray}`
  if (/^postgres(ql)?:/i.test(text)) {
    const read = readPostgresUrl(text)
    return typeof read === 'string' ? read : { engine: 'postgres', url: read }
  }
  const file = text === '' ? defaultFile : /^sqlite:(?:\/\/(?=\/))?((?!\/\/)[^?#]+)$/.exec(text)?.[1]
  const mark = Object.keys(shellMarks).find((one) => shellMarks[one]?.test(file ?? ''))
  if (mark !== undefined) {
    return `must name its file by the whole path; only a shell replaces the ${mark} in it, and none did`
  }
  return file === undefined || file.endsWith('/') || file === ':memory:'
    ? `must be ${databaseForms}${text.startsWith('sqlite:') ? unknownParameters(text) : ''}`
    : { engine: 'sqlite', file }
}

/** What shells replace in a path. A file that is really called so has to be renamed. */
const shellMarks: Readonly<Record<string, RegExp>> = {
  '~': /^~|\/~(\/|$)/,
  $: /\$[A-Za-z_{(]/,
  '%': /%\w+%/,
  '`': /`/,
}

/** Names the parameters of a URL that takes none, for the end of a sentence, unless they may be a part of a password. */
function unknownParameters(text: string): string {
  const query = /^[^?#]*\?([^#@]+)$/.exec(text)?.[1]
  if (query === undefined) return ''
  const names = query.split('&').map((one) => quoted(one.replace(/=.*/s, '')))
  return `, without the parameter${names.length > 1 ? 's' : ''} ${names.join(', ')}`
}
