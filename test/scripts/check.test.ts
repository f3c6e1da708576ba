import { describe, expect, test } from '@jest/globals'
import { runSteps, type Step } from '../../scripts/check/run-steps.ts'

const node = (name: string, code: string): Step => ({ name, command: [process.execPath, '-e', code] })
const passing = node('first', '')

async function run(...steps: Step[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = []
  const code = await runSteps(steps, (line) => lines.push(line.replace(/\d+\.\d s$/, '# s')))
  return { code, lines }
}

describe('npm run check', () => {
  test('names each step with its time, and goes on while they pass', async () => {
    const expected = { code: 0, lines: ['first passed after # s', 'second passed after # s'] }
    expect(await run(passing, node('second', ''))).toEqual(expected)
  })

  test('stops at a step that fails, with its exit code', async () => {
    const expected = { code: 3, lines: ['first passed after # s', 'lint failed with exit code 3 after # s'] }
    expect(await run(passing, node('lint', 'process.exit(3)'), node('last', ''))).toEqual(expected)
  })

  test.each([
    ['SIGKILL', 137],
    ['SIGTERM', 143],
  ])('names a step that %s ends', async (signal, code) => {
    const expected = { code, lines: [`types was killed by ${signal} after # s`] }
    expect(await run(node('types', `process.kill(process.pid, '${signal}'); setTimeout(() => {}, 1e6)`))).toEqual(
      expected,
    )
  })

  test('names a step whose program is not there', async () => {
    const { code, lines } = await run({ name: 'format', command: ['no-such-program'] }, passing)
    expect(code).toBe(127)
    expect(lines).toEqual(['format could not be run (spawn no-such-program ENOENT) after # s'])
  })
})
