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
  for (const name of ['test', 'examples', 'jest.config.js']) {
    cpSync(join(root, name), join(project.folder, name), { recursive: true })
  }
})
afterEach(() => {
  project.remove()
})

const requests = (key: string, bytes: string): string =>
  `CREATE TABLE crates_requests (caller text NOT NULL, key text NOT NULL, row_key ${key} NOT NULL, created_at ${key} NOT NULL,
   digest ${bytes}, answer text, PRIMARY KEY (caller, key)); CREATE INDEX crates_age ON crates_requests (created_at);`
const sqlite = `CREATE TABLE crates (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL);
   ${requests('INTEGER', 'BLOB').replaceAll(' text', ' TEXT')}`
const postgres = `CREATE TABLE crates (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, label text NOT NULL);
   ${requests('bigint', 'bytea')}`

interface Declaration {
  columns?: string
  more?: string
  steps?: readonly string[]
}

/** Declares a table `crates`, with what else is said of it, and the steps that make it. */
function declaration({
  columns = 'id: int64, label: text',
  more = '',
  steps = [sqlite, postgres],
}: Declaration): string {
  return `import { int64, table, text } from '../table.ts'

export const crates = table<{ id: bigint; label: string }>()({
  name: 'crates',
  called: 'crates',
  columns: { ${columns} },
  key: 'id',
  generated: true,
  lock: 77,
  steps: { sqlite: { 7: \`${steps[0] ?? ''}\` }, postgres: { 5: \`${steps[1] ?? ''}\` } },
  ${more}
})
`
}

/** Gives what `generate` says of a declaration. */
async function declare(one: Declaration = {}): Promise<{ code: number; output: string }> {
  project.write('src/store/tables/crates.ts', declaration(one))
  return project.generate()
}

/** The tests of the schema that fail, with what they tell. */
async function schemaTest(): Promise<{ failed: string[]; output: string }> {
  const args = [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--verbose',
    'test/store/schema',
    '-t',
    'declared',
  ]
  const { output } = await project.run(...args)
  return { failed: [...output.matchAll(/^ {2}● (the schema in \w+)/gm)].map(([, name = '']) => name), output }
}

const engines = ['the schema in SQLite', ...(hasPostgres ? ['the schema in PostgreSQL'] : [])]

describe('a table', () => {
  test('that is declared and made compiles, with its verbs for handlers, and is as it is declared', async () => {
    expect(await declare()).toMatchObject({ code: 0 })
    project.write(
      'src/handlers/getPet.ts',
      `${project.read('src/handlers/getPet.ts')}
import type { HandlerStores } from '../store/store.ts'
export const labelOf = async ({ crates }: HandlerStores): Promise<string | undefined> => (await crates.find(1n))?.label
`,
    )
    expect(await project.compile()).toEqual({ code: 0, output: '' })
    expect((await schemaTest()).failed).toEqual([])
  })

  test('that does not fit its type does not compile', async () => {
    const wrong = [
      { columns: 'id: int64' },
      { columns: 'id: int64, label: int64' },
      { columns: 'id: int64, label: text, size: int64' },
      { more: `filters: ['size'],` },
    ]
    for (const [index, one] of wrong.entries()) {
      project.write(`src/store/tables/wrong${index}.ts`, declaration(one))
    }
    const { output } = await project.compile()
    const faulty = new Set([...output.matchAll(/^src\/store\/tables\/(\w+)\.ts\(/gm)].map(([, name]) => name))
    expect(faulty).toEqual(new Set(['wrong0', 'wrong1', 'wrong2', 'wrong3']))
    expect(output).toMatch(/wrong3\.ts.*'"size"' is not assignable/)
  })

  test('that is not listed is told by the check of what is generated', async () => {
    expect(await declare()).toMatchObject({ code: 0 })
    project.write('generated/tables.ts', project.read('generated/tables.ts').replace('  crates,\n', ''))
    const { code, output } = await project.generate('--check')
    expect(code).toBe(1)
    expect(output).toContain('generated/tables.ts is stale: the folder src/store/tables/ has changed.')
  })

  test('whose steps are missing is told by the test of the schema, for each engine', async () => {
    expect(await declare({ steps: [] })).toMatchObject({
      code: 1,
      output: expect.stringContaining('crates') as unknown,
    })
    const { failed, output } = await schemaTest()
    expect(failed).toEqual(engines)
    expect(output).toContain('"crates"')
  })

  test('whose step is missing in one engine is told for that one', async () => {
    await declare({ steps: [sqlite] })
    expect((await schemaTest()).failed).toEqual(hasPostgres ? ['the schema in PostgreSQL'] : [])
  })

  test.each([
    ['a filter without an index', { more: `filters: ['label'],` }],
    ['uniqueness that is not kept', { more: `unique: [['label']],` }],
    ['a reference that is not kept', { more: `references: { id: 'pets' },` }],
    [
      'a column that may be null',
      { steps: [sqlite, postgres].map((step) => step.replace(/label (\w+) NOT NULL/, 'label $1')) },
    ],
  ])('that is declared with %s is told by the test of the schema, for each engine', async (_, declaration) => {
    expect(await declare(declaration)).toMatchObject({ code: 1, output: expect.stringContaining('crates') as unknown })
    expect((await schemaTest()).failed).toEqual(engines)
  })
})
