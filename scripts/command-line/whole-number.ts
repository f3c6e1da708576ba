import { InvalidArgumentError } from 'commander'

/** Reads an argument that must be a whole number from 1 to `max`. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= max) return number
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`)
  }
}
