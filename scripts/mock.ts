/*
 * animal-store contract mock [FILE], or npm run mock [-- FILE]
 *
 * Answers every operation of openapi.yaml, or of another contract, with what the contract declares. What
 * cannot be served is told, and answers 501; with --strict nothing is served then.
 *
 * HOST, PORT and the rest of the environment are as for the service, except for the store: it is a new one, which is
 * deleted at the end. `Prefer: code=404` in a request chooses one of the answers that its operation declares.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import closeWithGrace from 'close-with-grace'
import { openService, type Service } from '../src/app.ts'
import { digestOf, newKey, newRecord } from '../src/auth/key.ts'
import { closingMs, readConfig } from '../src/config/config.ts'
import type { ReadOptions } from '../src/contract/model/files/files.ts'
import { fetchCommand } from '../src/contract/first-request.ts'
import type { Operation } from '../src/contract/model/operation.ts'
import { needsKey } from '../src/contract/model/security.ts'
import { modelOf } from '../src/contract/model/model.ts'
import { messageOf } from '../src/failure.ts'
import { listen } from '../src/http/listen.ts'
import { maxLimit, readPlans } from '../src/quota/plans.ts'
import { isFault, notByGrace, onClosingSignal, tellSecondFault } from '../src/process/signals.ts'
import { command, print, runCommand } from './command-line/command.ts'
import { thisPackage } from '../src/package.ts'
import { contractFile } from './command-line/contract-file.ts'
import { operator } from './command-line/operator.ts'
import { optimizeAsUsual, optimizeLate } from './command-line/optimizing.ts'
import { outsideFilesOption } from './command-line/outside-files.ts'

const unlimited = String(maxLimit - 1)

const name = 'contract mock'
const program = command(name, 'Answer every operation of a contract from its examples and schemas', ['', 'other.yaml'])
  .argument('[file]', 'the contract (default: openapi.yaml)')
  .option('--strict', 'end with the first part that cannot be served, instead of answering 501 for what needs it')
  .addOption(outsideFilesOption())
  .action((file: string | undefined, options: Options) => serve(contractFile(file, name), options))

optimizeLate()
await runCommand(program, 2)

interface Options extends ReadOptions {
  strict?: boolean
}

async function serve(file: string, { outsideFiles, strict = false }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `${thisPackage.command}-mock-`))
  let service: Service | undefined
  let closing: ReturnType<typeof closeWithGrace> | undefined
  const close = async (): Promise<void> => {
    await service?.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const env = {
      LOG_LEVEL: 'warn',
      // a contract without plans limits nobody, and neither does its mock
      ANONYMOUS_PER_MINUTE: unlimited,
      ANONYMOUS_PER_DAY: unlimited,
      ...process.env,
      NODE_ENV: '',
      REDIS_URL: '',
      REDIS_URL_FILE: '',
      DATABASE_URL_FILE: '',
    }
    const config = readConfig({ ...env, DATABASE_URL: `sqlite:${join(folder, 'mock.db')}` })
    service = await openService(config, {
      contractFile: file,
      outsideFiles,
      handlers: {},
      mocks: true,
      lenient: !strict,
    })
    const key = await addKey(service)
    const address = (await listen(service.server, config)) + service.apiRoot
    closing = closeWithGrace(
      { delay: config.shutdownGraceMs + closingMs, logger: false, skip: notByGrace, onSecondError: tellSecondFault },
      async (why) => {
        const failed = isFault(why)
        if (failed) console.error(`The mock ends after a fault: ${messageOf(why.err)}`)
        await close()
        process.exit(failed ? 1 : 0)
      },
    )
    onClosingSignal(closing.close, () => process.exit(1))
    optimizeAsUsual()
    await print(greeting(service, address, key))
  } catch (error) {
    // it would end the process with 0
    closing?.uninstall()
    await close()
    throw error
  }
}

/** Makes a key without limits, if the contract has a plan whose limits are set per key. */
async function addKey({ stores, document }: Service): Promise<string> {
  const plans = [...readPlans(document.root)]
  const [plan = '', limits] = plans.find(([, one]) => one === 'custom') ?? plans.at(-1) ?? []
  const custom = limits === 'custom' ? { perMinute: maxLimit, perDay: maxLimit } : undefined
  const key = newKey()
  await stores.keys.add(newRecord({ plan, custom, label: 'mock', createdAt: Date.now() }), digestOf(key), operator())
  return key
}

function greeting({ document, served, unserved }: Service, address: string, key: string): string {
  const { operations } = modelOf(document)
  const isServed = ({ operationId }: Operation): boolean => served.includes(operationId)
  const takesKey = operations.some((one) => isServed(one) && needsKey(one.security))
  const command = fetchCommand(document, address, key, (one) => isServed(one) && takesKey === needsKey(one.security))
  const lines = unserved.length === 1 ? 'this line names' : `these ${unserved.length} lines name`
  return [
    ...(unserved.length > 0 ? [...unserved, '', `What ${lines} answers 501.`, ''] : []),
    `${document.name} is mocked at ${address}:`,
    '',
    ...(served.length > 0 ? operations.filter(isServed).map(operationLine) : ['  no operation']),
    '',
    takesKey ? 'Here is an API key for it, without limits to speak of:' : 'No operation needs a key. Try it:',
    '',
    `  ${command}`,
    '',
    "Add -H 'Prefer: code=404' for another answer that the operation declares.",
  ].join('\n')
}

function operationLine({ method, path, operationId }: Operation): string {
  return `  ${method.toUpperCase().padEnd('DELETE'.length)} ${path} ${operationId}`
}
