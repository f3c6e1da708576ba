import { readConfig, type Config } from '../../src/config/config.ts'

let read: Config | undefined

/** The settings of this process, read once. What may be a mistake of them goes to standard error. Wrong ones throw a sentence for each. */
export function environment(): Config {
  if (read) return read
  read = readConfig(process.env)
  for (const warning of read.warnings) console.error(`Warning: ${warning.replace(/[^.?]$/, '$&.')}`)
  return read
}
