import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { metricsText } from '../support/metrics.ts'
import { endAll } from '../support/process.ts'
import { describePromtool, promtool } from '../support/servers/promtool.ts'
import { startService } from '../support/service.ts'

const folder = fileURLToPath(new URL('../../examples/deploy/monitoring/', import.meta.url))
const read = (file: string): string => readFileSync(folder + file, 'utf8')

interface Alert {
  alert: string
  expr: string
  annotations: { runbook: string }
}
const { groups } = parse(read('alerts.yml')) as { groups: { rules: Alert[] }[] }
const alerts = groups.flatMap(({ rules }) => rules)
const { panels } = JSON.parse(read('dashboard.json')) as { panels: { title: string; targets: { expr: string }[] }[] }
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

let metrics: Set<string>
beforeAll(async () => {
  const service = await startService()
  const text = await metricsText(service.port)
  const types = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) => ({ name, type }))
  const ofHistogram = ['_bucket', '_sum', '_count']
  metrics = new Set([
    // Prometheus's own
    'up',
    ...types.flatMap(({ name, type }) =>
      type === 'histogram' || type === 'summary' ? ofHistogram.map((end) => name + end) : name,
    ),
  ])
  await service.stop()
})
afterAll(endAll)

/** The metrics of a query: its names that are neither functions, nor labels, nor words of the language. */
function metricsIn(query: string): string[] {
  const bare = query.replace(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring) \([^)]*\)/g, ' ')
  const names = Array.from(bare.matchAll(/\b[a-z]\w*(?!\w*\s*\()/g), ([name]) => name)
  return names.filter((name) => !['and', 'or', 'unless', 'by', 'sum', 'count', 'min', 'max', 'e9'].includes(name))
}

test('the alerts and the dashboard ask for metrics that there are', () => {
  expect(metricsIn('sum by (le) (rate(a_bucket{x="y"}[5m])) / b_total > 0.5 or c == 1e9')).toEqual([
    'a_bucket',
    'b_total',
    'c',
  ])
  for (const query of [...alerts.map(({ expr }) => expr), ...queries]) {
    const asked = metricsIn(query)
    expect({ query, asked: asked.length > 0 }).toEqual({ query, asked: true })
    expect({ query, unknown: asked.filter((name) => !metrics.has(name)) }).toEqual({ query, unknown: [] })
  }
})

test('every metric of ours is on the dashboard or in an alert', () => {
  const asked = new Set([...alerts.map(({ expr }) => expr), ...queries].flatMap(metricsIn))
  const ours = [...metrics].filter((name) => !/^(nodejs|process)_|_(sum|count|bucket)$/.test(name))
  expect(ours.filter((name) => !asked.has(name))).toEqual(neitherShown)
})

/** Each of these is counted by another one as well. */
const neitherShown = ['deprecated_requests_total', 'quota_bans_total', 'redis_command_failures_total']

test('every alert has a heading in the runbook with what to do, and every heading an alert', () => {
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
  const sections = Array.from(runbook.matchAll(/^## (\w+)\n\n([^#]+)/gm), ([, name = '', text = '']) => ({
    name,
    text,
  }))
  expect(sections.map(({ name }) => name)).toEqual(alerts.map(({ alert }) => alert))
  for (const { text } of sections) expect(text.trim().split(/\. |: /).length).toBeGreaterThan(1)
  for (const { alert, annotations } of alerts)
    expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
})

describePromtool('promtool', () => {
  test('accepts the alerts, and each of them fires when it should and not otherwise', async () => {
    expect(await promtool(['check', 'rules', `${folder}alerts.yml`])).toMatchObject({ code: 0 })
    const tested = await promtool(['test', 'rules', `${folder}alerts.test.yml`])
    expect(tested).toMatchObject({ code: 0, stderr: '' })
    const { tests } = parse(read('alerts.test.yml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[]
    }
    const fired = tests.flatMap(({ alert_rule_test: all }) =>
      all.flatMap(({ alertname, exp_alerts }) => (exp_alerts.length > 0 ? alertname : [])),
    )
    expect(fired).toEqual(alerts.map(({ alert }) => alert))
  })
})
