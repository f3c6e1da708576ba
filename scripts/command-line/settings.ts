import { readFileSync } from 'node:fs'
import { packageFile } from '../../src/package.ts'

/** A setting, or several of one kind, as the README has it. */
interface Setting {
  names: string
  fallback: string
  meaning: string
}

/** The settings of the service for a help text that is 80 columns wide. The README is the only list of them. */
export function settingsHelp(wrap: (text: string, columns: number) => string): string {
  const settings = readSettings()
  if (settings.length === 0) return '\nThe settings are environment variables. The README lists them.'
  return [
    '',
    'Settings, which are environment variables, with their defaults:',
    ...settings.map(({ names, fallback, meaning }) => {
      const lines = wrap(meaning, 74).split('\n')
      return [`  ${names} (${fallback})`, ...lines.map((line) => `      ${line}`)].join('\n')
    }),
  ].join('\n')
}

function readSettings(): Setting[] {
  const file = packageFile('README.md')
  const [, section = ''] = file === undefined ? [] : readFileSync(file, 'utf8').split('\n## Configuration\n')
  const rows = section
    .split('\n## ', 1)[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
  return (rows ?? []).map((row) => {
    const [names = '', fallback = '', meaning = ''] = row.split('|').slice(1).map(plain)
    return { names, fallback, meaning }
  })
}

/** A cell without its marks of Markdown. */
function plain(cell: string): string {
  return cell
    .trim()
    .replaceAll(/\[([^\]]+)\]\(([^)#]*)[^)]*\)/g, '$1 ($2)')
    .replaceAll('`', '')
}
