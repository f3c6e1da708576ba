import { stripVTControlCharacters } from 'node:util'
import { expect, test } from '@jest/globals'
import { screen } from '../../../scripts/dev/screen.ts'

test('a terminal gets columns, a new screen for each save, and what was there stays above it', () => {
  let text = ''
  const output = { isTTY: true, rows: 3, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream
  const { clear, print } = screen(output)
  clear()
  print([
    { label: 'diff', text: 'one', color: 'red' },
    { label: 'diff', text: 'two' },
    { label: 'verdict', text: 'three', color: 'green' },
  ])
  expect(text.startsWith('\n\n\n\u001b[H\u001b[J')).toBe(true)
  expect(stripVTControlCharacters(text)).toBe('\n\n\ndiff       one\n           two\nverdict    three\n')
})
