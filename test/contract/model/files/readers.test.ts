import { expect, test } from '@jest/globals'
import { sourceOf } from '../../../../src/contract/model/files/source.ts'

/** What makes that a text is read by the library yaml, and changes nothing. */
const slow = 'x-anchor: &anchor 1\n'

test.each([
  ['numbers', 'a: [9007199254740993, -0, +5, 0x1f, 1e3, 1.10, .inf]'],
  ['words', 'a: [yes, True, ~, null, no, 2026-11-30, "1"]'],
  ['keys', '200: a\n1.10: b\n"007": c'],
  ['texts', "a: one\n  two\n\n  three\nb: >-\n  x\n   y\nc: 'it''s'\nd: \"\\u00e9\""],
  ['a bracket at the left of its list', 'a:\n  b: [\n    1,\n    2\n  ]\n  c: 3'],
  ['pairs in a list, and keys without values', 'a: [b: 1]\nc: { d, e: 2 }'],
])('both readers of YAML take %s alike, with their places', (_, text) => {
  const [quick, other] = [sourceOf(text, 'a.yaml'), sourceOf(`${text}\n${slow}`, 'a.yaml')]
  const { 'x-anchor': anchor, ...root } = other.root as Record<string, unknown>
  expect(anchor).toBe(1)
  expect(quick.root).toEqual(root)
  for (const path of [['a'], ['a', '1'], ['a', 'c'], ['c', 'e'], ['200'], ['nothing']])
    expect(quick.place(path)).toBe(other.place(path))
})
