import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config/config.ts'
import { readDatabaseUrl } from '../../src/config/database.ts'
import { testFolder } from '../support/process.ts'

const folder = testFolder()

function fileOf(text: string): string {
  const file = join(folder, `secret-${text.length}`)
  writeFileSync(file, text)
  return file
}

/** A right value for each setting that cannot be 1. */
const texts: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  HOST: 'localhost',
  DATABASE_URL: 'sqlite:data/x y.db',
  LOG_LEVEL: 'warn',
  LOG_FORMAT: 'pretty',
  PUBLIC_URL: 'https://api.example.com',
  CORS_ORIGINS: 'https://a.example, https://b.example',
  SUNSET_POLICY: 'gone',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_SDK_DISABLED: 'true',
  OTEL_TRACES_SAMPLER: 'always_on',
  TRUST_PROXY: '10.0.0.0/8, 192.0.2.7',
  DATABASE_URL_FILE: fileOf('sqlite:x.db'),
  REDIS_URL: 'redis://127.0.0.1:6379',
  REDIS_URL_FILE: fileOf('redis://127.0.0.1:6379'),
  BAN_SECONDS: '60, 300',
  KEEP_ALIVE_MS: '620000',
  HEAD_TIMEOUT_MS: '10000',
  REQUEST_TIMEOUT_MS: '60000',
  STALL_TIMEOUT_MS: '60000',
}

/** What stops the start, if anything does. */
function fault(env: Record<string, string>): string | undefined {
  try {
    readConfig(env)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Every variable that the configuration reads. */
const names: string[] = []
readConfig(
  new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_, name) => {
        names.push(String(name))
        return undefined
      },
    },
  ),
)
const valueOf = (name: string): string => texts[name] ?? '1'

const strays: readonly [what: string, character: string, escape: string][] = [
  ['a space', ' ', '\\u0020'],
  ['a carriage return', '\r', '\\r'],
  ['a line feed', '\n', '\\n'],
  ['a tab', '\t', '\\t'],
  ['a NUL', '\0', '\\u0000'],
  ['a no-break space', '\u00a0', '\\u00a0'],
  ['a soft hyphen', '\u00ad', '\\u00ad'],
  ['an ideographic space', '\u3000', '\\u3000'],
  ['a line separator', '\u2028', '\\u2028'],
  ['a zero-width space', '\u200b', '\\u200b'],
  ['a zero-width joiner', '\u200d', '\\u200d'],
  ['a change of direction', '\u202e', '\\u202e'],
  ['a byte order mark', '\ufeff', '\\ufeff'],
  ['a variation selector', '\ufe0f', '\\ufe0f'],
  ['a Hangul filler', '\u3164', '\\u3164'],
  ['an empty Braille pattern', '\u2800', '\\u2800'],
  ['a tag', '\u{e0041}', '\\u{e0041}'],
]

test('the names are those of the configuration', () => {
  expect(names).toEqual(expect.arrayContaining([...Object.keys(texts), 'PORT', 'WORKERS', 'BAN_AFTER']))
  expect(new Set(names).size).toBe(names.length)
})

describe.each(names)('%s', (name) => {
  const value = valueOf(name)

  test('takes a right value', () => {
    expect(fault({ [name]: value })).toBe(undefined)
  })

  test.each(strays)(
    'is refused with %s at its begin or end, which is shown, and what is allowed',
    (_, stray, escape) => {
      for (const [wrong, at] of [
        [stray + value, 1],
        [value + stray, value.length + 1],
        [stray, 1],
      ] as const) {
        const message = fault({ [name]: wrong }) ?? ''
        expect(message).toMatch(new RegExp(`^${name} must be .+\\.$`))
        expect(message.endsWith(`; its character ${at} is ${escape}.`)).toBe(true)
        // besides the visible text, only plain spaces may be in it
        expect(message).not.toMatch(/[^\P{C}]|[\u00a0\u2028\u2800\u3000\u3164\ufe0f]/u)
      }
    },
  )

  test.each(strays.slice(1))('is refused with %s inside', (_, stray, escape) => {
    const wrong = value.slice(0, 1) + stray + value.slice(1) + value
    expect(fault({ [name]: wrong })).toMatch(
      new RegExp(`^${name} must be .+; its character 2 is \\${escape.replace(/[{}]/g, '\\$&')}\\.$`),
    )
  })

  test('is refused when its own name has a character that cannot be seen', () => {
    expect(fault({ [`\ufeff${name}`]: value })).toBe(`${name} is set as "\\ufeff${name}".`)
    expect(fault({ [`${name} `]: value })).toBe(`${name} is set as "${name} ".`)
  })
})

test.each([
  ['DATABASE_URL', 'postgres://store:hunter2@db/animals\r', 36],
  ['DATABASE_URL', 'postgres://store:hunter2\u200b@db/animals', 25],
  ['REDIS_URL', 'redis://:hunter2@redis\r', 23],
])('%s is refused without its password', (name, url, at) => {
  const message = fault({ [name]: url })
  expect(message).toMatch(new RegExp(`; its character ${at} is \\\\(r|u200b)\\.$`))
  expect(message).not.toContain('hunter2')
})

test('the stores of a copy are read in the same way', () => {
  expect(readDatabaseUrl('sqlite:x.db ')).toMatch(/^must be sqlite:FILE, .+; its character 12 is \\u0020$/)
})

test('other variables may have any name and value', () => {
  expect(fault({ OTHER: 'x\r', 'OTHER ': ' ', '\ufeff': '' })).toBe(undefined)
})
