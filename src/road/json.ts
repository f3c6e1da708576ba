import { parse } from 'lossless-json'
import { ApiError, invalidJson } from '../api-error.ts'
import { quotedName } from '../contract/exchange/error-messages.ts'
import { nestedTooDeeply } from '../contract/exchange/invalid-request.ts'
import { isNestedTooDeeply } from '../contract/model/nesting.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON body without losing anything. Integers beyond 2^53 - 1 become `bigint`. Refused is what cannot be kept
 * exactly: invalid UTF-8, lone surrogates, repeated keys with different values, and numbers that a double would round
 * to an integer. A byte order mark is skipped (RFC 8259 section 8.1). `name` is how faults call what is parsed.
 */
export function parseJson(bytes: Uint8Array, name = 'The body'): unknown {
  const text = decodeUtf8(bytes, name)
  if (text.trim() === '') throw invalidJson(`${name} is empty; a JSON value is needed.`)
  if (isNestedTooDeeply(text)) throw invalidJson(nestedTooDeeply(name).message)
  if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(text)) {
    throw invalidJson(`${name} contains a lone surrogate, which is not Unicode text.`)
  }
  try {
    return parse(text, null, {
      parseNumber: (digits) => parseNumber(digits, name),
      onDuplicateKey: (found) => refuseDuplicateKey(found, text, name),
    })
  } catch (error) {
    throw error instanceof ApiError ? error : invalidJson(explain(error, text, name))
  }
}

function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidJson(`${name} is not valid UTF-8.`)
  }
}

/** Removes each escaped pair, and looks for a remaining half. A backslash that is itself escaped begins no escape. */
function hasLoneSurrogate(text: string): boolean {
  const withoutPairs = text.replace(/\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g, '')
  return /\\u[dD][89a-fA-F]/.test(withoutPairs)
}

function parseNumber(digits: string, name: string): number | bigint {
  const value = Number(digits)
  if (!Number.isFinite(value)) throw invalidJson(`${name} contains a number that is too large.`)
  if (/^-?[0-9]+$/.test(digits)) return Number.isSafeInteger(value) ? value : BigInt(digits)
  if (!Number.isInteger(value)) return value
  const exact = value === 0 ? zeroValue(digits) : integerValue(digits)
  if (exact === undefined) {
    throw invalidJson(`${name} contains a number with more decimal places than can be kept exactly.`)
  }
  return Number.isSafeInteger(value) ? value : exact
}

/** Zero if the digits mean that, and not a number that is too small for a double. */
function zeroValue(digits: string): bigint | undefined {
  return /^[^eE]*[1-9]/.test(digits) ? undefined : 0n
}

const parts = /^(-?[0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/

/** The value of a number with a fraction or an exponent if it is an integer, and neither zero nor beyond a double. */
function integerValue(digits: string): bigint | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = parts.exec(digits) ?? []
  const mantissa = whole + fraction
  const zeros = Number(exponent) - fraction.length
  if (zeros >= 0) return BigInt(mantissa) * tenToThe(zeros)
  return /[1-9]/.test(mantissa.slice(zeros)) ? undefined : BigInt(mantissa.slice(0, zeros))
}

/** Kept, since five bytes of a body may ask for 308 zeros. */
const powers: bigint[] = []

function tenToThe(exponent: number): bigint {
  return (powers[exponent] ??= 10n ** BigInt(exponent))
}

/** `position` is that of the key's first letter. */
function refuseDuplicateKey({ key, position }: { key: string; position: number }, text: string, name: string): never {
  const where = placeIn(text, position - 1)
  throw invalidJson(`${name} has the key ${quotedName(key)} twice in an object with different values, at ${where}.`)
}

/** A message of our own, since the parser's message may quote the body. */
function explain(error: unknown, text: string, name: string): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined
  if (position === undefined) return `${name} is not valid JSON.`
  return `${name} is not valid JSON, at ${placeIn(text, Number(position))}.`
}

function placeIn(text: string, position: number): string {
  const before = text.slice(0, position).split('\n')
  return `line ${before.length}, column ${Array.from(before.at(-1) ?? '').length + 1}`
}
