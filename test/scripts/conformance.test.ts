import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { installed } from '../../scripts/conformance/installed.ts'
import { run, testFolder } from '../support/process.ts'

const folder = testFolder()
const requirements = readFileSync(
  fileURLToPath(new URL('../../scripts/conformance/requirements.txt', import.meta.url)),
  'utf8',
)

/** A folder with a `python3` that is this shell script. */
function python(name: string, script: string): string {
  const bin = join(folder, name)
  mkdirSync(bin)
  writeFileSync(join(bin, 'python3'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'python3'), 0o755)
  return bin
}

/** A `python3` whose virtual environments have a `python` that is this shell script. */
function environments(name: string, script: string): string {
  return python(
    name,
    `/bin/mkdir -p "$3/bin" && printf '#!/bin/sh\\n${script}\\n' >"$3/bin/python" && /bin/chmod 755 "$3/bin/python"`,
  )
}

function missing(found: Awaited<ReturnType<typeof installed>>): string {
  return 'missing' in found ? found.missing : ''
}

describe('conformance', () => {
  test('is skipped with the reason where Python or its packages cannot be had', async () => {
    const cases = [
      [join(folder, 'nothing'), /^python3 cannot make a virtual environment: .*ENOENT/],
      [python('broken', 'echo begin >&2; echo "No module named venv" >&2; exit 1'), /: No module named venv$/],
      [
        environments('offline', 'echo "no route to host" >&2; exit 1'),
        /^Schemathesis cannot be installed: no route to host$/,
      ],
    ] as const
    for (const [path, reason] of cases) {
      expect(missing(await installed(join(folder, 'cache'), path))).toMatch(reason)
    }
  })

  test('is installed once', async () => {
    const cache = join(folder, 'once')
    const found = await installed(cache, environments('good', 'exit 0'))
    expect(missing(found)).toBe('')
    expect(await installed(cache, join(folder, 'nothing'))).toEqual(found)
  })

  test('runs packages of exact versions', () => {
    const lines = requirements.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(lines).toContainEqual(expect.stringMatching(/^schemathesis==/))
    for (const line of lines) expect(line).toMatch(/^[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*$/)
  })

  test('refuses wrong flags', async () => {
    const { code, stdout, stderr } = await run(['scripts/conformance.ts', '--cases', 'many'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('It must be a whole number from 1 to 999999.')
  })
})
