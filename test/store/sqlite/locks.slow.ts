import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { endAll, run, start, startCommand, type Running } from '../../support/process.ts'
import { expectError, startService, type TestService } from '../../support/service.ts'

/** Locks the bytes of a `-shm` file by which SQLite locks, as another program does, until its input ends. */
const locker = `
import fcntl, sys
file = open(sys.argv[1], 'r+b')
fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 8, 120)
print('locked', flush=True)
sys.stdin.read()`

/** Reads once and stays connected until its input ends. */
const reader = (file: string): string => `
import { Database } from './src/store/sqlite/connection/driver.ts'
const db = new Database(${JSON.stringify(file)})
db.prepare('SELECT count(*) FROM pets').get()
console.log('reads')
process.stdin.resume()
process.stdin.on('end', () => db.close())`

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import fcntl'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const describePython = hasPython() || process.env.REQUIRE_SERVERS === '1' ? describe : describe.skip

describePython('a program that keeps locks on the shared memory (needs python3)', () => {
  let service: TestService
  let file: string
  beforeEach(async () => {
    service = await startService()
    file = `${service.folder}/store.db`
    await post('Rex', 201)
  })
  afterEach(async () => {
    await endAll()
    await service.stop()
  })

  async function post(name: string, status: number): Promise<void> {
    const answer = await service.call('post', '/pets').send({ name, categoryId: 7 }).expect(status)
    if (status !== 201) expectError(answer.text, status, 'unavailable')
  }

  async function lock(path = file): Promise<Running> {
    const other = startCommand('python3', ['-c', locker, `${path}-shm`])
    await other.until(/locked/)
    return other
  }

  async function end({ child, ended }: Running): Promise<void> {
    child.stdin?.end()
    expect(await ended).toBe(0)
  }

  async function ready(): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${service.port}/readyz`)).status === 200
  }

  async function names(): Promise<string[]> {
    while (!(await ready())) await sleep(50)
    const answer = await service.call('get', '/pets').expect(200)
    return (answer.body as { name: string }[]).map(({ name }) => name)
  }

  function told(): unknown[] {
    return service.logged.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('store '))
  }

  test('is told of once, and the store is opened anew without its locks', async () => {
    await lock()
    await post('Refused', 503)
    expect(await names()).toEqual(['Rex'])
    await post('Next', 201)
    expect(told()).toEqual([
      'store unavailable: the database cannot be locked',
      'store available again, with what is in the file now',
    ])
  })

  test('while a third one uses the store delays nothing, and the store heals when the locks are gone', async () => {
    const third = start(['--input-type=module', '--eval', reader(file)])
    await third.until(/reads/)
    const other = await lock()
    await post('Refused', 503)
    while (!told().includes('store still unavailable')) await sleep(50)
    // no request waits the 10 s any more that SQLite tries for
    const at = performance.now()
    for (let count = 0; count < 20; count += 1) {
      await post('Refused', 503)
      expect(await ready()).toBe(false)
    }
    expect(performance.now() - at).toBeLessThan(10_000)
    expect(told()).toEqual(['store unavailable: the database cannot be locked', 'store still unavailable'])
    await end(other)
    expect(await names()).toEqual(['Rex'])
    await post('Next', 201)
    await end(third)
  })

  test('and ends its use of the store lets it heal though the locks stay', async () => {
    const third = start(['--input-type=module', '--eval', reader(file)])
    await third.until(/reads/)
    await lock()
    await post('Refused', 503)
    while (!told().includes('store still unavailable')) await sleep(50)
    await end(third)
    expect(await names()).toEqual(['Rex'])
  })

  test('of the counts of quotas delays one second of requests, and no more', async () => {
    await lock(`${file}-quota`)
    const notStored = (): boolean => service.logged.some(({ msg }) => msg === 'quota counts not stored')
    await post('Counted', 201)
    while (!notStored()) await sleep(50)
    const at = performance.now()
    for (let count = 0; count < 20; count += 1) {
      await post('Next', 201)
      await sleep(100)
    }
    expect(performance.now() - at).toBeLessThan(10_000)
  })

  test('at the start is named', async () => {
    await lock()
    expect(await run(['src/main.ts'], { PORT: '0', DATABASE_URL: `sqlite:${file}` })).toEqual({
      code: 1,
      stdout: '',
      stderr: `The database ${file} cannot be opened: another program keeps locks on its -shm file. Find and stop that program.\n`,
    })
  })
})
