import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { backUp } from '../../../src/store/sqlite/backup.ts'
import { sqliteStores } from '../../../src/store/sqlite/stores.ts'
import type { NewPet } from '../../../src/store/tables/pets.ts'
import { newFilesAlone, run, testFolder } from '../../support/process.ts'

const folder = testFolder()
const frameBytes = 24 + 4096
const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

const newFile = newFilesAlone(folder)

interface Left {
  database: Buffer
  log: Buffer
}

/** What a killed process leaves of a store that it has opened, made or taken over, and added to. */
async function killed(before: Left | undefined, ...commits: number[]): Promise<Left> {
  const file = newFile()
  if (before) put(file, before)
  const { pets, close } = sqliteStores(file)
  for (const animals of commits) {
    await Promise.all(Array.from({ length: animals }, () => pets.add({ ...rex, name: 'R'.repeat(200) })))
  }
  execFileSync('cp', [file, `${file}.copy`])
  execFileSync('cp', [`${file}-wal`, `${file}.copy-wal`])
  const left = { database: readFileSync(`${file}.copy`), log: readFileSync(`${file}.copy-wal`) }
  await close()
  return left
}

function put(file: string, { database, log }: Left): void {
  writeFileSync(file, database)
  writeFileSync(`${file}-wal`, log)
}

/** How many animals a start finds, or why it refuses. */
async function startOn(left: Left): Promise<number | string> {
  const file = newFile()
  put(file, left)
  try {
    const { pets, close } = sqliteStores(file)
    const found = await pets.list({ limit: 100 })
    await close()
    return found.length
  } catch (error) {
    expect(readFileSync(`${file}-wal`).equals(left.log)).toBe(true)
    return (error as Error).message.replaceAll(file, 'FILE')
  }
}

/** The numbers of the frames that end a commit, from 1. */
function commitFrames(log: Buffer): number[] {
  const numbers = Array.from({ length: (log.length - 32) / frameBytes }, (_, index) => index + 1)
  return numbers.filter((number) => log.readUInt32BE(frameAt(number) + 4) !== 0)
}

function frameAt(number: number): number {
  return 32 + (number - 1) * frameBytes
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

/** The log with zeros in place of these frames, as a file system leaves what it did not write. */
function without(log: Buffer, frames: readonly number[]): Buffer {
  const copy = Buffer.from(log)
  for (const number of frames) copy.fill(0, frameAt(number), frameAt(number + 1))
  return copy
}

function refusal(place: string): string {
  return (
    `The database FILE cannot be opened: its write-ahead log FILE-wal is damaged ${place}, and animals that were ` +
    'acknowledged are behind it. Restore a backup, or move FILE-wal away to start with what the database has without it.'
  )
}

describe('a damaged write-ahead log', () => {
  test('is told by its frame wherever a bit is flipped before the last commit', async () => {
    const left = await killed(undefined, ...Array.from({ length: 6 }, () => 1))
    const commits = commitFrames(left.log)
    const all = (left.log.length - 32) / frameBytes
    for (let frame = 1; frame <= (commits.at(-2) ?? 0); frame += 1) {
      // in turn a number of a page, a salt, and bytes of the page
      const at = [0, 8, 24, 2000, frameBytes - 1][frame % 5] ?? 0
      const log = flipped(left.log, frameAt(frame) + at)
      expect(await startOn({ ...left, log })).toBe(refusal(`at frame ${frame} of ${all}`))
    }
  })

  test.each([
    ['its magic number', 0],
    ['the size of a page', 11],
    ['a salt', 16],
    ['its check sum', 31],
  ])('is told by its head when that has another bit in %s', async (_, at) => {
    const left = await killed(undefined, 1, 1, 1)
    expect(await startOn({ ...left, log: flipped(left.log, at) })).toBe(refusal('at its head'))
  })

  test('is told when many frames are gone', async () => {
    const left = await killed(undefined, ...Array.from({ length: 20 }, () => 1))
    const all = (left.log.length - 32) / frameBytes
    const log = without(left.log, [9, 10, 11, 12, 13, 14, 15])
    expect(await startOn({ ...left, log })).toBe(refusal(`at frame 9 of ${all}`))
  })

  test('stops the process and a backup, and its store starts without it', async () => {
    const left = await killed(undefined, 1, 1, 1)
    const file = newFile()
    put(file, { ...left, log: flipped(left.log, frameAt(2) + 100) })
    const reason = refusal(`at frame 2 of ${(left.log.length - 32) / frameBytes}`).replaceAll('FILE', file)
    const env = { PORT: '0', DATABASE_URL: `sqlite:${file}` }
    expect(await run(['src/main.ts'], env)).toEqual({ code: 1, stdout: '', stderr: `${reason}\n` })
    await expect(backUp(file, `${file}.backup`)).rejects.toThrow(/is damaged at frame 2 of/)
    expect(existsSync(`${file}.backup`)).toBe(false)
    rmSync(`${file}-wal`)
    await sqliteStores(file).close()
  })
})

describe('a write-ahead log as a power cut leaves it', () => {
  test('starts whichever frames of the last commit are not on disk', async () => {
    const left = await killed(undefined, 1, 1, 1, 40)
    const [before = 0, last = 0] = commitFrames(left.log).slice(-2)
    expect(last - before).toBeGreaterThan(3)
    for (let frame = before + 1; frame <= last; frame += 1) {
      expect(await startOn({ ...left, log: without(left.log, [frame]) })).toBe(3)
      expect(await startOn({ ...left, log: left.log.subarray(0, frameAt(frame) + 100) })).toBe(3)
    }
  })

  test('starts with the frames of a commit that failed behind a later and shorter one', async () => {
    const left = await killed(undefined, 1, 1)
    const longer = await killed(left, 40)
    const shorter = await killed(left, 1)
    const length = Math.max(...commitFrames(shorter.log).map((number) => frameAt(number + 1)))
    expect(longer.log.length).toBeGreaterThan(length)
    // the salts are the same, since it is the same log
    const log = Buffer.concat([shorter.log.subarray(0, length), longer.log.subarray(length)])
    expect(log.subarray(0, 32)).toEqual(longer.log.subarray(0, 32))
    expect(await startOn({ ...shorter, log })).toBe(3)
  })

  test('starts with frames of an earlier time behind those of the present', async () => {
    const file = newFile()
    const { pets, close } = sqliteStores(file)
    for (let count = 0; count < 20; count += 1) await pets.add(rex)
    // what is in the database is overwritten from the beginning of the log
    execFileSync(process.execPath, [
      '--import=tsx',
      '--input-type=module',
      '--eval',
      `import { Database } from './src/store/sqlite/connection/driver.ts'
       new Database(process.argv[1]).pragma('wal_checkpoint(RESTART)')`,
      file,
    ])
    await pets.add(rex)
    execFileSync('cp', [file, `${file}.copy`])
    execFileSync('cp', [`${file}-wal`, `${file}.copy-wal`])
    const left = { database: readFileSync(`${file}.copy`), log: readFileSync(`${file}.copy-wal`) }
    await close()
    const salts = commitFrames(left.log).map((number) => left.log.readBigUInt64BE(frameAt(number) + 8))
    expect(new Set(salts).size).toBe(2)
    expect(await startOn(left)).toBe(21)
  })

  test.each([
    ['nothing', 0],
    ['a part of its head', 20],
    ['its head alone', 32],
    ['a part of its first frame', 3000],
  ])('starts with %s', async (_, bytes) => {
    const left = await killed(undefined, 1)
    const file = newFile()
    await sqliteStores(file).close()
    expect(await startOn({ database: readFileSync(file), log: left.log.subarray(0, bytes) })).toBe(0)
  })
})
