import { afterAll, expect, test } from '@jest/globals'
import { endAll } from '../support/process.ts'
import { describePostgres, testPostgres } from '../support/servers/postgres.ts'
import { describePromtool, promtool } from '../support/servers/promtool.ts'
import { metricsText } from '../support/metrics.ts'
import { startService, type TestService } from '../support/service.ts'

afterAll(endAll)

async function check(service: TestService): Promise<void> {
  for (const path of ['/pets', '/pets/1', '/nothing']) await service.call('get', path)
  await service.call('post', '/pets').send({ name: 'Rex', categoryId: 7 }).expect(201)
  const checked = await promtool(['check', 'metrics'], await metricsText(service.port))
  expect(checked).toEqual({ code: 0, stdout: '', stderr: '' })
}

describePromtool('promtool check metrics', () => {
  test('has nothing to say on SQLite', async () => {
    const service = await startService()
    await check(service)
    await service.stop()
  })

  test('knows a name that is wrong', async () => {
    const checked = await promtool(['check', 'metrics'], '# TYPE some_total gauge\nsome_total 1\n')
    expect(checked).toMatchObject({ code: 3 })
  })

  describePostgres('on PostgreSQL', () => {
    test('has nothing to say, and the pool is shown', async () => {
      const server = await testPostgres()
      await server.start()
      const service = await startService({ DATABASE_URL: await server.newDatabase() })
      await check(service)
      const text = await metricsText(service.port)
      expect(text).toMatch(/^store_pool_connections\{state="in_use"\} 0$/m)
      expect(text).toMatch(/^store_pool_connections\{state="idle"\} [1-9]$/m)
      expect(text).toMatch(/^store_pool_waiting 0$/m)
      expect(text).toMatch(/^store_pool_failures_total 0$/m)
      expect(text).not.toMatch(/^store_free_bytes/m)
      for (const statement of ['operation="INSERT",table="pets"', 'operation="SELECT",table="keys"']) {
        expect(text).toMatch(new RegExp(`^store_statement_duration_seconds_count\\{${statement}\\} [1-9]`, 'm'))
      }
      await service.stop()
      await server.stop()
    })
  })
})
