import { describe, expect, test } from '@jest/globals'
import { run } from '../support/process.ts'

// a whole run takes minutes and the network; `npm run test:node -- 24` is its own test
describe('test:node', () => {
  test.each([[[]], [['latest']], [['24/../x']], [['test/quota']], [['24', '--kepp']]])(
    'refuses %j with a sentence, before it copies or installs anything',
    async (args) => {
      const { code, stdout, stderr } = await run(['scripts/test-node.ts', ...args])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(
        /^error: .*(missing required argument 'version'|It must be such as 24|unknown option '--kepp')/,
      )
      expect(stderr).not.toContain('    at ')
    },
  )
})
