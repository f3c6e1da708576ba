import { describe, expect, test } from '@jest/globals'
import { duplicate, empty, half, notUtf8, parse, refusal, tooDeep, tooFine, tooLarge } from './json-bodies.ts'

describe('parseJson, on numbers', () => {
  test.each<[string, number | bigint]>([
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', 9223372036854775808n],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', -9223372036854775809n],
    ['1.0', 1],
    ['-1.0', -1],
    ['1.50', 1.5],
    ['1e2', 100],
    ['1E+2', 100],
    ['100e-2', 1],
    ['100.50e2', 10050],
    ['0.0000001e7', 1],
    ['9007199254740993.0', 9007199254740993n],
    ['9007199254740993.000e0', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['0.9007199254740993e16', 9007199254740993n],
    ['-9223372036854775808.0', -9223372036854775808n],
    ['92233720368547758070e-1', 9223372036854775807n],
    ['1e22', 10n ** 22n],
    ['0.0', 0],
    ['0e5', 0],
    ['0e999999999', 0],
    ['0e-999999999', 0],
    ['1.5', 1.5],
    ['0.1', 0.1],
    ['-2.5e-3', -0.0025],
    ['5e-324', 5e-324],
  ])('reads %s without losing a digit', (text, value) => {
    expect(parse(text)).toBe(value)
    expect(parse(`[{"a": ${text} }]`)).toEqual([{ a: value }])
  })

  test.each(['-0', '-0.0', '-0e3'])('reads %s as zero', (text) => {
    expect(Math.abs(parse(text) as number)).toBe(0)
  })

  test.each([
    ['1.0000000000000000001', tooFine],
    ['-1.0000000000000000001', tooFine],
    ['9007199254740993.5', tooFine],
    ['99999999999999999.9', tooFine],
    ['1e-400', tooFine],
    ['1e-999999999', tooFine],
    ['1e400', tooLarge],
    ['-1e400', tooLarge],
    ['1e999999999', tooLarge],
  ])('refuses %s, which a double would make another integer or none', (text, message) => {
    expect(refusal(text)).toBe(message)
    expect(refusal(`{"a":[${text}]}`)).toBe(message)
  })

  test.each([
    '01',
    '-01',
    '00',
    '+1',
    '.5',
    '1.',
    '1.e2',
    '1e',
    '1e+',
    '--1',
    '-',
    '0x10',
    '1_0',
    '1n',
    'NaN',
    'Infinity',
    '-Infinity',
    '１',
  ])('refuses %s, which JSON does not have', (text) => {
    expect(refusal(text)).toMatch(/^The body is not valid JSON, at line \d+, column \d+\.$/)
    expect(refusal(`{"a":${text}}`)).toMatch(/^The body is not valid JSON, at line \d+, column \d+\.$/)
  })
})

test.each([
  ['{', 1, 2],
  ['{"name":"Rex",\n  "categoryId":07}', 2, 17],
  ['{\r\n"a": [1,\r\n2,]}', 3, 3],
  ['{"é😀": x}', 1, 8],
])('a fault is told with its line and column: %j', (text, line, column) => {
  expect(refusal(text)).toBe(`The body is not valid JSON, at line ${line}, column ${column}.`)
})

describe('parseJson, on keys that stand twice', () => {
  test.each<[body: string, key: string, column: number, line?: number]>([
    ['{"name":"A","name":"B"}', 'name', 13],
    ['{"name":"A","\\u006eame":"B"}', 'name', 13],
    ['{"name":"A","name":null}', 'name', 13],
    ['{"name":null,"name":{}}', 'name', 14],
    ['{"name":1,"name":"1"}', 'name', 11],
    ['{"name":0,"name":false}', 'name', 11],
    ['{"name":9007199254740992,"name":9007199254740993}', 'name', 26],
    ['{"name":[1],"name":[1,2]}', 'name', 13],
    ['{"name":[1],"name":[[1]]}', 'name', 13],
    ['{"name":{"a":1},"name":{"a":1,"b":null}}', 'name', 17],
    ['{"a":[{"b":{"name":"A","name":"B"}}]}', 'name', 24],
    ['{"":1,"":2}', '""', 7],
    ['{"__proto__":1,"__proto__":2}', '__proto__', 16],
    ['{"name":"A","name":"B","name":"A"}', 'name', 13],
    ['{"🐈":1,\n "a b":1,\n  "🐈": 2, "a b":2}', '"🐈"', 3, 3],
    [`{"a":"${'x'.repeat(99)}", "a":1}`, 'a', 109],
    ['{"a\\nb":1,"a\\nb":2}', String.raw`"a\nb"`, 11],
  ])('refuses %s, whose values differ', (body, key, column, line = 1) => {
    expect(refusal(body)).toBe(duplicate(key, `line ${line}, column ${column}.`))
  })

  test.each<[string, unknown]>([
    ['{"name":"A","name":"A"}', { name: 'A' }],
    ['{"name":"A","\\u006eame":"\\u0041"}', { name: 'A' }],
    ['{"a":1,"a":1.0,"a":1e0}', { a: 1 }],
    ['{"a":9007199254740993,"a":9007199254740993.0}', { a: 9007199254740993n }],
    ['{"a":{"x":[1],"y":2},"a":{"y":2,"x":[1]}}', { a: { x: [1], y: 2 } }],
  ])('accepts %s, whose values are the same', (body, value) => {
    expect(parse(body)).toEqual(value)
  })

  test('accepts keys that differ in letter case, in Unicode form or by a space', () => {
    expect(parse('{"a":1,"A":2,"a ":3,"\\u00e9":4,"e\\u0301":5}')).toEqual({
      ...{ a: 1, A: 2, 'a ': 3, '\u00e9': 4, 'e\u0301': 5 },
    })
  })
})

describe('parseJson, on text', () => {
  test('skips a byte order mark at the beginning, and only there', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 })
    expect(parse('"\ufeff"')).toBe('\ufeff')
    expect(refusal('\ufeff\ufeff1')).toBe('The body is not valid JSON, at line 1, column 1.')
    expect(refusal('1\ufeff')).toBe('The body is not valid JSON, at line 1, column 2.')
    expect(refusal([0xff, 0xfe, 0x31, 0x00])).toBe(notUtf8)
    expect(refusal([0xfe, 0xff, 0x00, 0x31])).toBe(notUtf8)
  })

  test.each<[string, number[]]>([
    ['a byte that UTF-8 never has', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an overlong sequence of three bytes', [0xe0, 0x80, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a surrogate pair in CESU-8', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['a continuation without a beginning', [0x80]],
    ['Latin-1', [0xe9, 0x74, 0xe9]],
  ])('refuses %s', (_, bytes) => {
    expect(refusal([0x22, ...bytes, 0x22])).toBe(notUtf8)
    expect(refusal([0x22, 0x61, ...bytes])).toBe(notUtf8)
  })

  test.each([
    '\\ud800',
    '\\uDBFF',
    '\\udc00',
    '\\uDFFFa',
    'a\\ud800b',
    '\\ud83d\\ud83d',
    '\\ude00\\ud83d',
    '\\ud83d \\ude00',
    '\\\\\\ud800',
    '\\ud83d\\ude00\\ud83d',
    '\\ud83d\\\\ude00',
  ])('refuses "%s", which has half of a surrogate pair', (text) => {
    expect(refusal(`"${text}"`)).toBe(half)
    expect(refusal(`{"${text}":1}`)).toBe(half)
  })

  test.each([
    ['\\ud83d\\ude00', '😀'],
    ['\\uD83D\\uDE00', '😀'],
    ['😀', '😀'],
    ['\\ud83d\\ude00\\ud83d\\ude00', '😀😀'],
    ['\\\\ud800', '\\ud800'],
    ['\\\\\\\\ud800', '\\\\ud800'],
    ['\\\\\\ud83d\\ude00', '\\😀'],
    ['\\ud7ff\\ue000', '\ud7ff\ue000'],
    ['\\uffff\\u0000', '\uffff\u0000'],
    ['\\"\\\\\\/\\b\\f\\n\\r\\t', '"\\/\b\f\n\r\t'],
    ['\u2028\u2029\u007f', '\u2028\u2029\u007f'],
  ])('reads the escapes of "%s"', (text, value) => {
    expect(parse(`"${text}"`)).toBe(value)
  })

  test.each([
    '"\u0000"',
    '"\u001f"',
    '"\t"',
    '"a\nb"',
    '"\\x41"',
    '"\\u12"',
    '"\\u{1f600}"',
    '"\\',
    '"abc',
    "'a'",
    '"\\\'"',
  ])('refuses the string %j, which JSON does not have', (text) => {
    expect(refusal(text)).toMatch(/^The body is not valid JSON, at line \d+, column \d+\.$/)
  })
})

describe('parseJson, on shape', () => {
  test.each(['', ' ', '\n\t \r\n', '\ufeff', '\ufeff  ', '\u00a0\u2003'])('refuses the body %j as empty', (body) => {
    expect(refusal(body)).toBe(empty)
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['true', true],
    ['false', false],
    ['""', ''],
    ['[]', []],
    ['{}', {}],
    [' \t\r\n[ 1 , [ ] , { "a" : null } ] \n', [1, [], { a: null }]],
  ])('reads %j', (body, value) => {
    expect(parse(body)).toEqual(value)
  })

  test.each([
    ['{"a":1,}'],
    ['[1,]'],
    ['[,1]'],
    ['[1 2]'],
    ['{"a" 1}'],
    ['{"a":}'],
    ['{a:1}'],
    ['{1:1}'],
    ['{null:1}'],
    ['{"a":1'],
    ['[1'],
    ['1]'],
    ['1 2'],
    ['{}{}'],
    ['nul'],
    ['True'],
    ['undefined'],
    ['/**/1'],
    ['1//x'],
    ['\u00a01'],
    ['1\u2028'],
    ['\u000b1'],
    ['<pet/>'],
    ['name=Rex&categoryId=7'],
  ])('refuses %j and tells the position', (body) => {
    expect(refusal(body)).toMatch(/^The body is not valid JSON, at line \d+, column \d+\.$/)
  })

  test('refuses a body that is nested 20000 levels deep, whether it is complete or not', () => {
    const depth = 20_000
    expect(refusal('['.repeat(depth) + ']'.repeat(depth))).toBe(tooDeep)
    expect(refusal('{"a":'.repeat(depth) + '1' + '}'.repeat(depth))).toBe(tooDeep)
    expect(refusal('['.repeat(depth))).toBe(tooDeep)
    expect(refusal('[{"a":'.repeat(depth))).toBe(tooDeep)
  })

  test('reads arrays that are nested 500 levels deep', () => {
    const depth = 500
    let value = parse('['.repeat(depth) + ']'.repeat(depth))
    let found = 0
    for (; Array.isArray(value); value = value[0]) found += 1
    expect(found).toBe(depth)
  })

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'keeps the key %s as an own key, and leaves every other object as it was',
    (key) => {
      const before = Object.getOwnPropertyNames(Object.prototype)
      const value = parse(`{"${key}":{"polluted":true},"list":[{"${key}":1}]}`) as Record<string, unknown>
      expect(Object.keys(value)).toEqual([key, 'list'])
      expect(Object.getOwnPropertyDescriptor(value, key)?.value).toEqual({ polluted: true })
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    },
  )

  test('never quotes a value of the body in its message', () => {
    const secret = 'sk-SECRET-123'
    for (const body of [
      `{"apiKey":"${secret}", oops`,
      `{"apiKey":"${secret}`,
      `{"apiKey":"${secret}" "x":1}`,
      `{"a":"${secret}","a":2}`,
      `{"a":"${secret}\\ud800"}`,
      `{"a":"${secret}\\q"}`,
      secret,
      `"${secret}\u0001"`,
      `["${secret}",1e400]`,
      `["${secret}",1.0000000000000000001]`,
      `{"a" ${secret}}`,
      `"at position 12345 ${secret}" x`,
      `-${secret}`,
    ]) {
      expect(refusal(body)).not.toMatch(/sk|SECRET|12345|oops/)
    }
  })
})
