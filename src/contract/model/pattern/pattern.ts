/**
 * A regular expression of the contract, by code points where that is possible. Some patterns of ECMA-262 edition 5.1,
 * which OpenAPI names, are none by code points, such as `\-`.
 */
export function patternOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}
