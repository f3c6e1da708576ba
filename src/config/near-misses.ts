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

/** Shorter names have too many others beside them, such as POST and SPORT beside PORT. */
const minLength = 5

function isMisspelt(name: string, setting: string): boolean {
  // how people put a variable aside
  if (name.startsWith('_')) return false
  if (lettersOf(name) === lettersOf(setting)) return true
  // a word is missing at the end, as in SHUTDOWN_GRACE
  if (name.includes('_') && setting.startsWith(`${name}_`)) return true
  if (name.startsWith(setting) && /^([S_]|\d)$/.test(name.slice(setting.length))) return false
  return isOneEdit(name, setting)
}

/** Without what names of settings differ in by habit: `logLevel`, `LOGLEVEL` and `log-level` are LOG_LEVEL. */
function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_-]/g, '')
}

/** Whether two neighbours have changed places or, except in short names, one letter is missing, added or another one. */
function isOneEdit(name: string, setting: string): boolean {
  let start = 0
  while (start < name.length && name[start] === setting[start]) start += 1
  let end = 0
  while (end < Math.min(name.length, setting.length) - start && name.at(-1 - end) === setting.at(-1 - end)) end += 1
  const [one, other] = [name.slice(start, name.length - end), setting.slice(start, setting.length - end)]
  if (one.length === 2 && other.length === 2) return one[0] === other[1] && one[1] === other[0]
  return setting.length >= minLength && one.length <= 1 && other.length <= 1
}
