/*
 * npm run contract:lint [-- FILE] [--format text|json|github] [--today YYYY-MM-DD]
 *
 * Tells what is wrong with openapi.yaml, or with another contract. Exits with 0 when there is no error, 1 when there is
 * one, 2 when the contract cannot be read or a tool failed.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { messageOf } from '../src/contract/honoured.ts'
import { annotation, placeText, type Finding } from './contract/finding.ts'
import { lintContract } from './contract/lint.ts'

const formats: Readonly<Record<string, (findings: readonly Finding[]) => string>> = { text, json, github }

try {
  const { values, positionals } = parseArgs({
    options: {
      format: { type: 'string', default: 'text' },
      today: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    },
    allowPositionals: true,
  })
  const own = relative('.', fileURLToPath(new URL('../openapi.yaml', import.meta.url)))
  const [file = own, ...others] = positionals
  if (others.length > 0) throw new Error('Only one contract can be given.')
  const print = formats[values.format]
  if (!print) throw new Error(`--format must be ${Object.keys(formats).join(', ')}.`)
  const findings = await lintContract(file, { today: values.today })
  console.log(print(findings))
  process.exitCode = findings.some(({ severity }) => severity === 'error') ? 1 : 0
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 2
}

function text(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ rule, severity, place, message, mend }) => `${placeText(place)} ${severity} ${message} ${mend} (${rule})`,
  )
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const counts = `${errors} errors, ${findings.length - errors} warnings.`
  return [...lines, findings.length === 0 ? 'The contract is sound.' : counts].join('\n')
}

function json(findings: readonly Finding[]): string {
  return JSON.stringify(findings, null, 2)
}

function github(findings: readonly Finding[]): string {
  return findings
    .map(({ rule, severity, place, message, mend }) => annotation(severity, place, rule, `${message} ${mend}`))
    .join('\n')
}
