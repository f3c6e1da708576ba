import { expect } from '@jest/globals'
import { ApiError } from '../../src/api-error.ts'
import { parseJson } from '../../src/road/json.ts'

export const tooLarge = 'The body contains a number that is too large.'
export const tooFine = 'The body contains a number with more decimal places than can be kept exactly.'
export const duplicate = (key: string, place = ''): string =>
  `The body has the key ${key} twice in an object with different values, at ${place}`
export const half = 'The body contains a lone surrogate, which is not Unicode text.'
export const notUtf8 = 'The body is not valid UTF-8.'
export const empty = 'The body is empty; a JSON value is needed.'
export const tooDeep = 'The body is nested too deeply.'

/** The value that is read from a body. */
export function parse(body: string | readonly number[]): unknown {
  return parseJson(Buffer.from(body as string))
}

/** The message with which a body is refused; fails when it is not. */
export function refusal(body: string | readonly number[]): string {
  try {
    parse(body)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 400, code: 'invalid_json' })
    return (error as ApiError).message
  }
  throw new Error(`${JSON.stringify(body)} was not refused.`)
}
