import { parse } from 'lossless-json'
import { ApiError, invalidJson } from '../api-error.ts'
import { exactInteger } from '../contract/integers.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON body without losing anything. Integers beyond 2^53 - 1 become `bigint`. Refused is what cannot be kept
 * exactly: invalid UTF-8, lone surrogates, repeated keys with different values, and numbers that a double would round
 * to an integer. A byte order mark is skipped (RFC 8259 section 8.1).
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  if (text.trim() === '') throw invalidJson('The body is empty; a JSON value is needed.')
  if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(text)) {
    throw invalidJson('The body contains a lone surrogate, which is not Unicode text.')
  }
  try {
    return parse(text, null, { parseNumber, onDuplicateKey: refuseDuplicateKey })
  } catch (error) {
    throw error instanceof ApiError ? error : invalidJson(explain(error))
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidJson('The body is not valid UTF-8.')
  }
}

/** Removes each escaped pair, and looks for a remaining half. A backslash that is itself escaped begins no escape. */
function hasLoneSurrogate(text: string): boolean {
  const withoutPairs = text.replace(/\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g, '')
  return /\\u[dD][89a-fA-F]/.test(withoutPairs)
}

function parseNumber(digits: string): number | bigint {
  const value = Number(digits)
  if (Number.isSafeInteger(value) && /^-?[0-9]+$/.test(digits)) return value
  if (!Number.isFinite(value)) throw invalidJson('The body contains a number that is too large.')
  if (!Number.isInteger(value)) return value
  const exact = integerValue(digits)
  if (exact !== undefined) return exactInteger(exact)
  throw invalidJson('The body contains a number with more decimal places than can be kept exactly.')
}

/** The digits of a number with a fraction or an exponent that is an integer, `100` for `1e2`; else undefined. */
function integerValue(digits: string): string | undefined {
  const [mantissa = '', exponent = '0'] = digits.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const written = `${whole}${fraction}`
  // a loop, since /0+$/ would take quadratic time
  let end = written.length
  while (written[end - 1] === '0') end -= 1
  const significant = written.slice(0, end)
  if (significant === '' || significant === '-') return '0'
  const zeros = Number(exponent) - fraction.length + (whole.length + fraction.length - significant.length)
  return zeros < 0 ? undefined : significant + '0'.repeat(zeros)
}

function refuseDuplicateKey(): never {
  throw invalidJson('The body has an object that contains a key twice with different values.')
}

/** A message of our own, since the parser's message may quote the body. */
function explain(error: unknown): string {
  if (error instanceof RangeError) return 'The body is nested too deeply.'
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined
  return `The body is not valid JSON${position === undefined ? '' : `, at position ${position}`}.`
}
