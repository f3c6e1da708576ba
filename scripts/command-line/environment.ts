import { readConfig, type Config } from '../../src/config/config.ts'

/** The settings of this process. What may be a mistake of them goes to standard error. Wrong ones throw a sentence for each. */
export function environment(): Config {
  const config = readConfig(process.env)
  for (const warning of config.warnings) console.error(`Warning: ${warning.replace(/[^.?]$/, '$&.')}`)
  return config
}
