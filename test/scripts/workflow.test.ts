import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'

interface Step {
  uses?: string
  with?: Record<string, unknown>
  run?: string
  env?: Record<string, string>
}
interface Job {
  permissions?: unknown
  strategy?: { matrix: { node: number[] } }
  steps: Step[]
}
interface Workflow {
  permissions: unknown
  concurrency: { group: string }
  jobs: { test: Job; outsiders: Job; contract: Job }
}
interface Package {
  engines: { node: string }
  scripts: Record<string, string>
}

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')
const text = read('.github/workflows/ci.yml')
const workflow = parse(text) as Workflow
const { engines, scripts } = JSON.parse(read('package.json')) as Package
const jobs = Object.values(workflow.jobs)
const steps = jobs.flatMap((job) => job.steps)

describe('the workflow of GitHub', () => {
  test('takes every action at a commit, and says which release that is', () => {
    const used = [...text.matchAll(/^\s*-? *uses: (.*)$/gm)].map(([, action]) => action)
    expect(used).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length)
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('may read the repository and nothing else, and leaves no credentials behind', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    for (const { permissions } of jobs) expect(permissions).toBeUndefined()
    expect(text).not.toMatch(/secrets\.|pull_request_target/)
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with).toMatchObject({ 'persist-credentials': false })
    }
  })

  test('runs on every even Node from the one that package.json promises to the newest that is tried', () => {
    const oldest = Number(/^>=(\d+)\./.exec(engines.node)?.[1])
    expect(workflow.jobs.test.strategy?.matrix.node).toEqual([oldest, 22, 24, 26])
  })

  test('checks and tests with servers that tests may not do without', () => {
    const run = workflow.jobs.test.steps.map((step) => step.run)
    expect(run).toEqual(expect.arrayContaining(['npm run check', 'npm test']))
    expect(run.join('\n')).toMatch(/apt-get install .*redis-server postgresql/)
    for (const command of ['npm test', 'npm run test:slow']) {
      const step = workflow.jobs.test.steps.find(({ run }) => run === command)
      expect(step?.env).toEqual({ REQUIRE_SERVERS: '1' })
    }
  })

  test('audits the packages that the service runs on, and holds it to its contract', () => {
    const run = workflow.jobs.outsiders.steps.map((step) => step.run)
    expect(run.slice(-2)).toEqual(['npm audit --omit=dev --audit-level=high', 'npm run conformance'])
    expect(read('.ci/run')).toContain('npm audit --omit=dev --audit-level=high')
  })

  test('compares the contract with all history at hand', () => {
    const [checkout] = workflow.jobs.contract.steps
    expect(checkout?.with).toMatchObject({ 'fetch-depth': 0 })
    const run = workflow.jobs.contract.steps.map((step) => step.run ?? '').join('\n')
    expect(run).toContain('contract:diff -- --format github')
    expect(run).toContain('contract:diff -- --format markdown')
  })

  test('runs only commands that there are, and the newest run of a branch alone', () => {
    const called = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name)
    expect(called.length).toBeGreaterThan(0)
    for (const name of called) expect(scripts).toHaveProperty([name])
    expect(workflow.concurrency.group).toContain('github.ref')
  })
})
