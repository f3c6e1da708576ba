import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { loggable } from '../../src/failure.ts'
import { readableLine } from '../../src/log/log-lines.ts'

const time = new Date(2026, 10, 28, 9, 5, 7).getTime()
const shown = (fields: object): string => readableLine(JSON.stringify({ level: 30, time, pid: 7, ...fields }))
const request = { msg: 'request', requestId: 'abc-1', method: 'GET', keyId: 'key_1', status: 200, durationMs: 1.24 }
const key = `ak_${'a1'.repeat(24)}b`

describe('a line of the log for people', () => {
  test.each([
    [{ path: '/v1/pets?limit', operationId: 'listPets' }, 'GET /v1/pets?limit 200 1.2 ms listPets'],
    [{ operationId: 'listPets' }, 'GET 200 1.2 ms listPets'],
    [
      { path: '/v1/pets/7', operationId: 'getPet', status: 404, code: 'not_found' },
      'GET /v1/pets/7 404 1.2 ms getPet code=not_found keyId=key_1 requestId=abc-1',
    ],
    [
      { path: '/v1/x', status: 401, code: 'unauthorized', keyId: undefined },
      'GET /v1/x 401 1.2 ms code=unauthorized requestId=abc-1',
    ],
    [{ path: `/${'x'.repeat(500)}` }, `GET /${'x'.repeat(99)} 200 1.2 ms`],
  ])('tells a request: %j', (fields, expected) => {
    expect(shown({ ...request, ...fields })).toBe(`09:05:07 ${expected}\n`)
  })

  test.each([
    [{ level: 30, msg: 'new store made', file: 'data/x.db' }, 'new store made file=data/x.db'],
    [{ level: 40, msg: 'slow', ms: 7, file: 'a b' }, 'WARN slow ms=7 file="a b"'],
    [{ level: 50, msg: 'x', of: { a: [1] } }, 'ERROR x of={"a":[1]}'],
    [{ level: 60, msg: 'end' }, 'FATAL end'],
    [{ level: 10 }, 'TRACE '],
  ])('tells an event with its fields: %j', (fields, expected) => {
    expect(shown(fields)).toBe(`09:05:07 ${expected}\n`)
  })

  test('shows no key, and nothing that moves the cursor or fakes a line', () => {
    const evil = `${key} \u001b[2J\u009b1A\r\n\u202e\u2028x`
    const texts = [
      shown({ ...request, path: `/v1/pets/${key}`, operationId: evil, status: 500, code: 'x', keyId: evil }),
      shown({ msg: evil, name: evil, more: { evil } }),
      shown({ msg: 'x', err: loggable(new Error(evil, { cause: new TypeError(evil) })) }),
    ]
    for (const text of texts) {
      expect(text).not.toContain('a1a1')
      expect(text).toContain('ak_…')

      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/)
      // what follows a line feed of the error is indented
      expect(text.split('\n').filter((line) => /^\S/.test(line))).toHaveLength(1)
    }
  })
})

describe('an error', () => {
  test('has the line of the source that it comes from, its stack in the project, and its causes', () => {
    const fault = new Error('It broke.', { cause: new TypeError('Because.') })
    const [place = '', line = '', column = ''] =
      /test\/log\/log-lines\.test\.ts:(\d+):(\d+)/.exec(fault.stack ?? '') ?? []
    const text = shown({ level: 50, msg: 'request failed', err: loggable(fault) })
    const lines = text.split('\n')
    const source = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n')[Number(line) - 1] ?? ''
    expect(lines.slice(0, 4)).toEqual([
      '09:05:07 ERROR request failed',
      '    Error: It broke.',
      `    ${place}`,
      `      ${source.trim()}`,
    ])
    expect(lines[4]?.indexOf('^')).toBe(6 + Number(column) - 1 - source.search(/\S/))
    expect(lines[5]).toMatch(/^ {4}at .*test\/log\/log-lines\.test\.ts:\d+:\d+\)?$/)
    expect(lines).toContain('    caused by')
    expect(lines).toContain('    TypeError: Because.')
    expect(text).not.toMatch(/node:|node_modules/)
  })

  test.each([
    ['without a stack', { type: 'Error', message: 'Gone.' }, ['    Error: Gone.']],
    ['that is no error', { message: 'Gone.' }, ['    Error: Gone.']],
    [
      'of a file that is not there',
      { message: 'x', stack: 'Error: x\n    at f (/nowhere/a.ts:1:2)\n    at g (file:///nowhere/b.ts:1:2)' },
      ['    Error: x', '    at f (/nowhere/a.ts:1:2)', '    at g (file:///nowhere/b.ts:1:2)'],
    ],
  ])('%s is shown as far as it is known', (_, err, expected) => {
    expect(shown({ msg: 'x', err }).trimEnd().split('\n').slice(1)).toEqual(expected)
  })
})
