import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { copyProject, type ProjectCopy } from '../support/project.ts'
import { hasPostgres } from '../support/servers/postgres-server.ts'

// the compiler and runs of jest, on a machine that may be busy
jest.setTimeout(300_000)

const root = fileURLToPath(new URL('../..', import.meta.url))

let project: ProjectCopy
beforeEach(() => {
  project = copyProject()
  for (const name of ['test', 'jest.config.js']) {
    cpSync(join(root, name), join(project.folder, name), { recursive: true })
  }
})
afterEach(() => {
  project.remove()
})

/** Declares a table `orders` without anything else. */
function declare(): void {
  const entry = "orders: { name: 'orders', called: 'orders', columns: { id: 'int64' }, key: ['id'] },"
  project.edit('src/store/schema.ts', '\n  keys: {\n', `\n  ${entry}\n  keys: {\n`)
}

function addInterface(): void {
  project.edit('src/store/store.ts', '\n  keys: KeyStore\n', '\n  keys: KeyStore\n  orders: object\n')
}

/** Adds a step that makes the table to the migrations of an engine. */
function migrate(steps: 'sqliteSteps' | 'postgresSteps'): void {
  const text = project.read('src/store/schema.ts')
  const end = text.indexOf('\n]', text.indexOf(`const ${steps}`))
  const key = steps === 'sqliteSteps' ? 'INTEGER PRIMARY KEY' : 'bigint PRIMARY KEY'
  project.write('src/store/schema.ts', `${text.slice(0, end)}\n  'CREATE TABLE orders (id ${key})',${text.slice(end)}`)
}

/** The errors of the compiler: the file of each with what is wrong in it. */
async function compilerErrors(): Promise<string[]> {
  const { output } = await project.compile()
  return [...output.matchAll(/^(src\/\S+)\(\d+,\d+\): (.*(?:\n .*)*)/gm)].map(
    ([, file = '', text = '']) => `${file}: ${text.split('\n').at(-1) ?? ''}`,
  )
}

/** The tests of the schema that fail, with what they tell. */
async function schemaTest(): Promise<{ failed: string[]; output: string }> {
  const { output } = await project.run(
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--verbose',
    'test/store/schema',
  )
  return { failed: [...output.matchAll(/^ {2}● (the schema in \w+)/gm)].map(([, name = '']) => name), output }
}

const engines = ['the schema in SQLite', ...(hasPostgres ? ['the schema in PostgreSQL'] : [])]

describe('a table that is forgotten', () => {
  test('by the interface is told by the compiler', async () => {
    declare()
    const errors = await compilerErrors()
    expect(errors[0]).toMatch(/^src\/store\/schema\.ts: .*'orders' does not exist/)
    for (const error of errors) expect(error).toContain("'orders' does not exist")
  })

  test('by the schema, or by an engine, is told by the compiler', async () => {
    addInterface()
    expect(await compilerErrors()).toEqual([
      expect.stringMatching(/^src\/store\/postgres\/stores\.ts: .*'orders' is missing/),
      expect.stringMatching(/^src\/store\/schema\.ts: .*'orders' is missing/),
      expect.stringMatching(/^src\/store\/sqlite\/stores\.ts: .*'orders' is missing/),
    ])
  })

  test('by the migrations is told by the test of the schema, for each engine', async () => {
    declare()
    const { failed, output } = await schemaTest()
    expect(failed).toEqual(engines)
    expect(output.match(/^ +- +"orders",$/gm)).toHaveLength(engines.length)
  })

  test('by the migrations of one engine is told by the test of the schema', async () => {
    declare()
    migrate('sqliteSteps')
    if (hasPostgres) expect((await schemaTest()).failed).toEqual(['the schema in PostgreSQL'])
    else expect((await schemaTest()).failed).toEqual([])
  })

  test('by the schema alone is told by its test, for each engine', async () => {
    migrate('sqliteSteps')
    migrate('postgresSteps')
    const { failed, output } = await schemaTest()
    expect(failed).toEqual(engines)
    expect(output.match(/^ +\+ +"orders",$/gm)).toHaveLength(engines.length)
  })
})
