import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { endAll, run, start, type Running } from '../../support/process.ts'
import { copyProject, type ProjectCopy } from '../../support/project.ts'
import { talk } from '../../support/talk.ts'

const ours = (file: string): string => readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')

let project: ProjectCopy
let dev: Running
let port: number
let key: string

beforeAll(async () => {
  project = copyProject()
  project.write('redocly.yaml', ours('redocly.yaml'))
  project.write('.gitignore', 'node_modules\ndata\n')
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message', 'Start')
  const database = `sqlite:${join(project.folder, 'data', 'store.db')}`
  dev = start([join(project.folder, 'scripts/dev.ts')], { PORT: '0', DATABASE_URL: database })
  const [, , ready = ''] = await dev.until(
    /^service: started in \d+\.\d\d s at http:\/\/(127\.0\.0\.1:(\d+))\/v1, docs at http:\/\/\1\/docs$/m,
  )
  port = Number(ready)
  await dev.until(/^key: .*curl -i 'http:\/\/127\.0\.0\.1:\d+\/v1\/pets' -H 'Authorization: Bearer ak_\w{49}'$/m)
  // a key that no test uses up
  const limits = ['--per-minute', '1000000', '--per-day', '1000000']
  const made = await run(['scripts/keys.ts', 'create', '--plan', 'enterprise', ...limits, '--json'], {
    DATABASE_URL: database,
  })
  key = (JSON.parse(made.stdout) as { key: string }).key
  await dev.until(/^verdict: contract as committed \(\d+\.\d\d s\)$/m)
})
afterAll(async () => {
  dev.child.kill('SIGTERM')
  await dev.ended
  await endAll()
  project.remove()
})

/** Puts back what a test has edited. */
afterEach(async () => {
  if (git('status', '--porcelain', '--', 'openapi.yaml', 'src') === '') return
  await saving(() => {
    git('clean', '--quiet', '--force', 'src')
    git('checkout', '--quiet', '--', 'openapi.yaml', 'src')
  })
})

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: project.folder, encoding: 'utf8' })
}

/** What is shown of an edit, up to what became of the service. */
async function saving(edit: () => void): Promise<string> {
  const before = dev.stdout().length
  edit()
  const [shown] = await dev.until(new RegExp(`^[^]{${before}}[^]*?\\nverdict: [^]*?service: (?!still starting).*\\n`))
  return shown.slice(before)
}

/** The rest of the lines with a label, without those that say how long a start takes on a busy machine. */
function lines(shown: string, label: string): string[] {
  const start = `${label}: `
  const texts = shown.split('\n').flatMap((line) => (line.startsWith(start) ? line.slice(start.length) : []))
  return texts.filter((text) => !text.startsWith('still starting'))
}

interface Answer {
  status: number
  mock: string | null
  text: string
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${key}`, ...headers },
  })
  return { status: answer.status, mock: answer.headers.get('x-mock'), text: await answer.text() }
}

const operation = `  /pets/count:
    get:
      operationId: countPets
      tags: [pets]
      summary: Count animals
      description: Tells how many animals there are.
      x-stability: experimental
      responses:
        '200':
          description: The number.
          headers:
            X-RateLimit-Limit: { $ref: '#/components/headers/X-RateLimit-Limit' }
            X-RateLimit-Remaining: { $ref: '#/components/headers/X-RateLimit-Remaining' }
            X-RateLimit-Reset: { $ref: '#/components/headers/X-RateLimit-Reset' }
          content:
            application/json:
              schema: { type: object, required: [count], properties: { count: { type: integer, example: 42 } } }
        '400': { $ref: '#/components/responses/BadRequest' }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '429': { $ref: '#/components/responses/RateLimited' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Failure' }
  /pets/{petId}:
`

describe('a save', () => {
  test('of a good edit tells that it is compatible, writes generated/ and is served', async () => {
    const shown = await saving(() => {
      project.edit('openapi.yaml', 'maximum: 100\n', 'maximum: 200\n')
    })
    expect(lines(shown, 'changed')).toEqual(['openapi.yaml'])
    expect(lines(shown, 'diff')).toEqual([
      expect.stringMatching(/^openapi\.yaml:\d+:\d+ compatible GET \/pets.* 100 to 200\.$/),
    ])
    expect(lines(shown, 'generated')).toEqual(['generated/handlers.ts'])
    expect(lines(shown, 'verdict')).toEqual([expect.stringMatching(/^compatible \(\d+\.\d\d s\)$/)])
    expect(lines(shown, 'service')).toEqual([expect.stringMatching(/^reloaded in \d+\.\d\d s at http.*\/docs$/)])
    expect(shown).not.toMatch(/^(contract|handler|types|load):/m)
    expect((await get('/docs')).text).toContain('<html data-follow')
    expect((await get('/v1/pets?limit=200')).status).toBe(200)
    expect((await project.generate('--check')).code).toBe(0)
  })

  test('of a breaking edit tells so, and names the handler that must change with line and column', async () => {
    const shown = await saving(() => {
      const text = project.read('openapi.yaml')
      project.write('openapi.yaml', text.replace(/ {12}Link:\n.*\n.*\n.*\n.*rel="next"\n/, ''))
    })
    expect(lines(shown, 'diff').join()).toContain(' breaking ')
    const source = project.read('src/handlers/listPets.ts').split('\n')
    const line = source.findIndex((one) => one.includes("operation('listPets'")) + 1
    expect(lines(shown, 'handler')).toEqual([
      expect.stringMatching(new RegExp(`^src/handlers/listPets\\.ts:${line}:\\d+ .*\\bLink\\b.* \\(TS\\d+\\)$`)),
    ])
    expect(lines(shown, 'verdict')).toEqual([expect.stringMatching(/^breaking, 1 file to change \(/)])
  })

  test('of a contract that is none shows where, and leaves the last good one running and generated', async () => {
    const table = project.read('generated/handlers.ts')
    const broken = await saving(() => {
      project.edit('openapi.yaml', '      operationId: listPets\n', '      operationId: listPets\n\tx: 1\n')
    })
    expect(lines(broken, 'contract')[0]).toMatch(/^openapi\.yaml:\d+:1 error Tabs are not allowed as indentation\./)
    expect(lines(broken, 'verdict')).toEqual([expect.stringMatching(/^invalid contract, not taken over \(/)])
    expect(lines(broken, 'service')).toEqual(['still runs the last good state'])
    const source = await saving(() => {
      project.write('src/handlers/getPet.ts', `${project.read('src/handlers/getPet.ts')}// more\n`)
    })
    expect(lines(source, 'service')).toEqual(['still runs the last good state'])
    expect((await get('/v1/pets')).status).toBe(200)
    expect(project.read('generated/handlers.ts')).toBe(table)
    const dishonoured = await saving(() => {
      git('checkout', '--quiet', '--', 'openapi.yaml', 'src')
      project.edit(
        'openapi.yaml',
        '        - name: petId\n          in: path\n',
        '        - name: petId\n          in: path\n          style: form\n',
      )
    })
    expect(lines(dishonoured, 'contract').join('\n')).toMatch(
      /^openapi\.yaml:\d+:\d+ error getPet: the path parameter petId has the style form; use simple or label or matrix\./m,
    )
    expect(lines(dishonoured, 'service')).toEqual(['still runs the last good state'])
  })

  test('that takes the contract away says so, and what comes back is told as ever', async () => {
    const gone = await saving(() => {
      rmSync(join(project.folder, 'openapi.yaml'))
    })
    expect(lines(gone, 'contract')).toEqual(['openapi.yaml:1:1 error openapi.yaml is not there. (contract)'])
    expect(lines(gone, 'service')).toEqual(['still runs the last good state'])
    expect((await get('/v1/pets')).status).toBe(200)
    const back = await saving(() => {
      git('checkout', '--quiet', '--', 'openapi.yaml')
    })
    expect(lines(back, 'verdict')).toEqual([expect.stringMatching(/^contract as committed \(/)])
    expect(dev.stderr()).toBe('')
  })

  test('of a contract that the lint refuses and the service does not shows the finding, and is served', async () => {
    const shown = await saving(() => {
      project.edit('openapi.yaml', 'maximum: 100\n', 'maximum: &most 150\n')
    })
    expect(lines(shown, 'contract')).toEqual([expect.stringMatching(/^openapi\.yaml:\d+:\d+ error .* \(anchors\)$/)])
    expect(lines(shown, 'verdict')).toEqual([expect.stringMatching(/^compatible, 1 error of the contract \(/)])
    expect((await get('/v1/pets?limit=150')).status).toBe(200)
  })

  test('of a new operation names its handler and mocks it, until the handler is there', async () => {
    const mocked = await saving(() => {
      project.edit('openapi.yaml', '  /pets/{petId}:\n', operation)
    })
    expect(lines(mocked, 'handler')).toEqual(['src/handlers/countPets.ts is missing; GET /pets/count is mocked.'])
    expect(lines(mocked, 'contract')).toEqual([])
    expect(lines(mocked, 'verdict')).toEqual([expect.stringMatching(/^compatible, 1 handler to write \(/)])
    expect(await get('/v1/pets/count')).toEqual({ status: 200, mock: 'true', text: '{"count":42}' })
    expect(await get('/v1/pets/count', { Prefer: 'code=429' })).toMatchObject({ status: 429, mock: 'true' })

    const wrong = await saving(() => {
      project.write('src/handlers/countPets.ts', `export const countPet = 7\n`)
    })
    expect(lines(wrong, 'handler')).toEqual([
      expect.stringMatching(/^src\/handlers\/countPets\.ts:1:1 .*countPets.* \(TS\d+\)$/),
    ])
    expect(lines(wrong, 'load')).toEqual(['src/handlers/countPets.ts:1:1 It must export the handler countPets.'])
    expect((await get('/v1/pets/count')).mock).toBe('true')

    const served = await saving(() => {
      project.write(
        'src/handlers/countPets.ts',
        `import { operation } from '../contract/operation.ts'\n\n` +
          `export const countPets = operation('countPets', async (_, { pets }) => ({\n` +
          `  status: 200,\n  body: { count: (await pets.list({ limit: 7 })).length },\n}))\n`,
      )
    })
    expect(served).not.toMatch(/^(contract|handler|types|load):/m)
    expect(await get('/v1/pets/count')).toEqual({ status: 200, mock: null, text: '{"count":0}' })
  })

  test('of a handler with a mistake shows where, and leaves the last good one running', async () => {
    const shown = await saving(() => {
      project.write('src/handlers/getPet.ts', 'export const getPet = (\n  1 2\n)\n')
    })
    expect(lines(shown, 'handler')[0]).toMatch(/^src\/handlers\/getPet\.ts:2:5 .+ \(TS1005\)$/)
    expect(lines(shown, 'load')[0]).toMatch(/^src\/handlers\/getPet\.ts:2:5 Expected /)
    expect(lines(shown, 'service')).toEqual(['still runs the last good state'])
    expect((await get('/v1/pets/1')).status).toBe(404)
    const thrown = await saving(() => {
      project.write(
        'src/handlers/getPet.ts',
        'const nothing = {} as { here: () => void }\n\nnothing.here()\nexport {}\n',
      )
    })
    expect(lines(thrown, 'load')).toEqual(['src/handlers/getPet.ts:3:9 TypeError: nothing.here is not a function'])
    expect((await get('/v1/pets/1')).status).toBe(404)
  })

  test('of a source that everything needs shows where it does not load', async () => {
    const shown = await saving(() => {
      project.edit('src/app.ts', 'export async function openService(', 'export async function openServices(')
    })
    expect(lines(shown, 'service')).toEqual(['still runs the last good state'])
    expect(lines(shown, 'types').join('\n')).toMatch(/^src\/serve\.ts:\d+:\d+ .*openService/m)
    expect((await get('/v1/pets')).status).toBe(200)
  })
})

describe('requests', () => {
  test('are a line each, and an exception of a handler shows its line of the source', async () => {
    const source = [
      "import { operation } from '../contract/operation.ts'",
      '',
      "export const getPet = operation('getPet', ({ path }) => {",
      '  // the types are gone at run time, and the lines must still be right',
      '  const nothing: { here?: () => never } = path as object',
      '  return (nothing as Required<typeof nothing>).here()',
      '})',
      '',
    ]
    await saving(() => {
      project.write('src/handlers/getPet.ts', source.join('\n'))
    })
    const before = dev.stdout().length
    expect((await get('/v1/pets/7?limit=3')).status).toBe(400)
    expect((await get(`/v1/pets/${key}`)).status).toBe(400)
    expect((await get('/v1/pets/7')).status).toBe(500)
    await dev.until(new RegExp(`^[^]{${before}}[^]* 500 [^]*\\n {4}at `))
    const told = dev.stdout().slice(before)
    const time = String.raw`^\d\d:\d\d:\d\d`
    expect(told).toMatch(
      new RegExp(`${time} GET /v1/pets/7\\?limit 400 \\d+\\.\\d ms getPet code=invalid_request `, 'm'),
    )
    expect(told).toMatch(new RegExp(`${time} GET /v1/pets/ak_… 400 `, 'm'))
    expect(told).not.toContain(key)
    const thrown = told.slice(told.search(new RegExp(`${time} ERROR`, 'm'))).split('\n')
    expect(thrown.slice(0, 6)).toEqual([
      expect.stringMatching(/ ERROR GET \/v1\/pets\/7 500 \d+\.\d ms getPet code=internal_error /),
      expect.stringMatching(/^ {4}TypeError: .+ is not a function$/),
      expect.stringMatching(/^ {4}src\/handlers\/getPet\.ts:6:\d+$/),
      `      ${source[5]?.trim() ?? ''}`,
      expect.stringMatching(/^ +\^$/),
      expect.stringMatching(/^ {4}at .*src\/handlers\/getPet\.ts:6:\d+\)?$/),
    ])
  })

  test('are all answered while the service is reloaded three times', async () => {
    let isOver = false
    const failures: unknown[] = []
    let answered = 0
    const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
      while (!isOver) {
        try {
          const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
          const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init })
          const text = await answer.text()
          if (answer.status === 200) answered += 1
          else failures.push({ status: answer.status, text })
        } catch (error) {
          failures.push(error)
        }
      }
    }
    const asking = [ask('/v1/pets'), ask('/livez'), ask('/openapi.json')]
    for (const round of [1, 2, 3]) {
      const shown = await saving(() => {
        project.write('src/handlers/getPet.ts', `${ours('src/handlers/getPet.ts')}// ${round}\n`)
      })
      expect(lines(shown, 'service')).toEqual([expect.stringMatching(/^reloaded/)])
      expect(answered).toBeGreaterThan(0)
    }
    isOver = true
    await Promise.all(asking)
    expect(failures).toEqual([])
  })

  test('reach the service as they were sent, with the address of their client', async () => {
    const socket = talk(port)
    const exchange = async (head: string[], pattern: RegExp): Promise<string> => {
      const before = socket.text().length
      socket.socket.write([...head, '', ''].join('\r\n'))
      await socket.until(new RegExp(`^[^]{${before}}[^]*?${pattern.source}`))
      return socket.text().slice(before)
    }
    const authorization = `Authorization: Bearer ${key}`
    const strangers = ['192.0.2.1', '192.0.2.2'].map((address) =>
      fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { 'X-Forwarded-For': address } }),
    )
    const left = (await Promise.all(strangers)).map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(Math.max(...left) - Math.min(...left)).toBe(1)
    // no body, and none that was invented
    const empty = await exchange(['POST /v1/pets HTTP/1.1', 'Host: a', authorization], /"status":400}/)
    expect(empty).toContain('A body is required')
    const twice = await exchange(['GET /v1/pets HTTP/1.1', 'Host: a', authorization, authorization], /"status":401}/)
    expect(twice).toContain('HTTP/1.1 401 ')
    const escaped = await exchange(['GET /v1/pets/%zz?x=%20 HTTP/1.1', 'Host: a', authorization], /"status":400}/)
    expect(escaped).toContain('percent sign')
    const head = await exchange(['HEAD /livez HTTP/1.1', 'Host: a', 'X-Request-Id: abc'], /\r\n\r\n/)
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\nX-Request-Id: abc\r\n[^]*Content-Length: 17\r\n/)
    // only sent when the service asks for it
    const json = ['Content-Type: application/json', 'Expect: 100-continue']
    const post = ['POST /v1/pets HTTP/1.1', 'Host: a', authorization, ...json, 'Transfer-Encoding: chunked']
    await exchange(post, /HTTP\/1\.1 100 Continue\r\n\r\n/)
    const made = await exchange(['1d', '{"name":"Rex","categoryId":7}', '0'], /"status":"available"}/)
    expect(made).toMatch(/^HTTP\/1\.1 201 Created\r\n/)
    const large = ['POST /v1/pets HTTP/1.1', 'Host: a', authorization, ...json, 'Content-Length: 200000']
    expect(await exchange(large, /"status":413}/)).toMatch(/^HTTP\/1\.1 413 [^]*Connection: close\r\n/)
    await socket.closed
  })
})

test('Ctrl-C ends everything', async () => {
  const own = start([join(project.folder, 'scripts/dev.ts')], {
    PORT: '0',
    DATABASE_URL: `sqlite:${project.folder}/own.db`,
  })
  const [, address = ''] = await own.until(/at http:\/\/127\.0\.0\.1:(\d+)\/v1/)
  await own.until(/^verdict: /m)
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(own.child.pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
  expect(children.length).toBeGreaterThanOrEqual(2)
  own.child.kill('SIGINT')
  expect({ code: await own.ended, stderr: own.stderr() }).toEqual({ code: 0, stderr: '' })
  for (const pid of children) await gone(Number(pid))
  const code = await new Promise((resolve) => {
    connect(Number(address), '127.0.0.1').on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code)
    })
  })
  expect(code).toBe('ECONNREFUSED')
  rmSync(join(project.folder, 'own.db'), { force: true })
})

/** Resolves once there is no such process. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a contract that is away for a moment during the first check breaks nothing off', async () => {
  const other = copyProject()
  other.write('redocly.yaml', ours('redocly.yaml'))
  const database = `sqlite:${join(other.folder, 'data', 'store.db')}`
  const second = start([join(other.folder, 'scripts/dev.ts')], { PORT: '0', DATABASE_URL: database })
  try {
    await second.until(/^service: started /m)
    const contract = join(other.folder, 'openapi.yaml')
    renameSync(contract, `${contract}.away`)
    await second.until(
      /^changed: openapi\.yaml$[^]*^contract: openapi\.yaml:1:1 error openapi\.yaml is not there\. \(contract\)$/m,
    )
    renameSync(`${contract}.away`, contract)
    await second.until(/^changed: [^]*^changed: [^]*^verdict: not compared \([^]*^service: reloaded /m)
    expect(second.stderr()).toBe('')
    expect(second.stdout()).not.toContain('broke off')
  } finally {
    await second.stop()
    other.remove()
  }
})
