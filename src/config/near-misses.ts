import { isOneEdit } from '../one-edit.ts'

/**
 * Variables that are set and look like a misspelt setting, with the setting that is meant. A setting that is set itself is
 * not meant: who set it knows its name. Variables of other programs, such as `HOSTNAME` or `REDIS_URL_2`, are none.
 */
export function nearMisses(env: NodeJS.ProcessEnv, settings: ReadonlySet<string>): [name: string, meant: string][] {
  const given = Object.keys(env).filter((name) => !settings.has(name) && env[name])
  if (given.length === 0) return []
  const unset = [...settings].filter((setting) => !env[setting])
  return given.flatMap((name) => {
    const meant = unset.find((setting) => isMisspelt(name, setting))
    return meant === undefined ? [] : [[name, meant] as [string, string]]
  })
}

/** Shorter names have too many others beside them, such as POST and SPORT beside PORT; of these letters may be swapped. */
const minLength = 5

function isMisspelt(name: string, setting: string): boolean {
  // how people put a variable aside
  if (name.startsWith('_')) return false
  if (lettersOf(name) === lettersOf(setting)) return true
  // a word is missing at the end, as in SHUTDOWN_GRACE
  if (name.includes('_') && setting.startsWith(`${name}_`)) return true
  if (name.startsWith(setting) && /^([S_]|\d)$/.test(name.slice(setting.length))) return false
  return isOneEdit(name, setting) && (setting.length >= minLength || sorted(name) === sorted(setting))
}

/** Without what names of settings differ in by habit: `logLevel`, `LOGLEVEL` and `log-level` are LOG_LEVEL. */
function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, '')
}

function sorted(name: string): string {
  return Array.from(name).sort().join('')
}
