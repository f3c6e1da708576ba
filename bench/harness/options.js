/** The whole number that an option of the command line gives, from 1 to `most`. */
export function wholeNumber(name, text, most) {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new Error(`--${name} must be a whole number from 1 to ${most}.`)
}

/** The most connections of a load. */
export const mostConnections = 1000
