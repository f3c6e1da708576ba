import { existsSync } from 'node:fs'
import { callOf } from './command.ts'

/** The usual names of a contract. */
const usual = ['openapi.yaml', 'openapi.yml', 'openapi.json'] as const

/**
 * The file of the contract that a command is about: the named one, or the one in this folder. Without one it throws a
 * sentence. `argument` is how the command takes a name.
 */
export function contractFile(named: string | undefined, command: string, argument = 'FILE'): string {
  const file = named ?? usual.find((one) => existsSync(one))
  if (file === undefined) {
    throw new Error(`There is no ${usual[0]} in this folder. Name the contract: ${callOf(command)} ${argument}`)
  }
  const fault = notAFile(file)
  if (fault !== undefined) throw new Error(fault)
  return file
}

/** Why a name cannot be the one of a file, and what to name instead. */
export function notAFile(name: string): string | undefined {
  if (/^[a-z]+:\/\//i.test(name)) {
    return `${name} is an address, and nothing is fetched. Save the contract to a file, and name that.`
  }
  return name === '-' ? 'A contract is read from a file. The standard input is the file /dev/stdin.' : undefined
}
