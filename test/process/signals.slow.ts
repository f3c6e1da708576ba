import { existsSync, truncateSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { client } from '../support/client.ts'
import { serveWithKey } from '../support/enterprise-key.ts'
import {
  descendants,
  endAll,
  gone,
  newFiles,
  readIfThere,
  sendSignal,
  startCommand,
  testFolder,
  works,
} from '../support/process.ts'
import { postWaiting } from '../support/talk.ts'
import { eventually } from '../support/wait.ts'

jest.setTimeout(180_000)

const folder = testFolder()
afterEach(endAll)

const newFile = newFiles(folder)
const body = '{"name":"Rex","categoryId":7}'
const node = [process.execPath, '--import', 'tsx']

describe('a fault in native code', () => {
  test('as by shared memory of SQLite that was cut off ends the process at once, by its signal', async () => {
    const { server, key, file } = await serveWithKey(newFile())
    const { send, end } = client(server.port, key)
    expect((await send('/v1/pets', 'Rex')).status).toBe(201)
    truncateSync(`${file}-shm`)
    await expect(send('/v1/pets', 'Rex')).rejects.toThrow()
    expect(await server.ended).toBe('SIGBUS')
    end()
  })

  test.each(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP'] as const)(
    'that sends %s is not handled, neither by a service nor by the mock',
    async (signal) => {
      const { server } = await serveWithKey(newFile())
      server.child.kill(signal)
      expect(await server.ended).toBe(signal)
      const mock = startCommand(node[0] ?? '', [...node.slice(1), 'scripts/mock.ts'], { env: { PORT: '0' } })
      await mock.until(/Bearer ak_/)
      mock.child.kill(signal)
      expect(await mock.ended).toBe(signal)
    },
  )
})

describe('a signal that is no order to stop', () => {
  test.each(['SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)(
    '%s lets what runs finish, and ends with a code that makes a supervisor start the service again',
    async (signal) => {
      const { server, key, file } = await serveWithKey(newFile())
      const slow = await postWaiting(server.port, key, body.length)
      server.child.kill(signal)
      await server.until(new RegExp(`"signal":"${signal}","msg":"closing"`))
      slow.socket.write(body)
      await slow.closed
      expect(slow.text()).toMatch(/HTTP\/1\.1 201 Created\r\n/)
      expect(await server.ended).toBe(128 + constants.signals[signal])
      expect(existsSync(`${file}-wal`)).toBe(false)
    },
  )

  test('SIGUSR1 opens no debugger and changes nothing', async () => {
    const { server, key } = await serveWithKey(newFile())
    server.child.kill('SIGUSR1')
    await sleep(500)
    const { send, end } = client(server.port, key)
    expect((await send('/v1/pets')).status).toBe(200)
    end()
    expect(await server.stop()).toBe(0)
    expect(server.stderr()).toBe('')
  })
})

/** Runs a program as process 1 of a container. */
const contained = ['-Ur', '--pid', '--fork', '--kill-child']
const containable = works('unshare', [...contained, 'true'])

;(containable ? describe : describe.skip)('as process 1 of a container', () => {
  test.each([
    ['the service ends with 0', ['scripts/animal-store.ts', 'serve'], 0],
    ['the service without the command line ends with 0', ['src/main.ts'], 0],
    ['a command ends with 143', ['scripts/animal-store.ts', 'migrate'], 143],
  ])('%s at a SIGTERM that comes while it waits for its database', async (_, args, code) => {
    // takes connections and says nothing
    const database = createServer()
    await once(database.listen(0, '127.0.0.1'), 'listening')
    const { port } = database.address() as AddressInfo
    const env = { PORT: '0', DATABASE_URL: `postgres://animals@127.0.0.1:${port}/animals` }
    const container = startCommand('unshare', [...contained, ...node, ...args], { env })
    await once(database, 'connection')
    for (const pid of childrenOf(container.child.pid)) sendSignal(pid, 'SIGTERM')
    expect(await container.ended).toBe(code)
    expect(container.stderr()).toBe('')
    database.close()
  })

  test('the service hears SIGTERM as soon as its first module runs', async () => {
    const env = { PORT: '0', DATABASE_URL: `sqlite:${newFile()}` }
    const container = startCommand('unshare', [...contained, ...node, 'scripts/animal-store.ts', 'serve'], { env })
    let hasEnded = false as boolean
    void container.ended.then(() => (hasEnded = true))
    // earlier ones are lost, or end Node while it starts its threads
    while (!hasEnded) {
      for (const pid of childrenOf(container.child.pid)) sendSignal(pid, 'SIGTERM')
      await sleep(5)
    }
    expect([0, 'SIGTERM']).toContain(await container.ended)
    expect(container.stdout()).toBe('')
  })

  /** The first process of each container that a process has started. */
  function childrenOf(parent: number | undefined): number[] {
    return descendants(parent).filter((pid) => /^NSpid:.*\t1$/m.test(readIfThere(`/proc/${pid}/status`)))
  }
})

describe('a terminal', () => {
  /** Runs a command of the shell in a terminal, which is closed when `script` is killed. */
  const inTerminal = (command: string, env: NodeJS.ProcessEnv): ReturnType<typeof startCommand> =>
    startCommand('script', ['-qec', command, '/dev/null'], { env: { ...env, PORT: '0', LOG_FORMAT: 'json' } })

  const running = async (log: () => string): Promise<number> => {
    await eventually(() => log().includes('"listening"'))
    return Number(/"pid":(\d+)[^\n]*"listening"/.exec(log())?.[1])
  }

  test.each([
    ['its output goes there', ''],
    ['its output goes to a file', `> ${folder}/hang-up.log 2>&1`],
  ])('that is closed ends the service in good order, when %s', async (_, redirection) => {
    const file = newFile()
    const terminal = inTerminal(`${node.join(' ')} src/main.ts ${redirection}`, { DATABASE_URL: `sqlite:${file}` })
    const log = (): string => (redirection === '' ? terminal.stdout() : readIfThere(`${folder}/hang-up.log`))
    const pid = await running(log)
    terminal.child.kill('SIGKILL')
    await gone(pid)
    expect(existsSync(`${file}-wal`)).toBe(false)
    if (redirection !== '') expect(log()).toMatch(/"signal":"SIGHUP","msg":"closing"}\n$/)
  })

  test('that was closed without ending the service is no fault when it ends later', async () => {
    const log = join(folder, 'later.log')
    const command = `setsid ${node.join(' ')} src/main.ts > ${log} 2>&1; echo "code $?" >> ${log}`
    const terminal = inTerminal(`trap '' HUP; ${command}`, { DATABASE_URL: `sqlite:${newFile()}` })
    const pid = await running(() => readIfThere(log))
    terminal.child.kill('SIGKILL')
    await terminal.ended
    sendSignal(pid, 'SIGTERM')
    await eventually(() => /code \d+\n$/.test(readIfThere(log)))
    expect(readIfThere(log)).toMatch(/"signal":"SIGTERM","msg":"closing"}\ncode 0\n$/)
  })
})
