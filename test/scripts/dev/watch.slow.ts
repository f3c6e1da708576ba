import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { watch, type Watch } from '../../../scripts/dev/watch.ts'
import { startCommand, testFolder, works } from '../../support/process.ts'

const folder = testFolder()

let root: string
let told: string[]
let watching: Watch
beforeEach(async () => {
  root = mkdtempSync(join(folder, 'project-'))
  write('openapi.yaml', 'one')
  write('src/handlers/getPet.ts', 'one')
  told = []
  watching = watch({
    root: `${root}/`,
    files: ['openapi.yaml'],
    folder: 'src',
    onChange: (names) => void told.push(...names),
  })
  // until it hears
  while (told.length === 0) {
    write('openapi.yaml', String(Math.random()))
    await sleep(100)
  }
  await sleep(500)
  told.length = 0
})
afterEach(() => {
  watching.end()
})

function write(name: string, text: string): void {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), text)
}

function move(from: string, to: string): void {
  renameSync(join(root, from), join(root, to))
}

/** Waits until these names are told, and makes sure that no other is. */
async function tells(...names: string[]): Promise<void> {
  while (!names.every((name) => told.includes(name))) await sleep(20)
  // a busy machine may tell of one change in two parts
  await sleep(150)
  expect([...new Set(told.splice(0))].sort()).toEqual(names)
}

test('tells of the files that it is given to follow, also outside of the root, and not of those given before', async () => {
  write('schemas/a/pet.yaml', 'one')
  const names = ['../common.yaml', 'openapi.yaml', 'schemas/a/pet.yaml', 'schemas/new.yaml']
  watching.follow(names)
  const hears = async (name: string): Promise<void> => {
    while (!told.includes(name)) {
      write(name, String(Math.random()))
      await sleep(100)
    }
  }
  for (const name of names) await hears(name)
  await sleep(500)
  told.length = 0
  write('schemas/a/other.yaml', 'one')
  write('schemas/a/pet.yaml.tmp', 'two')
  move('schemas/a/pet.yaml.tmp', 'schemas/a/pet.yaml')
  await tells('schemas/a/pet.yaml')
  watching.follow(['openapi.yaml'])
  write('schemas/a/pet.yaml', 'three')
  write('openapi.yaml', 'two')
  await tells('openapi.yaml')
})

test('tells of a save, however an editor does it', async () => {
  for (const name of ['openapi.yaml', 'src/handlers/getPet.ts']) {
    write(name, 'two')
    await tells(name)
    // beside the file and renamed
    write(`${name}.tmp`, 'three')
    move(`${name}.tmp`, name)
    await tells(name)
    // the file is kept under another name while it is written
    move(name, `${name}~`)
    write(name, 'four')
    rmSync(join(root, `${name}~`))
    await tells(name)
  }
})

test('tells of files that are new, moved or gone, in folders that are new or come again', async () => {
  write('src/store/orders/list.ts', 'one')
  await tells('src/store/orders/list.ts')
  move('src/store', 'src/shop')
  await tells('src/shop/orders/list.ts', 'src/store/orders/list.ts')
  write('src/shop/orders/list.ts', 'two')
  await tells('src/shop/orders/list.ts')
  rmSync(join(root, 'src/shop'), { recursive: true })
  await tells('src/shop/orders/list.ts')
  for (const [moved, name] of [
    ['openapi.yaml', 'openapi.yaml'],
    ['src', 'src/handlers/getPet.ts'],
  ] as const) {
    move(moved, 'away')
    await tells(name)
    move('away', moved)
    await tells(name)
    write(name, 'three')
    await tells(name)
  }
})

test('tells of all that a checkout changes', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `src/handlers/get${index + 10}.ts`)
  for (const name of names) write(name, 'one')
  await tells(...names)
})

test('tells nothing of other files, such as those that editors keep beside a source', async () => {
  write('src/handlers/.getPet.ts.swp', '')
  write('src/handlers/4913', '')
  write('src/handlers/getPet.ts~', '')
  write('data/animal-store.db', '')
  write('node_modules/express/index.ts', '')
  write('.openapi.yaml.swp', '')
  await sleep(500)
  await tells()
})

/** Runs a program where the system gives it three watchers. */
const limited = ['-Ur', 'sh', '-c', 'echo 3 > /proc/sys/user/max_inotify_watches && exec "$@"', '-']
const limitable = works('unshare', [...limited, 'true'])

;(limitable ? test : test.skip)('tells of changes where the system has no watchers left', async () => {
  const code = `
    import { watch } from './scripts/dev/watch.ts'
    const onChange = (names) => console.log(names.join())
    watch({ root: ${JSON.stringify(root)}, files: ['openapi.yaml'], folder: 'src', onChange })`
  const node = ['--import', 'tsx', '--input-type=module', '--eval', code]
  const other = startCommand('unshare', [...limited, process.execPath, ...node])
  let turn = 0
  const writing = setInterval(() => {
    write('src/handlers/getPet.ts', `turn ${(turn += 1)}`)
  }, 200)
  await other.until(/^src\/handlers\/getPet\.ts$/m)
  clearInterval(writing)
})
