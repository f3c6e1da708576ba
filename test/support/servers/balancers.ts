import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from '@jest/globals'
import { startCommand, works } from '../process.ts'
import { eventually } from '../wait.ts'
import { freePort } from './redis-server.ts'

export type BalancerName = 'nginx' | 'haproxy'

/** Debian keeps them off the PATH of users. */
const commands = { nginx: '/usr/sbin/nginx', haproxy: '/usr/sbin/haproxy' }
const isThere = { nginx: works(commands.nginx, ['-v']), haproxy: works(commands.haproxy, ['-v']) }

/** `describe` where nginx and HAProxy are installed. Where servers are required, the tests run and fail without them. */
export const describeBalancers =
  (isThere.nginx && isThere.haproxy) || process.env.REQUIRE_SERVERS === '1'
    ? describe
    : (name: string, body: () => void): void => {
        describe.skip(`${name} (skipped: needs nginx and haproxy, as from apt-get install nginx haproxy)`, body)
      }

/** A load balancer on a free port, with the configuration of docs/operating.md in front of three processes. */
export interface Balancer {
  port: number
  /** What it has printed. */
  errors: () => string
  stop: () => Promise<void>
}

export async function startBalancer(name: BalancerName, ports: readonly number[]): Promise<Balancer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-balancer-'))
  const file = join(folder, 'config')
  const documented = documentedConfig(name, port, ports)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder};`)
  const http = `http {\naccess_log off;\n${temporary.join('\n')}\n${documented}}\n`
  const nginx = `daemon off;\nuser root;\npid ${folder}/pid;\nerror_log stderr error;\nevents {}\n${http}`
  writeFileSync(file, name === 'nginx' ? nginx : documented)
  const args = name === 'nginx' ? ['-p', folder, '-c', file] : ['-f', file, '-db']
  // the workers of a master that is killed would run on, and keep its output open
  const running = startCommand(commands[name], args, { group: true })
  await eventually(() => accepts(port))
  return {
    port,
    errors: () => running.stdout() + running.stderr(),
    stop: async () => {
      await running.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The configuration of docs/operating.md with other addresses, and without TLS. */
function documentedConfig(name: BalancerName, port: number, ports: readonly number[]): string {
  const guide = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
  const [, text = ''] = new RegExp(`\`\`\`${name}\\n([^]*?)\`\`\``).exec(guide) ?? []
  let used = 0
  return text
    .replace(/10\.0\.0\.\d+:8080/g, () => `127.0.0.1:${ports[used++] ?? 0}`)
    .replace(/ssl_\w+ .*;/g, '')
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => {
      resolve(false)
    })
  })
}
