import { PassThrough } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { progressBar, type ProgressBar } from '../../scripts/command-line/progress-bar.ts'

/** A bar on a stream that is a terminal or is not, with a clock that stands where it is put. */
function shown(isTTY: boolean): { bar: ProgressBar; at: (ms: number) => void; text: () => string } {
  let now = 0
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 })
  const bar = progressBar(stream as unknown as NodeJS.WriteStream, () => now)
  return {
    bar,
    at: (ms) => {
      now = ms
    },
    text: () => String(stream.read() ?? ''),
  }
}

describe('a progress bar', () => {
  test('appears on a terminal after a second, and goes when it is stopped', () => {
    const { bar, at, text } = shown(true)
    bar.update(10, 100)
    at(999)
    bar.update(20, 100)
    expect(text()).toBe('')
    at(1000)
    bar.update(30, 100)
    expect(text()).toContain('30 % copied')
    bar.stop()
    // the line is cleared, and the cursor is back
    const last = text()
    expect(last).toContain('\u001b[?25h')
    expect(last).toMatch(/\u001b\[2K$/)
  })

  test('writes nothing where there is no terminal', () => {
    const { bar, at, text } = shown(false)
    at(5000)
    bar.update(30, 100)
    bar.stop()
    expect(text()).toBe('')
  })
})
