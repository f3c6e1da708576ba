/*
 * npm run dev    runs the service, and shows what a change means after each save of openapi.yaml or of a file in src/
 *
 * After a save the contract is linted and compared with the last commit, the sources are compiled, and generated/ is
 * updated. Then a new process of the service takes over, and no request is lost. If the new state does not load, the
 * last good one goes on. Operations without a handler are mocked. The environment is that of the service. Ctrl-C ends
 * all.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FirstKey } from '../src/auth/first-key.ts'
import type { Config } from '../src/config/config.ts'
import { readContract } from '../src/contract/model/files/document.ts'
import { fetchCommand } from '../src/contract/first-request.ts'
import { listen } from '../src/http/listen.ts'
import { planTitle } from '../src/quota/plans.ts'
import { onClosingSignal } from '../src/process/signals.ts'
import { command, runCommand } from './command-line/command.ts'
import { environment } from './command-line/environment.ts'
import { coalesced } from './dev/coalesce.ts'
import { startInstance, type Instance } from './dev/instance.ts'
import type { CheckRequest, Verdict } from './dev/protocol.ts'
import { proxyServer } from './dev/proxy.ts'
import { screen, verdictLines } from './dev/screen.ts'
import { watch } from './dev/watch.ts'
import { startWorker } from './dev/worker.ts'
import { messageOf } from '../src/failure.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const contractFile = 'openapi.yaml'
/** A service that ends before this time, in ms, is restarted only after the next save. */
const shortLifeMs = 5000
/** How long a request waits for a service that starts, in ms. */
const requestWaitMs = 20_000

const program = command('dev', 'Run the service, and show after each save what the change means', ['']).action(() =>
  develop(environment()),
)

await runCommand(program, 2)

async function develop(config: Config): Promise<void> {
  const { clear, print } = screen(process.stdout)
  let current: Instance | undefined
  let starting: Promise<void> = Promise.resolve()
  let pending: AbortController | undefined
  let contractFiles: readonly string[] = [contractFile]
  let isSound = true
  let isEnding = false

  const proxy = proxyServer(async () => {
    if (!current) await Promise.race([starting, sleep(requestWaitMs, undefined, { ref: false })])
    return current
  })
  const address = await listen(proxy, config)
  const checker = startWorker<CheckRequest, Verdict>('checker.ts')

  /** Restarts the service. Reports it after the verdict on its state is shown. */
  const restart = coalesced<Promise<void>>(async (shown) => {
    starting = startNext(shown.at(-1))
    await starting
  })
  /** A start that still runs is given up: it has the state before the save. */
  const reload = (shown: Promise<void>): void => {
    pending?.abort()
    restart(shown)
  }
  const onSave = coalesced<string[]>(async (saves) => {
    const names = [...new Set(saves.flat())]
    const isFirst = names.length === 0
    const isContract = isFirst || names.some((name) => contractFiles.includes(name))
    const shown = showVerdict(names, isContract)
    if (!isContract && isSound) reload(shown)
    await shown
    if (!isSound && !isFirst) print([{ label: 'service', text: 'still runs the last good state', color: 'yellow' }])
    else if (isContract && !isFirst) reload(shown)
  })

  reload(Promise.resolve())
  onSave([])
  const watching = watch({ root, files: contractFiles, folder: 'src', onChange: onSave })
  onClosingSignal(
    () => void end(),
    () => process.exit(1),
  )

  async function showVerdict(names: readonly string[], contract: boolean): Promise<void> {
    const from = performance.now()
    try {
      const verdict = await checker.ask((isNew) => ({ contract: contract || isNew }))
      isSound = verdict.sound
      contractFiles = verdict.files
      watching.follow(contractFiles)
      if (names.length > 0) {
        clear()
        print([{ label: 'changed', text: names.join(', ') }])
      }
      print(verdictLines(verdict, performance.now() - from))
    } catch (error) {
      print([{ label: 'verdict', text: `none: ${messageOf(error)}`, color: 'red' }])
    }
  }

  async function startNext(shown: Promise<void> | undefined): Promise<void> {
    const from = performance.now()
    const { signal } = (pending = new AbortController())
    const onWait = (seconds: number, waitsFor: string): void => {
      const text = `still starting after ${seconds} s: it waits for ${waitsFor}; the next save starts it anew`
      print([{ label: 'service', text, color: 'yellow' }])
    }
    try {
      const next = await startInstance({ signal, onWait })
      const last = current
      current = next
      void next.ended.then((how) => {
        if (next === current) startAgain(how, performance.now() - from)
      })
      void last?.retire()
      const took = ((performance.now() - from) / 1000).toFixed(2)
      await shown
      const told = `${last ? 'reloaded' : 'started'} in ${took} s at ${address}${next.apiRoot}, docs at ${address}/docs`
      print([{ label: 'service', text: told, color: 'green' }])
      if (next.first) print([{ label: 'key', text: tryOut(next.first, address + next.apiRoot) }])
    } catch (error) {
      await shown
      if (signal.aborted) return
      print(
        messageOf(error)
          .split('\n')
          .map((text) => ({ label: 'load', text, color: 'red' })),
      )
      const rest = current ? 'still runs the last good state' : 'is not running; it starts at the next save'
      print([{ label: 'service', text: rest, color: 'yellow' }])
    }
  }

  function startAgain(how: string, livedMs: number): void {
    current = undefined
    if (isEnding) return
    print([{ label: 'service', text: `ended with ${how}`, color: 'red' }])
    if (livedMs > shortLifeMs) reload(Promise.resolve())
  }

  async function end(): Promise<void> {
    isEnding = true
    watching.end()
    checker.end()
    proxy.close()
    pending?.abort()
    await current?.retire()
    process.exit()
  }
}

function tryOut({ key, plan }: FirstKey, address: string): string {
  const command = fetchCommand(readContract(join(root, contractFile)), address, key)
  return `the store is new; this key of the ${planTitle(plan)} plan is shown only now: ${command}`
}
