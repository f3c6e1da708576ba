import { describe, expect, test } from '@jest/globals'
import { banner } from '../src/banner.ts'
import { readConfig } from '../src/config/config.ts'

const start = {
  title: 'Animal Store Service 1.0.0',
  address: 'http://127.0.0.1:8080',
  apiRoot: '/v1',
  config: readConfig({}),
  activeKeys: 3,
  newKeyPlan: undefined,
}

test('the banner tells where everything is, and how to stop', () => {
  expect(banner(start, 80).split('\n')).toEqual([
    '',
    '  Animal Store Service 1.0.0',
    '',
    '  API    http://127.0.0.1:8080/v1',
    '  Docs   http://127.0.0.1:8080/docs',
    '  Home   http://127.0.0.1:8080/',
    '  Store  data/animal-store.db',
    '  Redis  none',
    '  Keys   3 active',
    '',
    '  Ctrl-C stops it.',
    '',
  ])
})

test.each([
  [{ activeKeys: 1, newKeyPlan: 'Free' }, 'Keys   1 active (new, Free plan)'],
  [{ activeKeys: undefined }, 'Keys   not known how many active'],
  [{ config: readConfig({ REDIS_URL: 'redis://:hunter2@cache:6379/1' }) }, 'Redis  cache:6379'],
  [
    { config: readConfig({ DATABASE_URL: 'postgres://store:hunter2@db:5433/animals' }) },
    'Store  PostgreSQL db:5433, animals',
  ],
  [
    { config: readConfig({ DATABASE_URL: 'postgres://store:hunter2@/animals?host=/run/postgresql' }) },
    'Store  PostgreSQL /run/postgresql, animals',
  ],
])('it tells of %j', (parts, line) => {
  const text = banner({ ...start, ...parts }, 80)
  expect(text.split('\n')).toContain(`  ${line}`)
  expect(text).not.toContain('hunter2')
})

describe.each([
  // one that does not know its width says 0
  [0, 79],
  [10, 39],
  [40, 39],
  [80, 79],
  [200, 79],
])('a terminal of %d columns', (columns, longest) => {
  test('gets lines that fit, with the name of the file', () => {
    const config = readConfig({ DATABASE_URL: `sqlite:/${'folder/'.repeat(30)}animals.db` })
    const lines = banner({ ...start, title: 'x'.repeat(100), config }, columns).split('\n')
    expect(Math.max(...lines.map((line) => Array.from(line).length))).toBe(longest)
    expect(lines.find((line) => line.includes('Store'))).toMatch(/^ {2}Store {2}….*\/animals\.db$/)
  })
})
