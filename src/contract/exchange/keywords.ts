/*
 * Keywords of translated schemas that JSON Schema does not have. The validators know them, and messages read them.
 */

/**
 * Replaces `type: integer` and `type: number`. Ajv does not know `bigint`, and converts strings such as `0x10` and `1e1`
 * to numbers, so it cannot keep an int64 exact (ajv-validator/ajv-formats#99).
 */
export const numericKeyword = 'x-numeric'

/** What a message says of a value that does not match the `pattern` beside it. */
export const patternMessage = 'x-pattern-message'

/** What a message calls the alternatives of the `oneOf` and `anyOf` beside it, by these keywords. */
export const alternativeNames = 'x-alternative-names'

/** A reference to a schema that contains itself, whose check of a value is remembered. */
export const onceKeyword = 'x-once'
