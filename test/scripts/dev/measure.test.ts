import { expect, test } from '@jest/globals'
import { run } from '../../support/process.ts'

test('dev:measure shows help when asked, and refuses what is no number of saves', async () => {
  const { code, stdout } = await run(['scripts/dev/measure.ts', '--help'])
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: npm run -s dev:measure/) })
  for (const wrong of ['0', 'many', '1.5']) {
    expect(await run(['scripts/dev/measure.ts', wrong])).toMatchObject({ code: 2, stdout: '' })
  }
})
