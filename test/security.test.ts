import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8')

test('each promise of SECURITY.md names tests that there are', () => {
  const promises = read('.github/SECURITY.md')
    .split('\n')
    .filter((line) => /^\| [A-Z`]/.test(line) && !line.startsWith('| Promise'))
  expect(promises.length).toBeGreaterThan(10)
  for (const promise of promises) {
    const kept = promise.split(' | ').at(-1)?.replace(/ *\|$/, '') ?? ''
    if (kept.startsWith('`npm ')) continue
    for (const one of kept.split(/; (?=`)/)) {
      const [, file = '', title = ''] = /^`(test\/[^`]+)`: (.+)$/.exec(one) ?? []
      expect({ one, found: read(file).includes(`'${title}'`) }).toEqual({ one, found: true })
    }
  }
})
