import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { closingMs, readConfig } from '../../src/config/config.ts'
import { isOwnPath } from '../../src/contract/own-paths.ts'
import { runCommand, testFolder, works } from '../support/process.ts'

const folder = testFolder()

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(root + file, 'utf8')
const manifest = 'examples/deploy/kubernetes/animal-store.yaml'

interface Container {
  env: { name: string; value?: string }[]
  securityContext: object
  resources: { limits: { memory: string } }
  startupProbe: Probe
  livenessProbe: Probe
  readinessProbe: Probe
}
interface Probe {
  httpGet: { path: string; port: string }
  timeoutSeconds?: number
}
interface Deployment {
  kind: string
  spec: {
    template: {
      metadata: { labels: object }
      spec: { terminationGracePeriodSeconds: number; securityContext: object; containers: Container[] }
    }
  }
}

/** The settings that a deployment gives, as the start reads them; throws for one that it would refuse. */
function settingsOf(env: Record<string, string>): ReturnType<typeof readConfig> {
  const known = new Set<string>()
  const given = { DATABASE_URL: 'postgres://a@b/c', REDIS_URL: 'redis://d', ...env }
  const asked = new Proxy(given, { get: (all, name) => (known.add(String(name)), Reflect.get(all, name) as unknown) })
  const config = readConfig(asked)
  expect(Object.keys(given).filter((name) => !known.has(name))).toEqual([])
  return config
}

describe('the manifests of Kubernetes', () => {
  const documents = parseAllDocuments(read(manifest)).map((one) => one.toJS() as Deployment)
  const [deployment] = documents
  const pod = deployment?.spec.template.spec
  const [container] = pod?.containers ?? []
  const strict = (file: string): ReturnType<typeof runCommand> =>
    runCommand('python3', ['-m', 'kubernetes_validate', '--strict', '--no-warn', file], {
      env: { HOME: process.env.HOME },
    })
  const testSchemas = works('python3', ['-c', 'import kubernetes_validate']) ? test : test.skip

  testSchemas('follow the published schemas, strictly (skipped without kubernetes-validate of Python)', async () => {
    const { code, stdout, stderr } = await strict(root + manifest)
    expect({ code, stderr: stderr.match(/ERROR.*/g) }).toEqual({ code: 0, stderr: null })
    expect((stdout + stderr).match(/passed for resource \w+/g)).toHaveLength(documents.length)
    writeFileSync(`${folder}/wrong.yaml`, read(manifest).replace('readOnlyRootFilesystem', 'readonlyRootFilesystem'))
    const wrong = await strict(`${folder}/wrong.yaml`)
    expect(wrong.code).not.toBe(0)
    expect(wrong.stdout + wrong.stderr).toContain('readonlyRootFilesystem')
  })

  test('give settings that the start accepts, and more time to end than it takes', () => {
    const values = container?.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]))
    const config = settingsOf({ NODE_ENV: 'production', HOST: '0.0.0.0', ...Object.fromEntries(values ?? []) })
    const longestMs = config.shutdownDelayMs + config.shutdownGraceMs + closingMs
    expect((pod?.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(longestMs)
    expect(config.shutdownDelayMs).toBeGreaterThan(0)
  })

  test('ask the probes that there are, and give /readyz the time that it may need', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container ?? ({} as Container)
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: '/livez', port: 'http' },
      { path: '/livez', port: 'http' },
      { path: '/readyz', port: 'http' },
    ])
    for (const { httpGet } of [livenessProbe, readinessProbe]) expect(isOwnPath(httpGet.path)).toBe(true)
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(5)
  })

  test('let the process do nothing but serve', () => {
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container?.resources.limits.memory).toMatch(/^\d+Mi$/)
  })

  test('select the pods of the Deployment, all of them', () => {
    const labels = deployment?.spec.template.metadata.labels
    const selectors = documents.map(({ spec }) => (spec as unknown as { selector: { matchLabels?: object } }).selector)
    for (const selector of selectors) expect(selector.matchLabels ?? selector).toEqual(labels)
    expect(documents.map(({ kind }) => kind)).toEqual(['Deployment', 'PodDisruptionBudget', 'Service'])
  })
})

describe('compose.yaml', () => {
  interface Service {
    read_only: boolean
    cap_drop: string[]
    security_opt: string[]
    mem_limit: string
    logging: { options: Record<string, string> }
    environment?: Record<string, string | number>
    stop_grace_period?: string
  }
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> }

  test.each(Object.entries(services))('hardens %s', (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(service.mem_limit).toMatch(/^\d+[mg]$/)
    expect(service.logging.options).toEqual({ 'max-size': '10m', 'max-file': '5' })
  })

  test('gives settings that the start accepts, and more time to end than it takes', () => {
    const { environment = {}, stop_grace_period: period = '' } = services.api ?? ({} as Service)
    const values = Object.entries(environment).map(([name, value]) => [name, String(value).replace(/\$\{.*?\}/, 'x')])
    const config = settingsOf({ NODE_ENV: 'production', ...(Object.fromEntries(values) as Record<string, string>) })
    const longestMs = config.shutdownDelayMs + config.shutdownGraceMs + closingMs
    expect(Number(/^(\d+)s$/.exec(period)?.[1]) * 1000).toBeGreaterThan(longestMs)
  })
})

describe('the unit of systemd', () => {
  const unit = read('examples/animal-store.service')

  test('lets the process do nothing but serve, within bounds', () => {
    for (const line of [
      ...['NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=', 'ProtectKernelLogs=yes'],
      ...['MemoryMax=512M', 'LimitNOFILE=65536', 'LogRateLimitBurst=100000', 'DynamicUser=yes'],
    ]) {
      expect(unit.split('\n')).toContain(line)
    }
  })

  const testSystemd = works('systemd-analyze', ['--version']) ? test : test.skip
  testSystemd('is what systemd can read, and exposes little (skipped without systemd-analyze)', async () => {
    const file = `${root}examples/animal-store.service`
    const { stdout, stderr } = await runCommand('systemd-analyze', ['security', '--offline=true', file])
    expect(stderr).not.toMatch(/Unknown|Failed to parse/)
    const [, level] = /Overall exposure level for animal-store\.service: ([\d.]+)/.exec(stdout) ?? []
    expect(Number(level)).toBeLessThanOrEqual(3)
  })
})
