import { describe } from '@jest/globals'
import { runCommand, works, type Finished } from '../process.ts'

/** `describe` where promtool is on PATH. Where servers are required, the tests run and fail without it. */
export const describePromtool =
  works('promtool', ['--version']) || process.env.REQUIRE_SERVERS === '1'
    ? describe
    : (name: string, body: () => void): void => {
        describe.skip(`${name} (skipped: needs promtool, as from apt-get install prometheus)`, body)
      }

/** Runs promtool to its end, with this standard input. */
export function promtool(args: readonly string[], input = ''): Promise<Finished> {
  return runCommand('promtool', args, {}, input)
}
