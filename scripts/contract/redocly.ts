import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
const config = fileURLToPath(new URL('../../redocly.yaml', import.meta.url))
const maxOutputBytes = 256 * 1024 * 1024

/** Runs a command of the Redocly CLI on these files, and returns the report that it prints as JSON. */
export function redocly(
  name: 'lint' | 'diff',
  files: readonly string[],
  more: readonly string[] = [],
): Promise<unknown> {
  const args = [command, name, ...files, '--config', config, '--format', 'json', ...more]
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, maxBuffer: maxOutputBytes }, (error, stdout, stderr) => {
      try {
        // it also prints a report when it finds something and exits with 1
        resolve(JSON.parse(stdout))
      } catch {
        const said = stderr.split('\n').filter((line) => line.trim() !== '' && !/^\s*[║╔╚]/.test(line))
        reject(new Error(`redocly ${name} failed: ${said.join(' ') || (error?.message ?? 'it printed no report')}`))
      }
    })
  })
}
