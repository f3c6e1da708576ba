export interface Config {
  /** Whether NODE_ENV is `production`: no first key is made, and answers are not checked against the contract. */
  production: boolean
  host: string
  /** 0 takes any free port. */
  port: number
  /** The SQLite file, relative to the working directory. */
  database: { engine: 'sqlite'; file: string }
  logLevel: LogLevel
  /** The address clients use, without a slash at its end; empty when it is not known. */
  publicUrl: string
  /** Origins that browsers may call from; `*` stands for all. */
  corsOrigins: readonly string[]
  shutdownGraceMs: number
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Reads the environment once, at the start. Wrong values throw one error that names each and what is allowed. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = []

  function read<T>(name: string, fallback: T, parse: (text: string) => T | undefined, allowed: string): T {
    const text = env[name]
    if (text === undefined || text === '') return fallback
    const value = parse(text)
    if (value === undefined) faults.push(`${name} must be ${allowed}, not ${JSON.stringify(text)}.`)
    return value ?? fallback
  }

  const config: Config = {
    production: env.NODE_ENV === 'production',
    host: env.HOST ?? '127.0.0.1',
    port: read('PORT', 8080, (text) => integer(text, 0, 65_535), 'a port, 0 to 65535'),
    // the value may carry a password, so the message does not repeat it
    database: database(env.DATABASE_URL ?? '', faults),
    logLevel: read('LOG_LEVEL', 'info', (text) => logLevels.find((level) => level === text), logLevels.join(', ')),
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
      '"*" or origins such as https://app.example.com, separated by commas',
    ),
    shutdownGraceMs: read(
      'SHUTDOWN_GRACE_MS',
      10_000,
      (text) => integer(text, 0, 600_000),
      'milliseconds, 0 to 600000',
    ),
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return config
}

function integer(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  return value >= min && value <= max ? value : undefined
}

function database(url: string, faults: string[]): Config['database'] {
  const file = url === '' ? 'data/animal-store.db' : /^sqlite:(?:\/\/(?=\/))?([^?#]+)$/.exec(url)?.[1]
  if (file === undefined || file.endsWith('/')) {
    faults.push('DATABASE_URL must be sqlite:FILE, such as sqlite:data/animal-store.db.')
  }
  return { engine: 'sqlite', file: file ?? '' }
}

function publicUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined
  return url.href.replace(/\/+$/, '')
}

function origins(text: string): string[] | undefined {
  const all = text.split(',').map((one) => one.trim())
  return all.every((one) => one === '*' || (URL.canParse(one) && new URL(one).origin === one)) ? all : undefined
}
