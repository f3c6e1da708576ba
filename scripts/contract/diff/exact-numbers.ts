/**
 * Chooses a double for each integer beyond 2^53 in the values. The doubles are different and in the same order. `exact`
 * replaces the doubles in a text by their integers.
 */
export function exactNumbers(values: unknown[]): {
  numberOf: (integer: bigint) => number
  exact: (text: string) => string
} {
  const integers = new Set<bigint>()
  const collect = (value: unknown): void => {
    if (typeof value === 'bigint') integers.add(value)
    else if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) collect(child)
  }
  collect(values)
  const numbers = new Map<bigint, number>()
  let last = -Infinity
  for (const integer of [...integers].sort((a, b) => (a < b ? -1 : 1))) {
    const next = last === -Infinity ? last : last + Math.abs(last) * Number.EPSILON
    last = Math.max(Number(integer), next)
    numbers.set(integer, last)
  }
  return {
    numberOf: (integer) => numbers.get(integer) ?? Number(integer),
    exact: (text) => {
      let exact = text
      for (const [integer, number] of numbers) exact = exact.replaceAll(String(number), String(integer))
      return exact
    },
  }
}
