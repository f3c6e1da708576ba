import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runCommand, testFolder } from '../../support/process.ts'
import { describePostgres, testPostgres, type TestPostgres } from '../../support/servers/postgres.ts'
import { startService } from '../../support/service.ts'

const folder = testFolder()
const guide = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')

/** The commands of the guide in a block that has this text. */
function commandsWith(text: string): string {
  const blocks = Array.from(guide.matchAll(/```sh\n([^`]+)```/g), ([, block = '']) => block)
  return blocks.find((block) => block.includes(text)) ?? ''
}

describePostgres('the backup and restore of the guide, with an extension in the database', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await testPostgres()
    await server.start()
  })
  afterAll(() => server.stop())

  /** A database with an extension that only a superuser may make, and the URL of its owner, who is none. */
  async function databaseOf(role: string): Promise<string> {
    const url = await server.newDatabase()
    const name = new URL(url).pathname.slice(1)
    await server.sql(url, 'CREATE EXTENSION pg_stat_statements')
    await server.sql(url, `ALTER DATABASE ${name} OWNER TO ${role}`)
    return `postgres://${role}:${role}@127.0.0.1:${server.port}/${name}`
  }

  test('gives all back to the role of the service, which serves from it', async () => {
    await server.sql(await server.newDatabase(), `CREATE ROLE animals LOGIN PASSWORD 'animals'`)
    const from = await databaseOf('animals')
    const first = await startService({ DATABASE_URL: from })
    await first.call('post', '/pets').set('Idempotency-Key', 'k').send({ name: 'Rex', categoryId: 7 }).expect(201)
    const run = (commands: string, url: string): ReturnType<typeof runCommand> =>
      runCommand('sh', ['-ec', commands], { cwd: folder, env: { DATABASE_URL: url } })
    expect(await run(commandsWith('pg_dump --format=custom'), from)).toMatchObject({ code: 0, stderr: '' })
    await first.stop()

    const to = await databaseOf('animals')
    expect(await run(commandsWith('pg_restore --list'), to)).toMatchObject({ code: 0, stderr: '' })
    const second = await startService({ DATABASE_URL: to })
    const { key } = first
    const read = await second.call('get', '/pets').set('Authorization', `Bearer ${key}`).expect(200)
    expect(read.body).toEqual([{ id: 1, name: 'Rex', categoryId: 7, status: 'available' }])
    const again = second.call('post', '/pets').set('Authorization', `Bearer ${key}`).set('Idempotency-Key', 'k')
    expect((await again.send({ name: 'Rex', categoryId: 7 })).headers['idempotency-replayed']).toBe('true')
    const next = second.call('post', '/pets').set('Authorization', `Bearer ${key}`)
    expect((await next.send({ name: 'Tom', categoryId: 7 })).body).toMatchObject({ id: 2 })
    await second.stop()
  })

  test('would fail without leaving the extension out', async () => {
    const from = await databaseOf('animals')
    await (await startService({ DATABASE_URL: from })).stop()
    const to = await databaseOf('animals')
    const dump = `pg_dump --format=custom --file=whole.dump "$FROM"`
    const restore = `pg_restore --exit-on-error --no-owner --dbname="$DATABASE_URL" whole.dump`
    const env = { FROM: from, DATABASE_URL: to }
    const { code, stderr } = await runCommand('sh', ['-ec', `${dump}\n${restore}`], { cwd: folder, env })
    expect(code).not.toBe(0)
    expect(stderr).toContain('must be owner of extension pg_stat_statements')
  })
})
