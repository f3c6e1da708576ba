import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { onEachEngine } from '../support/servers/each-engine.ts'
import { expectError, type TestService } from '../support/service.ts'

const family = '👨‍👩‍👧‍👦'

/** A name as any JSON text, and a category as any JSON text. */
const named = (name: string): string => `{"name":${name},"categoryId":1}`
const categorized = (categoryId: string): string => `{"name":"R","categoryId":${categoryId}}`

/** A JSON string with every UTF-16 unit as an escape. */
function escaped(text: string): string {
  return `"${Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`
}

onEachEngine(({ newStore, startService }) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  /** Sends a body unchanged. */
  async function create(body: string): Promise<Response> {
    return service.call('post', '/pets').set('Content-Type', 'application/json').send(body)
  }

  /** Sends a body that must be refused, and gives the message. */
  async function refused(body: string, code = 'invalid_request'): Promise<string> {
    const before = await count()
    const { status, text } = await create(body)
    expect({ body, status }).toEqual({ body, status: 400 })
    expectError(text, 400, code)
    expect(await count()).toBe(before)
    return (JSON.parse(text) as { message: string }).message
  }

  async function count(): Promise<number> {
    return (await service.stores.pets.list({ limit: 1_000_000 })).length
  }

  describe('createPet', () => {
    test('answers the animal with a new id, and stores it', async () => {
      const { status, text } = await create('{"name":"Rex","categoryId":7,"status":"pending"}')
      expect(status).toBe(201)
      const id = /^\{"id":(\d+),"name":"Rex","categoryId":7,"status":"pending"\}$/.exec(text)?.[1]
      expect(id).toBeDefined()
      expect((await service.call('get', `/pets/${id ?? ''}`).expect(200)).text).toBe(text)
      expect((await service.call('get', `/pets?limit=100`).expect(200)).text).toContain(text)
    })

    test('stores an animal without a status as available', async () => {
      const { text } = await create('{"name":"Rex","categoryId":7}')
      expect(text).toContain('"status":"available"')
      expect((await service.call('get', '/pets?status=available&limit=100')).text).toContain(text)
    })

    test('gives unique ids in the order of creation, also to animals that are created at the same time', async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => create(named(`"N${index}"`))))
      const pets = answers.map(({ text }) => JSON.parse(text) as { id: number; name: string })
      expect(new Set(pets.map(({ id }) => id)).size).toBe(60)
      for (const { id, name } of pets) expect(await service.stores.pets.find(BigInt(id))).toMatchObject({ name })
      const [first, second] = [await create(named('"A"')), await create(named('"B"'))].map(
        ({ text }) => (JSON.parse(text) as { id: number }).id,
      )
      expect(second).toBe((first ?? NaN) + 1)
    })

    test('keeps every animal that was answered 201 over a restart, digit for digit', async () => {
      const env = { DATABASE_URL: await newStore() }
      const edges = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '-9007199254740993', '0']
      const first = await startService(env)
      const sent = first.call('post', '/pets').set('Content-Type', 'application/json')
      expect((await sent.send(named('"e\u0301 \u00e9 😀"'))).status).toBe(201)
      for (const edge of edges) {
        await first.call('post', '/pets').set('Content-Type', 'application/json').send(categorized(edge)).expect(201)
      }
      const { text } = await first.call('get', '/pets').expect(200)
      await first.stop()
      const second = await startService(env)
      expect((await second.call('get', '/pets').expect(200)).text).toBe(text)
      expect(text).toBe(
        `[{"id":1,"name":"e\u0301 \u00e9 😀","categoryId":1,"status":"available"},` +
          edges
            .map((edge, index) => `{"id":${index + 2},"name":"R","categoryId":${edge},"status":"available"}`)
            .join(',') +
          ']',
      )
      await second.stop()
    })
  })

  describe('categoryId', () => {
    test.each([
      ['9007199254740991', '9007199254740991'],
      ['9007199254740992', '9007199254740992'],
      ['9007199254740993', '9007199254740993'],
      ['-9007199254740993', '-9007199254740993'],
      ['9223372036854775807', '9223372036854775807'],
      ['9223372036854775806', '9223372036854775806'],
      ['-9223372036854775808', '-9223372036854775808'],
      ['0', '0'],
      ['-0', '0'],
      ['-1', '-1'],
      ['1.0', '1'],
      ['-1.0', '-1'],
      ['-0.0', '0'],
      ['1e3', '1000'],
      ['1E+3', '1000'],
      ['1e0', '1'],
      ['1.5e1', '15'],
      ['100e-2', '1'],
      ['0.001e3', '1'],
      ['0e99999', '0'],
      ['9223372036854775807.0', '9223372036854775807'],
      ['9.223372036854775807e18', '9223372036854775807'],
      ['-9.223372036854775808e18', '-9223372036854775808'],
      ['0.9007199254740993e16', '9007199254740993'],
    ])('%s is the integer %s, to the last digit', async (sent, kept) => {
      const { status, text } = await create(categorized(sent))
      expect({ status, text }).toEqual({ status: 201, text: expect.stringContaining(`,"categoryId":${kept},`) })
      const id = /"id":(\d+)/.exec(text)?.[1] ?? ''
      expect((await service.call('get', `/pets/${id}`)).text).toBe(text)
      expect((await service.stores.pets.find(BigInt(id)))?.categoryId).toBe(BigInt(kept))
    })

    test.each([
      '9223372036854775808',
      '-9223372036854775809',
      '18446744073709551616',
      '9223372036854775808.0',
      '1e19',
      '1e22',
      '-1e22',
      '1e308',
      '9'.repeat(300),
    ])('%s is beyond int64', async (sent) => {
      expect(await refused(categorized(sent))).toBe('body.categoryId must fit in 64 bits.')
    })

    test.each([
      '1.5',
      '0.1',
      '-0.5',
      '1e-1',
      '1.25e1',
      '"1"',
      '"9007199254740993"',
      '""',
      'true',
      'null',
      '[]',
      '[1]',
      '{}',
    ])('%s is no integer', async (sent) => {
      expect(await refused(categorized(sent))).toBe('body.categoryId must be an integer.')
    })

    test.each([
      '1e400',
      '-1e400',
      '1e999999999',
      '1e-400',
      '1.0000000000000000001',
      '9223372036854775807.1',
      '9007199254740992.5',
      '12345678901234567890e-2',
      '01',
      '-01',
      '+1',
      '1.',
      '.5',
      '1e',
      '--1',
      '-',
      '0x1',
      '1_0',
      '1n',
      'NaN',
      'Infinity',
      '-Infinity',
      '１',
    ])('%s is no number that can be kept', async (sent) => {
      await refused(categorized(sent), 'invalid_json')
    })
  })

  describe('name', () => {
    test.each([
      ['a letter', 'R'],
      ['255 letters', 'a'.repeat(255)],
      ['255 emoji, which are 510 UTF-16 units', '😀'.repeat(255)],
      ['100 emoji', '😀'.repeat(100)],
      ['36 families, which are 252 code points', family.repeat(36)],
      ['white space around a letter', ' \tR\n'],
      ['a zero width space', '\u200b'],
      ['a bidirectional control', 'a\u202eb'],
      ['next line', 'a\u0085b'],
      ['a line break', 'a\r\nb'],
      ['line and paragraph separators', 'a\u2028\u2029b'],
      ['quotes, backslashes and slashes', '"\\/'],
      [
        'every control character but NUL',
        Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('') + 'x',
      ],
      ['a noncharacter', '\uffff'],
      ['the last code point', '\u{10ffff}'],
      ['SQL', "'); DROP TABLE pets; --"],
      ['HTML', '<script>alert(1)</script>'],
      ['a combining mark alone', '\u0301'],
    ])('%s is stored and answered as sent', async (_, name) => {
      for (const body of [named(JSON.stringify(name)), named(escaped(name))]) {
        const { status, text } = await create(body)
        expect(status).toBe(201)
        expect(JSON.parse(text)).toMatchObject({ name })
        const id = /"id":(\d+)/.exec(text)?.[1] ?? ''
        expect((await service.stores.pets.find(BigInt(id)))?.name).toBe(name)
        expect((await service.call('get', `/pets/${id}`)).text).toBe(text)
      }
    })

    test('composed and decomposed letters are not normalised', async () => {
      const [composed, decomposed] = ['\u00e9', 'e\u0301']
      const texts = await Promise.all(
        [composed, decomposed].map(async (name) => (await create(named(`"${name}"`))).text),
      )
      expect(texts.map((text) => (JSON.parse(text) as { name: string }).name)).toEqual([composed, decomposed])
    })

    test.each([
      ['', 'body.name must not be empty.'],
      ['a'.repeat(256), 'body.name must have at most 255 characters.'],
      ['😀'.repeat(256), 'body.name must have at most 255 characters.'],
      [family.repeat(100), 'body.name must have at most 255 characters.'],
      ['a'.repeat(90_000), 'body.name must have at most 255 characters.'],
    ])('%.12s… has a wrong length', async (name, message) => {
      expect(await refused(named(JSON.stringify(name)))).toBe(message)
    })

    test.each([' ', '   ', '\t', '\r\n', '\u00a0', '\u3000', '\u2003', '\u2028', '\ufeff', ' \u00a0\t'.repeat(50)])(
      '%j is only white space',
      async (name) => {
        const rule = 'body.name must not be only white space, nor contain U+0000.'
        expect(await refused(named(JSON.stringify(name)))).toBe(rule)
        expect(await refused(named(escaped(name)))).toBe(rule)
      },
    )

    test.each(['\\u0000', 'a\\u0000b', 'a\\u0000', '\\u0000b', ' \\u0000 '])('"%s" has a NUL', async (name) => {
      expect(await refused(named(`"${name}"`))).toContain('body.name ')
    })

    test('a raw NUL is no JSON', async () => {
      await refused(named('"a\u0000b"'), 'invalid_json')
    })

    test.each([
      'a\\ud800b',
      '\\ud800',
      '\\uD800',
      '\\udc00',
      '\\udfff',
      '\\ud800\\ud800',
      '\\udc00\\ud800',
      '\\ud83d\\ude00\\ud83d',
      '\\ud83d \\ude00',
      '\\\\\\ud800',
      '\\ud800\\\\udc00',
      '\\ud800'.repeat(100),
    ])('"%s" has half of a surrogate pair', async (name) => {
      await refused(named(`"${name}"`), 'invalid_json')
      await refused(`{"${name}":1}`, 'invalid_json')
    })

    test.each([
      ['\\ud83d\\ude00', '😀'],
      ['\\uD83D\\uDE00', '😀'],
      ['\\\\ud800', '\\ud800'],
      ['\\\\\\\\udc00', '\\\\udc00'],
      ['\\u005cud800', '\\ud800'],
    ])('"%s" is valid text', async (name, meant) => {
      const { status, text } = await create(named(`"${name}"`))
      expect(status).toBe(201)
      expect(JSON.parse(text)).toMatchObject({ name: meant })
    })

    test.each(['5', 'null', 'true', '["Rex"]', '{}'])('%s is no string', async (name) => {
      expect(await refused(named(name))).toBe('body.name must be a string.')
    })
  })

  describe('status', () => {
    test.each(['available', 'pending', 'sold'])('%s is kept', async (status) => {
      const { text } = await create(`{"name":"R","categoryId":1,"status":"${status}"}`)
      expect(text).toContain(`"status":"${status}"`)
    })

    test.each(['""', '"Sold"', '"SOLD"', '"sold "', '"gone"', '"sold,pending"', '["sold"]', 'null', '1', 'true', '{}'])(
      '%s is none of the three',
      async (status) => {
        expect(await refused(`{"name":"R","categoryId":1,"status":${status}}`)).toContain('body.status must be ')
      },
    )
  })

  describe('the fields', () => {
    test.each([
      ['{}', 'body.name is required; body.categoryId is required.'],
      ['{"name":"A"}', 'body.categoryId is required.'],
      ['{"categoryId":1}', 'body.name is required.'],
      ['{"categoryId":"1"}', 'body.name is required; body.categoryId must be an integer.'],
      ['{"name":5,"categoryId":"1","status":"x"}', undefined],
    ])('a message names every fault of %s and its place', async (body, message) => {
      const told = await refused(body)
      if (message !== undefined) expect(told).toBe(message)
      else for (const field of ['name', 'categoryId', 'status']) expect(told).toContain(`body.${field} must be `)
    })

    test.each([
      ['"id":999', 'id'],
      ['"createdAt":"x"', 'createdAt'],
      ['"Name":"B"', 'Name'],
      ['"category_id":5', 'category_id'],
      ['"category":null', 'category'],
      ['"__proto__":{"status":"hacked"}', '__proto__'],
      ['"__proto__":{}', '__proto__'],
      ['"__proto__":null', '__proto__'],
      ['"__proto__":1', '__proto__'],
      ['"\\u005f_proto__":{"status":"hacked"}', '__proto__'],
      ['"constructor":{"prototype":{"x":1}}', 'constructor'],
      ['"constructor":1', 'constructor'],
      ['"prototype":1', 'prototype'],
      ['"hasOwnProperty":1', 'hasOwnProperty'],
      ['"toString":1', 'toString'],
      ['"":1', '""'],
      ['"a b":1', '"a b"'],
      ['"a.b":1', '"a.b"'],
    ])('%s is not a known field', async (field, name) => {
      const place = name.startsWith('"') ? `body[${name}]` : `body.${name}`
      expect(await refused(`{"name":"A","categoryId":1,${field}}`)).toContain(`${place} is not a known field`)
      expect(await refused(`{${field},"name":"A","categoryId":1}`)).toContain(`${place} is not a known field`)
    })

    test('a prototype cannot replace fields, and no prototype is polluted', async () => {
      await refused('{"name":"A","__proto__":{"categoryId":5}}')
      await refused('{"__proto__":{"name":"A","categoryId":5}}')
      await refused('{"constructor":{"prototype":{"status":"hacked"}},"name":"A","categoryId":1}')
      expect(({} as { status?: unknown }).status).toBeUndefined()
      expect(({} as { categoryId?: unknown }).categoryId).toBeUndefined()
      expect((await create('{"name":"A","categoryId":1}')).text).toContain('"status":"available"')
    })

    test.each([
      '{"name":"A","name":"B","categoryId":1}',
      '{"name":"A","\\u006eame":"B","categoryId":1}',
      '{"name":"A","categoryId":1,"categoryId":2}',
      '{"name":"A","categoryId":9007199254740992,"categoryId":9007199254740993}',
      '{"name":"A","categoryId":1,"status":"sold","status":"pending"}',
      '{"name":"A","categoryId":1,"categoryId":"1"}',
      '{"name":"A","categoryId":1,"status":"sold","status":null}',
    ])('%s has a key twice with different values', async (body) => {
      expect(await refused(body, 'invalid_json')).toMatch(
        /^The body has the key (name|categoryId|status) twice in an object with different values, at line 1, column \d+\.$/,
      )
    })

    test('a key may occur twice with the same value', async () => {
      const { status, text } = await create(
        '{"name":"A","name":"A","categoryId":9007199254740993,"categoryId":9007199254740993}',
      )
      expect(status).toBe(201)
      expect(text).toContain('"name":"A","categoryId":9007199254740993')
    })

    test('query parameters are refused', async () => {
      const sent = service.call('post', '/pets?status=sold').set('Content-Type', 'application/json')
      const { text } = await sent.send('{"name":"A","categoryId":1}').expect(400)
      expect(text).toContain('query.status is not a parameter of this operation')
    })
  })
})
