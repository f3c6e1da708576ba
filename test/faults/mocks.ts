import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Operation } from '../../src/contract/model/operation.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The names of the contracts in a folder. */
export function contractsIn(folder: string): string[] {
  return readdirSync(folder).filter((one) => /\.(ya?ml|json)$/.test(one))
}

/** A mock that runs. */
export interface Mock {
  address: string
  key: string
  /** Ends it, and gives the faults of its log and of its end. */
  stop: () => Promise<string[]>
}

/** Starts the mock of a contract, as it was built; undefined if it ends before it listens. */
export async function startMock(file: string): Promise<Mock | undefined> {
  const child = spawn(process.execPath, ['dist/scripts/animal-store.js', 'contract', 'mock', file], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: '0', SHUTDOWN_DELAY_MS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const faults: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (/"level":(5|6)0|Error/.test(line)) faults.push(line.slice(0, 500))
  })
  let said = ''
  const address = await new Promise<string | undefined>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said += `${line}\n`
      const found = /http:\/\/[\w.]+:\d+/.exec(line)?.[0]
      if (found !== undefined) setTimeout(resolve, 300, found)
      if (/"level":(5|6)0/.test(line)) faults.push(line.slice(0, 500))
    })
    void ended.then(() => {
      resolve(undefined)
    })
  })
  if (address === undefined) return undefined
  return {
    address,
    key: /ak_\w+/.exec(said)?.[0] ?? '',
    stop: async () => {
      const isRunning = child.exitCode === null && child.signalCode === null
      child.kill('SIGTERM')
      await ended
      return isRunning ? faults : [...faults, 'The mock ended.']
    },
  }
}

/** Adds the key to a request where an operation reads it. */
export function addKey(
  { headers, query }: { headers: Record<string, string>; query: string[] },
  security: Operation['security'],
  key: string,
): void {
  for (const place of security[0] ?? []) {
    if (!('name' in place)) headers.Authorization = place.in === 'bearer' ? `Bearer ${key}` : `Basic ${btoa(`${key}:`)}`
    else if (place.in === 'header') headers[place.name] = key
    else if (place.in === 'query') query.push(`${place.name}=${key}`)
    else headers.Cookie = `${place.name}=${key}`
  }
}
