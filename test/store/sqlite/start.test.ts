import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { countsFile } from '../../../src/store/sqlite/counts-file.ts'
import { sharedFileSystem } from '../../../src/store/sqlite/files/file-system.ts'
import { sqliteStores } from '../../../src/store/sqlite/stores.ts'
import type { NewPet } from '../../../src/store/tables/pets.ts'
import { describeMount, smallDisk } from '../../support/mount.ts'
import { newFilesAlone, run, testFolder } from '../../support/process.ts'

const folder = testFolder()
const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

const newFile = newFilesAlone(folder)

/** A store as a killed process leaves it: with a log that holds all of its animals. */
async function leftBehind(animals = 1): Promise<string> {
  const file = newFile()
  const { pets, close } = sqliteStores(`${file}.live`)
  for (let count = 0; count < animals; count += 1) await pets.add({ ...rex, name: 'R'.repeat(200) })
  for (const suffix of ['', '-wal']) execFileSync('cp', [`${file}.live${suffix}`, file + suffix])
  await close()
  rmSync(`${file}.live`)
  return file
}

function contents(file: string): Record<string, Buffer> {
  return Object.fromEntries(
    ['', '-wal', '-quota']
      .filter((suffix) => existsSync(file + suffix))
      .map((suffix) => [suffix, readFileSync(file + suffix)]),
  )
}

describe('a start where there was a store', () => {
  test('has every animal of the one that was killed', async () => {
    const file = await leftBehind(3)
    const { pets, close } = sqliteStores(file)
    expect(await pets.list({ limit: 10 })).toHaveLength(3)
    await close()
  })

  test.each([
    [
      'removed',
      'not there',
      (file: string) => {
        rmSync(file)
      },
    ],
    [
      'emptied',
      'empty',
      (file: string) => {
        writeFileSync(file, '')
      },
    ],
  ])('and its database was %s is refused, and leaves the log', async (_, how, lose) => {
    const file = await leftBehind()
    lose(file)
    const before = contents(file)
    expect(() => sqliteStores(file)).toThrow(
      `The database ${file} cannot be opened: it is ${how}, but ${file}-wal shows that there was one. ` +
        `Put the database back, or delete ${file}-wal as well to begin a new one.`,
    )
    expect(contents(file)).toEqual(before)
  })

  test('and its database was emptied behind a link is refused as well, and leaves the log', async () => {
    const file = await leftBehind()
    const link = newFile()
    symlinkSync(file, link)
    writeFileSync(file, '')
    const before = contents(file)
    expect(() => sqliteStores(link)).toThrow(`it is empty, but ${file}-wal shows that there was one.`)
    expect(contents(file)).toEqual(before)
  })

  test('and all but its quota counts was removed is refused, until they are removed too', async () => {
    const file = newFile()
    countsFile(`${file}-quota`)?.close()
    expect(() => sqliteStores(file)).toThrow(`it is not there, but ${file}-quota shows that there was one.`)
    rmSync(`${file}-quota`)
    await sqliteStores(file).close()
  })

  test.each([
    [
      'cut off',
      (file: string) => {
        execFileSync('truncate', ['--size', '8192', file])
      },
    ],
    [
      'cut off within a page',
      (file: string) => {
        execFileSync('truncate', ['--size', '5000', file])
      },
    ],
    [
      'overwritten in the middle',
      (file: string) => {
        writeFileSync(file, overwritten(readFileSync(file), 8 * 4096))
      },
    ],
    [
      'overwritten at its beginning',
      (file: string) => {
        writeFileSync(file, overwritten(readFileSync(file), 0))
      },
    ],
  ])('and its database was %s is refused, and leaves it', async (_, harm) => {
    const file = await leftBehind(200)
    await sqliteStores(file).close()
    harm(file)
    const before = contents(file)
    expect(() => sqliteStores(file)).toThrow(
      /^The database \S+ cannot be opened: .+\. Put a backup in its place, or name another file in DATABASE_URL\.$/,
    )
    expect(contents(file)).toEqual(before)
  })

  function overwritten(bytes: Buffer, from: number): Buffer {
    expect(bytes.length).toBeGreaterThan(from + 4096)
    return bytes.fill(0xff, from, from + 4096)
  }
})

describe('what the service makes', () => {
  test.each(['000', '022', '277', '777'])('only its user may use, under the umask %s', async (umask) => {
    const made = join(dirname(newFile()), 'made')
    mkdirSync(made)
    const before = process.umask(parseInt(umask, 8))
    try {
      const { pets, close } = sqliteStores(`${made}/x.db`)
      const counts = countsFile(`${made}/x.db-quota`)
      counts?.save('minute', [{ window: 1, caller: 'a', count: 1 }])
      await pets.add(rex)
      const modes = readdirSync(made).map((name) => [name, (statSync(`${made}/${name}`).mode & 0o777).toString(8)])
      expect(Object.fromEntries(modes)).toEqual(
        Object.fromEntries(
          ['x.db', 'x.db-wal', 'x.db-shm', 'x.db-quota', 'x.db-quota-wal', 'x.db-quota-shm'].map((name) => [
            name,
            '600',
          ]),
        ),
      )
      counts?.close()
      await close()
    } finally {
      process.umask(before)
    }
  })

  test('lies in folders that only its user may enter', async () => {
    const before = process.umask(0)
    await sqliteStores(`${folder}/a/b/x.db`).close()
    process.umask(before)
    for (const path of ['a', 'a/b']) expect((statSync(`${folder}/${path}`).mode & 0o777).toString(8)).toBe('700')
  })

  test('keeps the mode of what was there', async () => {
    const file = newFile()
    await sqliteStores(file).close()
    chmodSync(file, 0o640)
    const { pets, close } = sqliteStores(file)
    await pets.add(rex)
    for (const suffix of ['', '-wal', '-shm']) expect((statSync(file + suffix).mode & 0o777).toString(8)).toBe('640')
    await close()
  })
})

describe('a shared file system', () => {
  const statfs = (type: number) => (): { type: number } => ({ type })

  test.each([
    ['NFS', 0x6969],
    ['SMB', 0xfe534d42],
    ['CIFS', 0xff534d42],
    ['CIFS', 0xff534d42 - 2 ** 32],
    ['9p', 0x01021997],
    ['AFS', 0x5346414f],
  ])('is refused when it is %s (%i), with what to use instead, and nothing is made', (name, type) => {
    const file = newFile()
    expect(() => sqliteStores(file, { statfs: statfs(type) })).toThrow(
      `The database ${file} cannot be opened: ${dirname(file)} is on a network file system (${name}), ` +
        'where SQLite loses data. Use a local disk, or PostgreSQL through DATABASE_URL.',
    )
    expect(readdirSync(dirname(file))).toEqual([])
  })

  test.each([
    ['ext4', 0xef53],
    ['xfs', 0x58465342],
    ['btrfs', 0x9123683e],
    ['tmpfs', 0x01021994],
    ['overlay', 0x794c7630],
  ])('is not what %s is', (_, type) => {
    expect(sharedFileSystem(type, 'linux')).toBeUndefined()
  })

  test('is known by its number on Linux alone', () => {
    expect(sharedFileSystem(0x6969, 'linux')).toEqual({ name: 'NFS', unfit: true })
    expect(sharedFileSystem(0x65735546, 'linux')).toEqual({ name: 'FUSE', unfit: false })
    expect(sharedFileSystem(0x6969, 'darwin')).toBeUndefined()
  })
})

describeMount('a read-only disk', () => {
  test.each([['with a store'], ['without one']])(
    '%s is refused with a sentence, and the process ends with 1',
    async (what) => {
      const disk = smallDisk(1000)
      const file = `${disk.folder}/x.db`
      try {
        if (what === 'with a store') await sqliteStores(file).close()
        disk.makeReadOnly(true)
        const { code, stdout, stderr } = await run(['src/main.ts'], { PORT: '0', DATABASE_URL: `sqlite:${file}` })
        expect({ code, stdout, stderr }).toEqual({
          code: 1,
          stdout: '',
          stderr:
            `The database ${file} cannot be opened: the file system of ${disk.folder} is read-only, ` +
            'and SQLite writes beside the database as well. Mount it writable.\n',
        })
      } finally {
        disk.remove()
      }
    },
  )
})
